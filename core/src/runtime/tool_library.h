/* The library of a profiling tool (tools.c). */
#pragma once
#include "settings.h"

/* Loads a tool. Returns whether one is loaded now; if not, a message goes to stderr unless there
 * are no settings for a tool. program: the first argument for the tool. */
bool mx_tool_load(char *program, const mx_tool_settings *settings);

/* Ends the tool. */
void mx_tool_unload(void);
