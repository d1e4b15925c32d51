/* A grid for each mesh, with all fields on it; frames make a collection over time, one grid for
 * each frame. */
#include "xdmf.h"

#include "input/strbuf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What all functions write to. */
typedef struct writer {
    app_strbuf *text;
    const char *data_name;
    const app_xdmf *xdmf;
} writer;

/* ---- the list ---- */

static mx_err copy_text(const char *text, char **copy)
{
    *copy = strdup(text);
    MX_REQUIRE(*copy, MX_ERR_MEMORY, "no memory for the name %s", text);
    return MX_OK;
}

static mx_err copy_times(app_xdmf_field *field, mx_gid frames, const double *times)
{
    field->times = malloc((size_t)frames * sizeof *times + 1);
    MX_REQUIRE(field->times, MX_ERR_MEMORY, "no memory for the times of %s", field->path);
    memcpy(field->times, times, (size_t)frames * sizeof *times);
    field->frames = frames;
    return MX_OK;
}

static mx_err new_field(app_xdmf *xdmf, app_xdmf_field **field)
{
    const size_t count = (size_t)xdmf->field_count + 1;
    app_xdmf_field *const fields = realloc(xdmf->fields, count * sizeof *fields);
    MX_REQUIRE(fields, MX_ERR_MEMORY, "no memory to note a field");
    xdmf->fields = fields;
    *field = &fields[xdmf->field_count++];
    **field = (app_xdmf_field){0};
    return MX_OK;
}

mx_err app_xdmf_add_field(app_xdmf *xdmf, const app_array *array, mx_gid frames,
                          const double *times)
{
    app_xdmf_field *field;
    const app_place *const place = array->place;
    const bool uniform = !place->mesh && !place->is_position;
    const int rank = array->slab.rank, dims = rank - (place->is_vector ? 1 : 0);
    if (uniform && (dims < 2 || dims > 3)) return MX_OK;
    MX_TRY(new_field(xdmf, &field));
    MX_TRY(copy_text(array->path, &field->path));
    if (place->mesh) MX_TRY(copy_text(place->mesh, &field->mesh));
    if (frames > 0) MX_TRY(copy_times(field, frames, times));
    field->type = array->type;
    field->slab = array->slab;
    field->on_nodes = place->on_nodes;
    field->is_vector = place->is_vector || place->is_position;
    field->is_position = place->is_position;
    for (int d = 0; d < APP_MAX_DIMS && d < dims; ++d) {
        field->origin[d] = place->origin ? place->origin[d] : 0.0;
        field->spacing[d] = place->spacing ? place->spacing[d] : 1.0;
    }
    return MX_OK;
}

mx_err app_xdmf_add_mesh(app_xdmf *xdmf, const app_mesh *mesh)
{
    const size_t count = (size_t)xdmf->mesh_count + 1;
    app_xdmf_mesh *const meshes = realloc(xdmf->meshes, count * sizeof *meshes);
    MX_REQUIRE(meshes, MX_ERR_MEMORY, "no memory to note a mesh");
    xdmf->meshes = meshes;
    meshes[xdmf->mesh_count++] = (app_xdmf_mesh){.nodes = mesh->nodes, .cells = mesh->cells};
    return copy_text(mesh->name, &meshes[count - 1].name);
}

void app_xdmf_free(app_xdmf *xdmf)
{
    for (int i = 0; i < xdmf->field_count; ++i) {
        free(xdmf->fields[i].path);
        free(xdmf->fields[i].mesh);
        free(xdmf->fields[i].times);
    }
    for (int i = 0; i < xdmf->mesh_count; ++i) free(xdmf->meshes[i].name);
    free(xdmf->fields);
    free(xdmf->meshes);
    *xdmf = (app_xdmf){0};
}

/* ---- data ---- */

static const char *name_of(const app_xdmf_field *field) { return strrchr(field->path, '/') + 1; }

static mx_err add_escaped(app_strbuf *xml, const char *text)
{
    for (; *text; ++text) {
        switch (*text) {
        case '&': MX_TRY(app_strbuf_add(xml, "&amp;")); break;
        case '<': MX_TRY(app_strbuf_add(xml, "&lt;")); break;
        case '>': MX_TRY(app_strbuf_add(xml, "&gt;")); break;
        case '"': MX_TRY(app_strbuf_add(xml, "&quot;")); break;
        default: MX_TRY(app_strbuf_add(xml, "%c", *text)); break;
        }
    }
    return MX_OK;
}

