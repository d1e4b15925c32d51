/* Frames of a field and of particles, as H5MD: written on any number of ranks and read back by the
 * reader; side_file.py opens frames.h5 with MDAnalysis, and frames.xmf with VTK. */
#define _GNU_SOURCE /* setrlimit */
#include "results/frames.h"
#include "check.h"
#include "domain/id_sort.h"
#include "results/results_reader.h"

#include <glob.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { PARTICLES = 50, FRAMES = 7, ROWS = 6, COLUMNS = 4 };

/* Positions stay inside of the box of 10; exact in single precision. */
static float position(mx_gid id, int frame, int component)
{
    return (float)((id * 7 + frame * 3 + component) % 80) / 8.0f;
}

static double cell_value(mx_gid j, mx_gid k, int frame)
{
    return (double)(100 * frame + 10 * j + k);
}

/* The ids of a rank change from frame to frame, as particles move between ranks. */
static mx_lid deal(app_comm comm, int frame, mx_gid *ids)
{
    mx_lid n = 0;
    for (mx_gid i = 0; i < PARTICLES; ++i) {
        const mx_gid id = (i * 17 + frame) % PARTICLES;
        if ((id + frame) % app_size(comm) == app_rank(comm)) ids[n++] = id;
    }
    return n;
}

static void add_particles(app_comm comm, app_frames positions, int frame)
{
    mx_gid ids[PARTICLES];
    float values[PARTICLES][3], sorted[PARTICLES][3];
    app_id_sort id_sort = NULL;
    const mx_lid n = deal(comm, frame, ids);
    for (mx_lid i = 0; i < n; ++i) {
        for (int c = 0; c < 3; ++c) values[i][c] = position(ids[i], frame, c);
    }
    CHECK_OK(app_id_sort_create(comm, PARTICLES, ids, n, &id_sort));
    if (!id_sort) return;
    CHECK_OK(app_id_sort_values(id_sort, sizeof values[0], values, sorted));
    CHECK_OK(app_frames_add(positions, 10 * frame, 0.5 * frame, sorted));
    app_id_sort_destroy(&id_sort);
}

/* A mesh of 3 x 2 x 2 hexahedra, each 1 x 2 x 3 large, with x the fastest. Rank 0 has its nodes. */
enum { NX = 3, NY = 2, NZ = 2, NODES = (NX + 1) * (NY + 1) * (NZ + 1), CELLS = NX * NY * NZ };

static void make_mesh(double (*nodes)[3], int64_t (*cells)[8])
{
    const int64_t row = NX + 1, plane = row * (NY + 1);
    for (int64_t n = 0; n < NODES; ++n) {
        nodes[n][0] = (double)(n % row);
        nodes[n][1] = 2.0 * (double)(n / row % (NY + 1));
        nodes[n][2] = 3.0 * (double)(n / plane);
    }
    for (int64_t c = 0; c < CELLS; ++c) {
        const int64_t low = c / (NX * NY) * plane + c / NX % NY * row + c % NX;
        const int64_t corner[8] = {0, 1, row + 1, row};
        for (int n = 0; n < 4; ++n) {
            cells[c][n] = low + corner[n];
            cells[c][n + 4] = low + corner[n] + plane;
        }
    }
}

