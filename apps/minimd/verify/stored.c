#include "md_stored.h"

#include <stdlib.h>

/* ---- the potential ---- */

typedef struct stored_files {
    md_potential_text file[MD_MAX_ELEMENTS];
    char *text[MD_MAX_ELEMENTS];
    md_stored_path path[MD_MAX_ELEMENTS];
    int count;
} stored_files;

int md_stored_potentials(const md_input *input)
{
    return input->potential ? md_potential_count(input->potential) : 1;
}

md_stored_path md_stored_potential_path(int file)
{
    md_stored_path path;
    snprintf(path.text, sizeof path.text, "/files/%s", md_potential_copy_of(file).name);
    return path;
}

static bool read_files(vf_base *base, int count, stored_files *s)
{
    for (; s->count < count; s->count++) {
        md_potential_text *const file = &s->file[s->count];
        s->path[s->count] = md_stored_potential_path(s->count);
        const char *const path = s->path[s->count].text;
        if (app_reader_text(base->reader, path, &file->length, &s->text[s->count]) != MX_OK)
            return vf_impossible(base->verdict, path, mx_err_message());
        file->name = path;
        file->text = s->text[s->count];
    }
    return true;
}

bool md_stored_potential(vf_base *base, const md_input *input, int types, md_potential *potential,
                         int *element)
{
    stored_files s = {.count = 0};
    mx_err err = MX_OK;
    const bool read = read_files(base, md_stored_potentials(input), &s);
    if (read) err = md_potential_parse_all(s.file, s.count, potential);
    if (read && err == MX_OK)
        err = md_choose_elements(potential, input->elements, types, NULL, element);
    for (int i = 0; i < s.count; i++) free(s.text[i]);
    if (read && err != MX_OK)
        return vf_impossible(base->verdict, "/files/potential", mx_err_message());
    return read;
}

/* ---- ids ---- */

/* Those of frames. */
static bool check_frame_ids(vf_base *base, const md_input *input, int64_t atoms, const int64_t *ids)
{
    static const char path[] = "/particles/all/id";
    int64_t count = 0, *others = NULL, wrong = 0;
    if (input->frames == 0 || !input->data_file) return true;
    if (app_reader_i64(base->reader, path, &count, &others) != MX_OK)
        return vf_impossible(base->verdict, path, mx_err_message());
    for (int64_t i = 0; i < count && i < atoms; i++) wrong += others[i] != ids[i];
    free(others);
    return vf_count(base->verdict, path, count, atoms) &&
           vf_count(base->verdict, "ids of frames that are others", wrong, 0);
}

bool md_stored_ids(vf_base *base, const md_input *input, int64_t atoms)
{
    static const char path[] = "/fields/id";
    int64_t count = 0, *ids = NULL, wrong = 0;
    if (app_reader_i64(base->reader, path, &count, &ids) != MX_OK)
        return vf_impossible(base->verdict, path, mx_err_message());
    for (int64_t i = 0; i < count; i++)
        wrong += input->data_file ? ids[i] <= (i > 0 ? ids[i - 1] : 0) : ids[i] != i + 1;
    const bool right = vf_count(base->verdict, path, count, atoms) &&
                       vf_count(base->verdict, "ids that are not in order", wrong, 0) &&
                       check_frame_ids(base, input, atoms, ids);
    free(ids);
    return right;
}