static mx_err add_numbers(app_strbuf *text, int count, const mx_gid *numbers, mx_gid more)
{
    for (int i = 0; i < count; ++i)
        MX_TRY(app_strbuf_add(text, "%s%" MX_PRI_GID, i > 0 ? " " : "", numbers[i] + more));
    return MX_OK;
}

static mx_err add_type(app_strbuf *text, mx_type type)
{
    const bool whole = type == MX_I32 || type == MX_I64;
    return app_strbuf_add(text, "NumberType=\"%s\" Precision=\"%d\"", whole ? "Int" : "Float",
                          (int)MX_TYPE_SIZE(type));
}

/* A dataset of the HDF5 file; `part` is behind its path, or empty. */
static mx_err add_dataset(const writer *x, const app_array *set, const char *part)
{
    MX_TRY(app_strbuf_add(x->text, "<DataItem Dimensions=\""));
    MX_TRY(add_numbers(x->text, set->slab.rank, set->slab.global, 0));
    MX_TRY(app_strbuf_add(x->text, "\" "));
    MX_TRY(add_type(x->text, set->type));
    MX_TRY(app_strbuf_add(x->text, " Format=\"HDF\">"));
    MX_TRY(add_escaped(x->text, x->data_name));
    MX_TRY(app_strbuf_add(x->text, ":"));
    MX_TRY(add_escaped(x->text, set->path));
    return app_strbuf_add(x->text, "%s</DataItem>\n", part);
}

/* The values of a field: the dataset, or one frame of it. */
static mx_err add_values(const writer *x, const app_xdmf_field *field, mx_gid frame)
{
    const app_slab *const slab = &field->slab;
    app_array set = {.path = field->path, .type = field->type, .slab = *slab};
    if (field->frames == 0) return add_dataset(x, &set, "");
    set.slab = app_slab_frame(slab, frame, field->frames);
    MX_TRY(app_strbuf_add(x->text, "<DataItem ItemType=\"HyperSlab\" Dimensions=\""));
    MX_TRY(add_numbers(x->text, slab->rank, slab->global, 0));
    MX_TRY(app_strbuf_add(x->text, "\"><DataItem Dimensions=\"3 %d\" Format=\"XML\">%" MX_PRI_GID,
                          slab->rank + 1, frame));
    for (int d = 0; d < slab->rank; ++d) MX_TRY(app_strbuf_add(x->text, " 0"));
    for (int d = 0; d <= slab->rank; ++d) MX_TRY(app_strbuf_add(x->text, " 1"));
    MX_TRY(app_strbuf_add(x->text, " 1 "));
    MX_TRY(add_numbers(x->text, slab->rank, slab->global, 0));
    MX_TRY(app_strbuf_add(x->text, "</DataItem>"));
    MX_TRY(add_dataset(x, &set, "/value"));
    return app_strbuf_add(x->text, "</DataItem>\n");
}

static mx_err add_reals(const writer *x, int dims, const double *values)
{
    MX_TRY(app_strbuf_add(
        x->text, "<DataItem Dimensions=\"%d\" NumberType=\"Float\" Precision=\"8\">", dims));
    for (int d = 0; d < dims; ++d)
        MX_TRY(app_strbuf_add(x->text, "%s%.17g", d > 0 ? " " : "", values[d]));
    return app_strbuf_add(x->text, "</DataItem>\n");
}

/* ---- meshes ---- */

static int dims_of(const app_xdmf_field *field)
{
    return field->slab.rank - (field->is_vector ? 1 : 0);
}

/* XDMF counts nodes, one more than cells, slowest dimension first as we do. */
static mx_err add_uniform(const writer *x, const app_xdmf_field *field)
{
    const int dims = dims_of(field);
    MX_TRY(app_strbuf_add(x->text, "<Topology TopologyType=\"%dDCoRectMesh\" Dimensions=\"", dims));
    MX_TRY(add_numbers(x->text, dims, field->slab.global, field->on_nodes ? 0 : 1));
    MX_TRY(app_strbuf_add(x->text, "\"/>\n<Geometry GeometryType=\"%s\">\n",
                          dims == 2 ? "ORIGIN_DXDY" : "ORIGIN_DXDYDZ"));
    MX_TRY(add_reals(x, dims, field->origin));
    MX_TRY(add_reals(x, dims, field->spacing));
    return app_strbuf_add(x->text, "</Geometry>\n");
}