static void add_mesh(app_comm comm, app_results results)
{
    const bool first = app_rank(comm) == 0;
    double nodes[NODES][3], pressure[NODES];
    float velocity[NODES][3];
    int64_t cells[CELLS][8];
    int32_t material[CELLS];
    make_mesh(nodes, cells);
    const app_slab nodal = {.rank = 1, .global = {NODES}, .count = {first ? NODES : 0}};
    const app_slab cell = {.rank = 1, .global = {CELLS}, .count = {first ? CELLS : 0}};
    const app_slab points = app_slab_components(nodal, 3), corners = app_slab_components(cell, 8);
    const app_slab lines = {.rank = 3, .global = {4, 9, 3}, .count = {4, 9, 3}};
    const app_mesh brick = {.name = "brick",
                            .unit = "m",
                            .nodes = points,
                            .coordinates = nodes[0],
                            .cells = corners,
                            .connectivity = cells[0]};
    const app_mesh flat = {.name = "flat", .unit = "m", .nodes = corners, .coordinates = nodes[0]};
    const app_mesh grid = {.name = "grid", .unit = "m", .nodes = lines, .coordinates = nodes[0]};
    const app_place in_cells = {.mesh = "brick"}, at_nodes = {.mesh = "brick", .on_nodes = true};
    const app_place vectors = {.mesh = "brick", .on_nodes = true, .is_vector = true};
    for (int n = 0; n < NODES; ++n) {
        pressure[n] = nodes[n][0] + 10 * nodes[n][1] + 100 * nodes[n][2];
        for (int c = 0; c < 3; ++c) velocity[n][c] = (float)(n + c);
    }
    for (int c = 0; c < CELLS; ++c) material[c] = c + 1;
    CHECK_OK(app_results_mesh(results, &brick));
    const app_array arrays[3] = {
        {.path = "/fields/pressure",
         .unit = "Pa",
         .type = MX_F64,
         .slab = nodal,
         .place = &at_nodes},
        {.path = "/fields/velocity",
         .unit = "m/s",
         .type = MX_F32,
         .slab = points,
         .place = &vectors},
        {.path = "/fields/material", .unit = "1", .type = MX_I32, .slab = cell, .place = &in_cells},
    };
    const void *const values[3] = {pressure, velocity, material};
    for (int a = 0; a < 3; ++a) CHECK_OK(app_results_array(results, &arrays[a], values[a]));
    CHECK_FAILS(app_results_mesh(results, &flat), MX_ERR_ARG, "2 or 3 components");
    CHECK_FAILS(app_results_mesh(results, &grid), MX_ERR_ARG, "as many dimensions as coordinates");
}

/* A field of positions, and one on these points. */
static void add_points(app_comm comm, app_results results)
{
    const app_slab slab = app_slab_block(comm, PARTICLES);
    const app_place points = {.mesh = "place", .is_position = true, .on_nodes = true};
    const app_place on_points = {.mesh = "place", .on_nodes = true};
    double places[PARTICLES][3];
    int32_t charges[PARTICLES];
    for (mx_gid n = 0; n < slab.count[0]; ++n) {
        charges[n] = (int32_t)(slab.first[0] + n);
        for (int c = 0; c < 3; ++c) places[n][c] = (double)position(slab.first[0] + n, 0, c);
    }
    const app_array place = {.path = "/fields/place",
                             .unit = "nm",
                             .type = MX_F64,
                             .slab = app_slab_components(slab, 3),
                             .place = &points};
    const app_array charge = {
        .path = "/fields/charge", .unit = "1", .type = MX_I32, .slab = slab, .place = &on_points};
    CHECK_OK(app_results_array(results, &place, places[0]));
    CHECK_OK(app_results_array(results, &charge, charges));
}

/* In the side file both are one grid, whose points are the positions. */
static void check_points(void)
{
    static char text[1 << 16];
    FILE *const file = fopen("frames.xmf", "r");
    CHECK(file != NULL);
    if (file == NULL) return;
    const size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    const char *const grid = strstr(text, "<Geometry GeometryType=\"XYZ\">\n<DataItem Dimensions="
                                          "\"50 3\" NumberType=\"Float\" Precision=\"8\" "
                                          "Format=\"HDF\">frames.h5:/fields/place");
    CHECK(grid != NULL);
    if (grid == NULL) return;
    const char *const end = strstr(grid, "</Grid>");
    const char *const charge = strstr(grid, "<Attribute Name=\"charge\" AttributeType=\"Scalar\" "
                                            "Center=\"Node\">");
    CHECK(charge != NULL && charge < end);
    CHECK(end != NULL && strstr(end, "/fields/charge") == NULL);
}

