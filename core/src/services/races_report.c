/* The race check: what an error says. */
#include "races.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_SAID = 4 };

/* In an accessor the origin is behind the stamp and the pointer to the fault record. */
enum { ORIGIN_OFFSET = MX_STAMP_OFFSET + sizeof(uint64_t) + sizeof(mx_fault_ *) };

const mx_record *mx_races_record(const struct mx_races *w, const mx_args_accessor *a)
{
    mx_stamp stamp;
    const char *const word = (const char *)w->args + a->offset + MX_STAMP_OFFSET;
    const mx_record *const r = mx_stamp_read(word, &stamp) ? mx_record_bound_to(&stamp) : NULL;
    return r != NULL && r->reserved_for == 0 && r->count > 0 ? r : NULL;
}

/* Tries all elements: this works for every layout. */
static bool find_index(const mx_record *r, int64_t offset, int64_t *index)
{
    for (int64_t e = 0; e < r->count; e++) {
        int64_t rest = e, at = 0;
        for (int d = r->rank - 1; d >= 0; rest /= r->extent[d--]) index[d] = rest % r->extent[d];
        for (int d = 0; d < r->rank; d++)
            at += mx_term_((int)r->layout, r->rank, d, index[d], r->stride[d]);
        if (at == offset) return true;
    }
    return false;
}

/* " (file.c:12)" of an instruction, or nothing. Asks addr2line, which compilers come with. Where
 * functions of headers are inlined it prints several lines, the innermost first. */
static void say_line(uintptr_t pc, char *text, size_t size)
{
    Dl_info file;
    struct link_map *map = NULL;
    char path[320], command[512], line[320], found[320] = "";
    text[0] = '\0';
    if (dladdr1((const void *)pc, &file, (void **)&map, RTLD_DL_LINKMAP) == 0 || map == NULL)
        return;
    if (map->l_name[0] != '\0')
        snprintf(path, sizeof path, "%s", map->l_name);
    else /* the program itself */
        snprintf(path, sizeof path, "/proc/%d/exe", (int)getpid());
    if (strchr(path, '\'') != NULL) return;
    snprintf(command, sizeof command, "addr2line -i -e '%s' 0x%zx 2>/dev/null", path,
             (size_t)(pc - 1 - map->l_addr));
    FILE *const out = popen(command, "r");
    if (out == NULL) return;
    while (fgets(line, sizeof line, out) != NULL) {
        line[strcspn(line, " \n")] = '\0';
        if (line[0] != '?' && (found[0] == '\0' || strstr(found, ".h:") != NULL))
            memcpy(found, line, sizeof found);
    }
    pclose(out);
    if (found[0] != '\0') snprintf(text, size, " (%s)", found);
}

/* "item (2, 3)", "thread 1 of team 5". */
static void say_actor(const struct mx_races *w, uint32_t number, char *text, size_t size)
{
    const int dims = w->launch->dims;
    int64_t index[MX_MAX_DIMS], item = (int64_t)number - 1;
    size_t used;
    if (w->actor != NULL) {
        const actor *const a = &w->actor[number];
        used = (size_t)snprintf(text, size, "thread %d", a->member / w->lanes);
        if (w->lanes > 1)
            used += (size_t)snprintf(text + used, size - used, " lane %d", a->member % w->lanes);
        snprintf(text + used, size - used, " of team %d", a->league);
        return;
    }
    for (int d = dims - 1; d >= 0; item /= w->extent[d--])
        index[d] = w->begin[d] + item % w->extent[d];
    used = (size_t)snprintf(text, size, w->launch->team.size > 0 ? "team " : "item ");
    mx_say_indices(dims, index, text + used, size - used);
}

/* The view, and the index of the element as the kernel writes it. */
static void say_element(const struct mx_races *w, const region *g, char *text, size_t size)
{
    const mx_args_table *const table = w->launch->kernel->table();
    char at[160];
    if (g->scratch) {
        snprintf(text, size, "byte %zu of the scratch of a team", (size_t)(g->at - g->begin));
        return;
    }
    for (size_t a = 0; a < table->count; a++) {
        int64_t index[MX_MAX_RANK], origin[MX_MAX_RANK] = {0};
        const mx_record *const r = mx_races_record(w, &table->accessor[a]);
        const uintptr_t begin = r != NULL ? (uintptr_t)r->data : 0;
        if (r == NULL || g->at < begin ||
            !find_index(r, (int64_t)((g->at - begin) / MX_TYPE_SIZE(r->type)), index))
            continue;
        memcpy(origin, (const char *)w->args + table->accessor[a].offset + ORIGIN_OFFSET,
               (size_t)r->rank * sizeof *origin);
        for (int d = 0; d < r->rank; d++) index[d] += origin[d];
        mx_say_indices(r->rank, index, at, sizeof at);
        snprintf(text, size, "%s%s%sview '%s'", r->rank > 0 ? "element " : "", at,
                 r->rank > 0 ? " of " : "", r->label);
        return;
    }
    snprintf(text, size, "memory between elements of a view");
}

static void say_race(const struct mx_races *w, const region *g, char *text, size_t size)
{
    static const char *const does[] = {"reads", "writes", "atomically reads", "atomically changes"};
    char element[256], first[160], second[160], line[336];
    say_element(w, g, element, sizeof element);
    say_actor(w, g->first, first, sizeof first);
    say_actor(w, g->second, second, sizeof second);
    say_line(g->pc, line, sizeof line);
    snprintf(text, size, "%s: %s %s it, %s %s it%s", element, first, does[g->before], second,
             does[g->after], line);
}

void mx_races_describe(const struct mx_races *w, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int r = 0; r < w->races && r < MAX_SAID && used < size; r++)
        for (int g = 0; g < w->regions; g++) {
            if (w->region[g].second == 0 || w->region[g].number != r) continue;
            used += (size_t)snprintf(text + used, size - used, r > 0 ? "; on " : "");
            if (used < size) say_race(w, &w->region[g], text + used, size - used);
            used = strlen(text);
        }
}