/* Points at positions [count][dims]. */
static mx_err add_points(const writer *x, const app_slab *positions)
{
    return app_strbuf_add(x->text,
                          "<Topology TopologyType=\"Polyvertex\" NumberOfElements=\"%" MX_PRI_GID
                          "\" NodesPerElement=\"1\"/>\n<Geometry GeometryType=\"%s\">\n",
                          positions->global[0], positions->global[1] == 2 ? "XY" : "XYZ");
}

static mx_err add_unstructured(const writer *x, const app_xdmf_mesh *mesh)
{
    const bool solid = mesh->cells.rank > 0 && mesh->cells.global[0] > 0;
    app_strbuf path = {0};
    mx_err err = app_strbuf_add(&path, "/meshes/%s", mesh->name);
    const app_array nodes = {.path = path.text, .type = MX_F64, .slab = mesh->nodes};
    const app_array cells = {.path = path.text, .type = MX_I64, .slab = mesh->cells};
    if (err == MX_OK && solid) {
        err = app_strbuf_add(x->text,
                             "<Topology TopologyType=\"Hexahedron\" NumberOfElements=\"%" MX_PRI_GID
                             "\">\n",
                             mesh->cells.global[0]);
        if (err == MX_OK) err = add_dataset(x, &cells, "/cells");
        if (err == MX_OK) err = app_strbuf_add(x->text, "</Topology>\n");
        if (err == MX_OK) err = app_strbuf_add(x->text, "<Geometry GeometryType=\"XYZ\">\n");
    } else if (err == MX_OK) {
        err = add_points(x, &mesh->nodes);
    }
    if (err == MX_OK) err = add_dataset(x, &nodes, "/coordinates");
    if (err == MX_OK) err = app_strbuf_add(x->text, "</Geometry>\n");
    app_strbuf_free(&path);
    return err;
}

static mx_err add_curvilinear(const writer *x, const app_xdmf_mesh *mesh)
{
    const int dims = mesh->nodes.rank - 1;
    app_strbuf path = {0};
    MX_TRY(app_strbuf_add(x->text, "<Topology TopologyType=\"%dDSMesh\" Dimensions=\"", dims));
    MX_TRY(add_numbers(x->text, dims, mesh->nodes.global, 0));
    MX_TRY(app_strbuf_add(x->text, "\"/>\n<Geometry GeometryType=\"%s\">\n",
                          dims == 2 ? "XY" : "XYZ"));
    MX_TRY(app_strbuf_add(&path, "/meshes/%s", mesh->name));
    const app_array nodes = {.path = path.text, .type = MX_F64, .slab = mesh->nodes};
    const mx_err err = add_dataset(x, &nodes, "/coordinates");
    app_strbuf_free(&path);
    return err == MX_OK ? app_strbuf_add(x->text, "</Geometry>\n") : MX_PASS(err);
}

static const app_xdmf_mesh *find_mesh(const app_xdmf *xdmf, const char *name)
{
    for (int m = 0; m < xdmf->mesh_count; ++m) {
        if (strcmp(xdmf->meshes[m].name, name) == 0) return &xdmf->meshes[m];
    }
    return NULL;
}

/* The field of positions that is the mesh of others. */
static const app_xdmf_field *find_positions(const app_xdmf *xdmf, const char *name)
{
    for (int f = 0; f < xdmf->field_count; ++f) {
        const app_xdmf_field *const field = &xdmf->fields[f];
        if (field->is_position && field->frames == 0 && strcmp(name_of(field), name) == 0)
            return field;
    }
    return NULL;
}

static mx_err add_mesh(const writer *x, const app_xdmf_field *field, mx_gid frame)
{
    const app_xdmf_mesh *const mesh = field->mesh ? find_mesh(x->xdmf, field->mesh) : NULL;
    const app_xdmf_field *const points = field->is_position ? field
                                         : field->mesh      ? find_positions(x->xdmf, field->mesh)
                                                            : NULL;
    if (mesh) return mesh->nodes.rank > 2 ? add_curvilinear(x, mesh) : add_unstructured(x, mesh);
    if (!points) return add_uniform(x, field);
    MX_TRY(add_points(x, &points->slab));
    MX_TRY(add_values(x, points, frame));
    return app_strbuf_add(x->text, "</Geometry>\n");
}

/* ---- grids ---- */