static void add_field(app_frames field, const app_decomp *d, int frame)
{
    double values[ROWS * COLUMNS];
    mx_lid n = 0;
    for (mx_lid j = 0; j < d->cells[0]; ++j) {
        for (mx_lid k = 0; k < d->cells[1]; ++k)
            values[n++] = cell_value(d->first[0] + j, d->first[1] + k, frame);
    }
    CHECK_OK(app_frames_add(field, 10 * frame, 0.5 * frame, values));
}

static app_frames create(app_results results, app_array array)
{
    app_frames frames = NULL;
    CHECK_OK(app_frames_create(results, &array, "ps", &frames));
    return frames;
}

static void write_file(app_comm comm, int argc, char **argv)
{
    app_results results = NULL;
    app_decomp d;
    const app_h5md info = {.group = "all", .dims = 3, .periodic = {true, true, true}};
    const double edges[3] = {10, 10, 10}, origin[2] = {-1, 2}, spacing[2] = {0.5, 0.25};
    const app_place moving = {.is_position = true};
    const app_place uniform = {.origin = origin, .spacing = spacing};
    const bool first = app_rank(comm) == 0;
    const app_origin program = {.app = "test", .argc = argc, .argv = argv};
    CHECK_OK(app_results_create(comm, "frames.h5", &program, &results));
    CHECK_OK(app_h5md_begin(results, &info));
    add_mesh(comm, results);
    CHECK_OK(app_decomp_create(comm, 2, (mx_gid[]){ROWS, COLUMNS}, &d));
    const app_array box = {.path = "/particles/all/box/edges",
                           .unit = "Angstrom",
                           .type = MX_F64,
                           .slab = {.rank = 1, .global = {3}, .count = {first ? 3 : 0}}};
    const app_array points = {.path = "/particles/all/position",
                              .unit = "Angstrom",
                              .type = MX_F32,
                              .slab = app_slab_components(app_slab_block(comm, PARTICLES), 3),
                              .place = &moving};
    const app_array density = {.path = "/frames/density",
                               .unit = "1",
                               .type = MX_F64,
                               .slab = app_slab_cells(&d),
                               .place = &uniform};
    app_frames edge = create(results, box), positions = create(results, points);
    app_frames field = create(results, density), none = NULL;
    CHECK_FAILS(app_frames_create(results, &density, "ps", &none), MX_ERR_IO, "cannot create");
    for (int frame = 0; frame < FRAMES; ++frame) {
        CHECK_OK(app_frames_add(edge, 10 * frame, 0.5 * frame, edges));
        add_particles(comm, positions, frame);
        add_field(field, &d, frame);
    }
    CHECK_FAILS(app_frames_add(field, 0, 0, NULL), MX_ERR_ARG, "no values were passed");
    add_points(comm, results);
    CHECK_OK(app_results_file(results, "potential", "line 1\nline 2\n", 14));
    CHECK_OK(app_results_finish(&results, "passed", 0));
}

static int64_t temporary_size(app_comm comm, const char *pattern)
{
    int64_t size = 0;
    glob_t found;
    struct stat info;
    if (app_rank(comm) == 0 && glob(pattern, 0, NULL, &found) == 0) {
        CHECK_I64((int64_t)found.gl_pathc, 1);
        if (stat(found.gl_pathv[0], &info) == 0) size = info.st_size;
        globfree(&found);
    }
    CHECK_OK(app_max_i64(comm, &size, 1));
    CHECK(size > 0);
    return size;
}

/* The file cannot grow after its first frame, as on a full disk: a later frame is refused on all
 * ranks, before HDF5 writes it. (HDF5 may cut off the reserved room when it writes a frame to the
 * disk.) */
