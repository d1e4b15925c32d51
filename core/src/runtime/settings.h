/* Settings of the run time. */
#pragma once
#include "minx/error.h"

/* Reads the environment and, unless argc is NULL, the options of minx, which leave argv. On failure
 * nothing changes. */
mx_err mx_settings_read(int *argc, char ***argv);

/* Forgets all settings. */
void mx_settings_clear(void);

/* Prints all options if --mx-help was given. */
void mx_settings_help(void);

/* Was --mx-print-configuration given? */
bool mx_settings_wants_configuration(void);

typedef struct mx_tool_settings {
    const char *libs; /* NULL: no tool */
    const char *args; /* NULL: none */
    bool help;        /* the tool is to print its help */
} mx_tool_settings;
mx_tool_settings mx_settings_tool(void);

/* Calls `call` for every setting that was given. */
void mx_settings_each(void (*call)(void *state, const char *key, const char *value), void *state);
