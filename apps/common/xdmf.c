#include "xdmf.h"

#include "strbuf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool same_mesh(const app_xdmf_field *a, const app_xdmf_field *b)
{
    bool same = a->dims == b->dims;
    for (int d = 0; same && d < a->dims; ++d) {
        same = a->cells[d] == b->cells[d] && a->origin[d] == b->origin[d] &&
               a->spacing[d] == b->spacing[d];
    }
    return same;
}

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

static mx_err add_extents(app_strbuf *xml, const app_xdmf_field *field, mx_gid more)
{
    for (int d = 0; d < field->dims; ++d) {
        MX_TRY(app_strbuf_add(xml, "%s%" MX_PRI_GID, d > 0 ? " " : "", field->cells[d] + more));
    }
    return MX_OK;
}

static mx_err add_reals(app_strbuf *xml, int dims, const double *values)
{
    MX_TRY(app_strbuf_add(
        xml, "        <DataItem Dimensions=\"%d\" NumberType=\"Float\" Precision=\"8\">", dims));
    for (int d = 0; d < dims; ++d)
        MX_TRY(app_strbuf_add(xml, "%s%.17g", d > 0 ? " " : "", values[d]));
    return app_strbuf_add(xml, "</DataItem>\n");
}

/* XDMF counts nodes, one more than cells, slowest dimension first as we do. */
static mx_err add_mesh(app_strbuf *xml, const app_xdmf_field *field)
{
    MX_TRY(app_strbuf_add(xml, "      <Topology TopologyType=\"%dDCoRectMesh\" Dimensions=\"",
                          field->dims));
    MX_TRY(add_extents(xml, field, 1));
    MX_TRY(app_strbuf_add(xml, "\"/>\n      <Geometry GeometryType=\"%s\">\n",
                          field->dims == 2 ? "ORIGIN_DXDY" : "ORIGIN_DXDYDZ"));
    MX_TRY(add_reals(xml, field->dims, field->origin));
    MX_TRY(add_reals(xml, field->dims, field->spacing));
    return app_strbuf_add(xml, "      </Geometry>\n");
}

static mx_err add_field(app_strbuf *xml, const char *data_name, const app_xdmf_field *field)
{
    MX_TRY(app_strbuf_add(xml, "      <Attribute Name=\""));
    MX_TRY(add_escaped(xml, field->name));
    MX_TRY(app_strbuf_add(
        xml, "\" AttributeType=\"Scalar\" Center=\"Cell\">\n        <DataItem Dimensions=\""));
    MX_TRY(add_extents(xml, field, 0));
    MX_TRY(app_strbuf_add(xml, "\" NumberType=\"Float\" Precision=\"8\" Format=\"HDF\">"));
    MX_TRY(add_escaped(xml, data_name));
    MX_TRY(app_strbuf_add(xml, ":/fields/"));
    MX_TRY(add_escaped(xml, field->name));
    return app_strbuf_add(xml, "</DataItem>\n      </Attribute>\n");
}

/* One grid per mesh, with all fields that live on it. */
static mx_err add_grid(app_strbuf *xml, const char *data_name, const app_xdmf_field *fields,
                       int first, int count)
{
    MX_TRY(app_strbuf_add(xml, "    <Grid Name=\"mesh%d\" GridType=\"Uniform\">\n", first));
    MX_TRY(add_mesh(xml, &fields[first]));
    for (int i = first; i < count; ++i) {
        if (same_mesh(&fields[first], &fields[i])) MX_TRY(add_field(xml, data_name, &fields[i]));
    }
    return app_strbuf_add(xml, "    </Grid>\n");
}

static mx_err compose(app_strbuf *xml, const char *data_name, const app_xdmf_field *fields,
                      int count)
{
    MX_TRY(app_strbuf_add(xml, "<?xml version=\"1.0\" ?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n"));
    for (int i = 0; i < count; ++i) {
        bool done = false;
        for (int before = 0; before < i; ++before)
            done = done || same_mesh(&fields[before], &fields[i]);
        if (!done) MX_TRY(add_grid(xml, data_name, fields, i, count));
    }
    return app_strbuf_add(xml, "  </Domain>\n</Xdmf>\n");
}

static mx_err save(const char *path, const app_strbuf *xml)
{
    FILE *const file = fopen(path, "w");
    MX_REQUIRE(file, MX_ERR_IO, "%s: cannot be created: %s", path, strerror(errno));
    const bool written = fwrite(xml->text, 1, xml->length, file) == xml->length;
    const int write_reason = errno;
    const bool closed = fclose(file) == 0;
    if (written && closed) return MX_OK;
    const int reason = written ? errno : write_reason;
    remove(path);
    return MX_FAIL(MX_ERR_IO, "%s: cannot be written: %s", path, strerror(reason));
}

mx_err app_xdmf_write(const char *path, const char *data_name, const app_xdmf_field *fields,
                      int count)
{
    app_strbuf xml = {0};
    mx_err err = compose(&xml, data_name, fields, count);
    if (err == MX_OK) err = save(path, &xml);
    app_strbuf_free(&xml);
    return err;
}
