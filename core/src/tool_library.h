/* The library of a profiling tool (tools.c). */
#pragma once
#include "settings.h"

/* Loads a tool, or says on stderr why not. program: the first of its arguments. Is one listening now? */
bool mx_tool_load(char *program, const mx_tool_settings *settings);

/* Ends it. */
void mx_tool_unload(void);
