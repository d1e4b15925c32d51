#define _POSIX_C_SOURCE 200809L /* access */
#include "md_app.h"

#include <string.h>
#include <unistd.h>

const char *md_find_file(const md_app *app, const char *name, md_path *path)
{
    const char *const deck = app->base.options.deck;
    const char *const slash = deck ? strrchr(deck, '/') : NULL;
    const int folder = slash ? (int)(slash - deck) + 1 : 0;
    if (name[0] == '/' || folder == 0 || access(name, F_OK) == 0) return name;
    const int length = snprintf(path->text, sizeof path->text, "%.*s%s", folder, deck, name);
    const bool fits = length >= 0 && (size_t)length < sizeof path->text;
    return fits && access(path->text, F_OK) == 0 ? path->text : name;
}