static bool same_mesh(const app_xdmf_field *a, const app_xdmf_field *b)
{
    if (a->frames > 0 || b->frames > 0 || (a->mesh != NULL) != (b->mesh != NULL)) return a == b;
    if (a->mesh) return strcmp(a->mesh, b->mesh) == 0;
    bool same = dims_of(a) == dims_of(b);
    for (int d = 0; same && d < dims_of(a); ++d) {
        const mx_gid cells_a = a->slab.global[d] - a->on_nodes;
        const mx_gid cells_b = b->slab.global[d] - b->on_nodes;
        same = cells_a == cells_b && a->origin[d] == b->origin[d] && a->spacing[d] == b->spacing[d];
    }
    return same;
}

static mx_err add_attribute(const writer *x, const app_xdmf_field *field, mx_gid frame)
{
    MX_TRY(app_strbuf_add(x->text, "<Attribute Name=\""));
    MX_TRY(add_escaped(x->text, name_of(field)));
    MX_TRY(app_strbuf_add(x->text, "\" AttributeType=\"%s\" Center=\"%s\">\n",
                          field->is_vector ? "Vector" : "Scalar",
                          field->on_nodes ? "Node" : "Cell"));
    MX_TRY(add_values(x, field, frame));
    return app_strbuf_add(x->text, "</Attribute>\n");
}

/* A mesh, with all its fields. */
static mx_err add_grid(const writer *x, int first)
{
    const app_xdmf *const xdmf = x->xdmf;
    MX_TRY(app_strbuf_add(x->text, "<Grid Name=\"mesh%d\" GridType=\"Uniform\">\n", first));
    MX_TRY(add_mesh(x, &xdmf->fields[first], 0));
    for (int i = first; i < xdmf->field_count; ++i) {
        if (same_mesh(&xdmf->fields[first], &xdmf->fields[i]))
            MX_TRY(add_attribute(x, &xdmf->fields[i], 0));
    }
    return app_strbuf_add(x->text, "</Grid>\n");
}

static mx_err add_frames(const writer *x, const app_xdmf_field *field)
{
    MX_TRY(app_strbuf_add(x->text, "<Grid Name=\""));
    MX_TRY(add_escaped(x->text, name_of(field)));
    MX_TRY(app_strbuf_add(x->text, "\" GridType=\"Collection\" CollectionType=\"Temporal\">\n"));
    for (mx_gid f = 0; f < field->frames; ++f) {
        MX_TRY(app_strbuf_add(x->text,
                              "<Grid Name=\"frame%" MX_PRI_GID
                              "\" GridType=\"Uniform\">\n<Time Value=\"%.17g\"/>\n",
                              f, field->times[f]));
        MX_TRY(add_mesh(x, field, f));
        if (!field->is_position) MX_TRY(add_attribute(x, field, f));
        MX_TRY(app_strbuf_add(x->text, "</Grid>\n"));
    }
    return app_strbuf_add(x->text, "</Grid>\n");
}

static mx_err compose(const writer *x)
{
    const app_xdmf *const xdmf = x->xdmf;
    MX_TRY(app_strbuf_add(x->text, "<?xml version=\"1.0\" ?>\n<Xdmf Version=\"3.0\">\n<Domain>\n"));
    for (int i = 0; i < xdmf->field_count; ++i) {
        bool done = false;
        for (int before = 0; before < i; ++before)
            done = done || same_mesh(&xdmf->fields[before], &xdmf->fields[i]);
        if (xdmf->fields[i].frames > 0)
            MX_TRY(add_frames(x, &xdmf->fields[i]));
        else if (!done)
            MX_TRY(add_grid(x, i));
    }
    return app_strbuf_add(x->text, "</Domain>\n</Xdmf>\n");
}

static mx_err save(const char *path, const app_strbuf *text)
{
    FILE *const file = fopen(path, "w");
    MX_REQUIRE(file, MX_ERR_IO, "%s: cannot be created: %s", path, strerror(errno));
    const bool written = fwrite(text->text, 1, text->length, file) == text->length;
    const int write_reason = errno;
    const bool closed = fclose(file) == 0;
    if (written && closed) return MX_OK;
    const int reason = written ? errno : write_reason;
    remove(path);
    return MX_FAIL(MX_ERR_IO, "%s: cannot be written: %s", path, strerror(reason));
}

mx_err app_xdmf_write(const char *path, const char *data_name, const app_xdmf *xdmf)
{
    app_strbuf text = {0};
    const writer x = {.text = &text, .data_name = data_name, .xdmf = xdmf};
    mx_err err = compose(&x);
    if (err == MX_OK) err = save(path, &text);
    app_strbuf_free(&text);
    return err;
}