static void check_full_disk(app_comm comm)
{
    enum { LINES = 400, PLACES = 300, MAX_FRAMES = 100 };
    static const double values[LINES * PLACES];
    app_results results = NULL;
    app_decomp d;
    struct rlimit old, small;
    mx_err err = MX_OK;
    CHECK_OK(app_decomp_create(comm, 2, (mx_gid[]){LINES, PLACES}, &d));
    CHECK_OK(app_results_create(comm, "full.h5", &(app_origin){.app = "test"}, &results));
    app_frames frames = create(results, (app_array){.path = "/frames/density",
                                                    .unit = "1",
                                                    .type = MX_F64,
                                                    .slab = app_slab_cells(&d)});
    CHECK_OK(app_frames_add(frames, 0, 0, values));
    CHECK_OK(app_frames_flush(results));
    CHECK(getrlimit(RLIMIT_FSIZE, &old) == 0);
    small = old;
    small.rlim_cur = (rlim_t)temporary_size(comm, "full.h5.tmp-*");
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    for (int frame = 1; frame < MAX_FRAMES && err == MX_OK; ++frame) {
        err = app_frames_add(frames, frame, frame, values);
        if (err == MX_OK) err = app_frames_flush(results);
    }
    CHECK(setrlimit(RLIMIT_FSIZE, &old) == 0);
    CHECK_FAILS(err, MX_ERR_IO, "no room");
    app_results_discard(&results);
}

static void check_values(app_reader reader)
{
    double *values = NULL;
    int64_t *steps = NULL, count = 0;
    CHECK_OK(app_reader_i64(reader, "/particles/all/position/step", &count, &steps));
    CHECK_I64(count, FRAMES);
    for (int64_t f = 0; f < count; ++f) CHECK_I64(steps[f], 10 * f);
    free(steps);
    size_t length = 0;
    char *text = NULL;
    CHECK_OK(app_reader_text(reader, "/files/potential", &length, &text));
    CHECK(text != NULL && strcmp(text, "line 1\nline 2\n") == 0);
    free(text);
    CHECK_OK(app_reader_f64(reader, "/frames/density/time", &count, &values));
    CHECK_I64(count, FRAMES);
    for (int64_t f = 0; f < count; ++f) CHECK_F64(values[f], 0.5 * (double)f, 0);
    free(values);
    CHECK_OK(app_reader_f64(reader, "/particles/all/position/value", &count, &values));
    CHECK_I64(count, (int64_t)FRAMES * PARTICLES * 3);
    for (int64_t i = 0; i < count; ++i) {
        const int64_t id = i / 3 % PARTICLES;
        CHECK_F64(values[i], (double)position(id, (int)(i / (3 * PARTICLES)), (int)(i % 3)), 0);
    }
    free(values);
    CHECK_OK(app_reader_f64(reader, "/frames/density/value", &count, &values));
    CHECK_I64(count, (int64_t)FRAMES * ROWS * COLUMNS);
    for (int64_t i = 0; i < count; ++i) {
        const int64_t cell = i % (ROWS * COLUMNS);
        CHECK_F64(values[i],
                  cell_value(cell / COLUMNS, cell % COLUMNS, (int)(i / (ROWS * COLUMNS))), 0);
    }
    free(values);
}

int main(int argc, char **argv)
{
    app_comm comm = NULL;
    app_results_start();
    CHECK_OK(app_comm_open(&argc, &argv, &comm));
    if (!comm) return 1;
    write_file(comm, argc, argv);
    check_full_disk(comm);
    app_reader reader = NULL;
    if (app_rank(comm) == 0) {
        CHECK_OK(app_reader_open("frames.h5", &reader));
        if (reader) check_values(reader);
        check_points();
        app_reader_close(&reader);
    }
    app_frames none = NULL;
    CHECK_OK(app_frames_create(NULL, NULL, NULL, &none));
    CHECK_OK(app_frames_add(none, 0, 0, NULL));
    const int exit_code = check_exit(comm);
    app_comm_close(&comm);
    return exit_code;
}
