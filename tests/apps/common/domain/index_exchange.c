/* Index exchanges against a serial model, by every path and on every backend: random programs, each
 * with lists from global ids (forward, and reverse with sums) and with lists of the caller's
 * (forward with shifts, several messages between two ranks, and to the rank itself). Every rank
 * draws the lists of all ranks from the same numbers, so it knows each value that it must get.
 *
 * Values are whole numbers below 2^24, so that sums are exact in all types and in any order. */
#include "domain/index_exchange.h"
#include "check.h"
#include "paths.h"
#include "random.h"

#include <stdlib.h>

enum { PROGRAMS = 12, MAX_IDS = 60, MAX_GHOSTS = 25, MAX_RANKS = 8, COLUMNS = 3, FIELDS = 4 };

/* ---- the model ---- */

/* Which rank owns id i of a program (-1: nobody, a gap), and the local index there; the ghosts of
 * each rank. */
typedef struct model {
    int ids;
    mx_gid id[MAX_IDS]; /* in ascending order, with gaps */
    int owner[MAX_IDS];
    mx_lid index[MAX_IDS];
    mx_lid own[MAX_RANKS], ghosts[MAX_RANKS];
    int ghost[MAX_RANKS][MAX_GHOSTS]; /* numbers in `id` */
} model;

static void draw(model *m, uint64_t seed, int ranks)
{
    uint64_t random = seed;
    mx_gid id = random_int(&random, 0, 1) == 0 ? 0 : (mx_gid)1 << 40;
    memset(m, 0, sizeof *m);
    m->ids = random_int(&random, 1, MAX_IDS);
    for (int i = 0; i < m->ids; i++) {
        id += random_int(&random, 1, 5);
        m->id[i] = id;
        m->owner[i] = random_int(&random, 0, ranks - 1);
    }
    /* local indices: in ascending order of ids, or the other way round */
    const bool ascending = random_int(&random, 0, 1) == 1;
    for (int n = 0; n < m->ids; n++) {
        const int i = ascending ? n : m->ids - 1 - n;
        m->index[i] = m->own[m->owner[i]]++;
    }
    for (int r = 0; r < ranks; r++)
        for (int n = random_int(&random, 0, MAX_GHOSTS); n > 0; n--) {
            const int i = random_int(&random, 0, m->ids - 1);
            bool known = false;
            for (mx_lid g = 0; g < m->ghosts[r]; g++) known = known || m->ghost[r][g] == i;
            if (!known) m->ghost[r][m->ghosts[r]++] = i;
        }
}

/* Number c of field f of an id. */
static double value(mx_gid id, int f, int c) { return (double)((id * 7 + f * 5 + c) % 100000); }

/* What ghost g of rank r holds before a reverse exchange. */
static double contribution(int r, mx_lid g, int f, int c)
{
    return (double)(r * 1000 + g * 11 + f * 3 + c);
}

/* ---- fields ---- */

static const mx_type types[FIELDS] = {MX_F64, MX_F32, MX_I32, MX_I64};
static const int columns[FIELDS] = {COLUMNS, 1, 2, 1};

typedef struct fields {
    mx_lid elements;
    mx_view view[FIELDS];
    double *number[FIELDS]; /* on the host: element by element */
} fields;

static void store(void *array, mx_type type, mx_gid at, double number)
{
    switch (type) {
    case MX_F64: ((double *)array)[at] = number; break;
    case MX_F32: ((float *)array)[at] = (float)number; break;
    case MX_I32: ((int32_t *)array)[at] = (int32_t)number; break;
    default: ((int64_t *)array)[at] = (int64_t)number;
    }
}

static double load(const void *array, mx_type type, mx_gid at)
{
    switch (type) {
    case MX_F64: return ((const double *)array)[at];
    case MX_F32: return (double)((const float *)array)[at];
    case MX_I32: return ((const int32_t *)array)[at];
    default: return (double)((const int64_t *)array)[at];
    }
}

/* Between the host's numbers and a view. */
static mx_err copy_field(mx_ctx ctx, fields *s, int f, bool to_view)
{
    const mx_gid n = (mx_gid)s->elements * columns[f];
    void *const array = malloc((size_t)n * 8 + 8);
    mx_err err = array != NULL ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for a test");
    for (mx_gid i = 0; err == MX_OK && to_view && i < n; i++)
        store(array, types[f], i, s->number[f][i]);
    if (err == MX_OK)
        err = to_view ? mx_import_(ctx, s->view[f], array, NULL, types[f])
                      : mx_export_(ctx, s->view[f], array, NULL, types[f]);
    for (mx_gid i = 0; err == MX_OK && !to_view && i < n; i++)
        s->number[f][i] = load(array, types[f], i);
    free(array);
    return err;
}

/* Rows or columns contiguous, padded or not, by the number of elements. */
static mx_err make_fields(mx_ctx ctx, mx_lid elements, fields *s)
{
    const mx_view_options options = {.layout = elements % 2 == 0 ? MX_LAYOUT_RIGHT : MX_LAYOUT_LEFT,
                                     .padding = elements % 4 < 2};
    s->elements = elements;
    for (int f = 0; f < FIELDS; f++) {
        const int64_t extents[] = {elements, columns[f]};
        MX_TRY(mx_view_create(ctx, "field", types[f], columns[f] > 1 ? 2 : 1, extents, &options,
                              &s->view[f]));
        s->number[f] = calloc((size_t)elements * (size_t)columns[f] + 1, sizeof(double));
        MX_REQUIRE(s->number[f] != NULL, MX_ERR_MEMORY, "no memory for a test");
    }
    return MX_OK;
}

static mx_err free_fields(fields *s)
{
    for (int f = 0; f < FIELDS; f++) {
        MX_TRY(mx_view_destroy(&s->view[f]));
        free(s->number[f]);
    }
    return MX_OK;
}

static mx_err copy_fields(mx_ctx ctx, fields *s, bool to_views)
{
    for (int f = 0; f < FIELDS; f++) MX_TRY(copy_field(ctx, s, f, to_views));
    return MX_OK;
}

#define AT(s, f, i, c) ((s)->number[f][(mx_gid)(i)*columns[f] + (c)])

/* ---- lists from ids ---- */

/* With half of the programs the local indices are given, in another order. */
static mx_err match(app_index_exchange x, const model *m, int self)
{
    mx_gid own[MAX_IDS], ghosts[MAX_GHOSTS];
    mx_lid index[MAX_IDS];
    const app_ids wanted = {m->ghosts[self], ghosts, NULL, m->own[self]};
    const bool listed = m->ids % 2 == 0;
    mx_lid count = 0;
    for (int i = 0; i < m->ids; i++)
        if (m->owner[i] == self) {
            index[count] = m->index[i];
            own[listed ? count : m->index[i]] = m->id[i];
            count++;
        }
    for (mx_lid g = 0; g < m->ghosts[self]; g++) ghosts[g] = m->id[m->ghost[self][g]];
    const app_ids mine = {count, own, listed ? index : NULL, 0};
    return app_index_match(x, &mine, &wanted);
}

static mx_err check_forward(mx_ctx ctx, app_index_exchange x, const model *m, int self, fields *s)
{
    int wrong = 0;
    for (int f = 0; f < FIELDS; f++)
        for (int c = 0; c < columns[f]; c++) {
            for (int i = 0; i < m->ids; i++)
                if (m->owner[i] == self) AT(s, f, m->index[i], c) = value(m->id[i], f, c);
            for (mx_lid g = 0; g < m->ghosts[self]; g++) AT(s, f, m->own[self] + g, c) = -1;
        }
    MX_TRY(copy_fields(ctx, s, true));
    MX_TRY(app_forward(x, FIELDS, s->view, APP_UNSHIFTED));
    MX_TRY(copy_fields(ctx, s, false));
    for (int f = 0; f < FIELDS; f++)
        for (int c = 0; c < columns[f]; c++) {
            for (int i = 0; i < m->ids; i++)
                if (m->owner[i] == self) wrong += AT(s, f, m->index[i], c) != value(m->id[i], f, c);
            for (mx_lid g = 0; g < m->ghosts[self]; g++)
                wrong += AT(s, f, m->own[self] + g, c) != value(m->id[m->ghost[self][g]], f, c);
        }
    CHECK_I64(wrong, 0);
    return MX_OK;
}

static mx_err check_reverse(mx_ctx ctx, app_index_exchange x, const model *m, int ranks, int self,
                            fields *s)
{
    int wrong = 0;
    for (int f = 0; f < FIELDS; f++)
        for (int c = 0; c < columns[f]; c++)
            for (mx_lid g = 0; g < m->ghosts[self]; g++)
                AT(s, f, m->own[self] + g, c) = contribution(self, g, f, c);
    MX_TRY(copy_fields(ctx, s, true));
    MX_TRY(app_reverse(x, FIELDS, s->view));
    MX_TRY(copy_fields(ctx, s, false));
    for (int f = 0; f < FIELDS; f++)
        for (int c = 0; c < columns[f]; c++)
            for (int i = 0; i < m->ids; i++) {
                double sum = value(m->id[i], f, c);
                if (m->owner[i] != self) continue;
                for (int r = 0; r < ranks; r++)
                    for (mx_lid g = 0; g < m->ghosts[r]; g++)
                        if (m->ghost[r][g] == i) sum += contribution(r, g, f, c);
                wrong += AT(s, f, m->index[i], c) != sum;
            }
    CHECK_I64(wrong, 0);
    return MX_OK;
}

static mx_err try_ids(app_transport transport, app_index_exchange x, uint64_t seed)
{
    const mx_ctx ctx = app_transport_ctx(transport);
    const app_comm comm = app_transport_comm(transport);
    const int self = app_rank(comm);
    model m;
    fields s;
    draw(&m, seed, app_size(comm));
    MX_TRY(match(x, &m, self));
    MX_TRY(make_fields(ctx, m.own[self] + m.ghosts[self], &s));
    for (int round = 0; round < 2; round++) {
        MX_TRY(check_forward(ctx, x, &m, self, &s));
        MX_TRY(check_reverse(ctx, x, &m, app_size(comm), self, &s));
    }
    return free_fields(&s);
}

/* ---- the caller's lists ---- */

enum { ELEMENTS = 40, LINKS = 3, MAX_SENDS = 10 };

/* What rank `from` sends to rank `to` by link l: how many elements, and which. */
static int link_length(uint64_t seed, int from, int to, int l)
{
    uint64_t random = seed + (uint64_t)(from * 64 + to * 8 + l) * 977;
    return random_int(&random, 0, MAX_SENDS);
}

static mx_lid link_index(uint64_t seed, int from, int to, int l, int n)
{
    uint64_t random = seed + (uint64_t)(from * 64 + to * 8 + l) * 977;
    const int first = random_int(&random, 0, ELEMENTS - 1);
    return (mx_lid)((first + n * 3) % ELEMENTS); /* differ: 3 and ELEMENTS have no common factor */
}

static double link_shift(int from, int to, int l, int c) { return from * 3 + to * 5 + l * 7 + c; }

typedef struct lists {
    app_index_neighbour neighbour[MAX_RANKS * LINKS];
    double shift[MAX_RANKS * LINKS * COLUMNS];
    mx_lid send[MAX_RANKS * LINKS * MAX_SENDS];
    int count;
    mx_lid sends, ghosts;
} lists;

static void draw_lists(lists *t, uint64_t seed, int ranks, int self)
{
    memset(t, 0, sizeof *t);
    for (int r = 0; r < ranks; r++)
        for (int l = 0; l < LINKS; l++) {
            app_index_neighbour *one = &t->neighbour[t->count];
            *one = (app_index_neighbour){.rank = r,
                                         .send_tag = l,
                                         .receive_tag = l,
                                         .sends = link_length(seed, self, r, l),
                                         .receives = link_length(seed, r, self, l)};
            for (int c = 0; c < COLUMNS; c++)
                t->shift[t->count * COLUMNS + c] = link_shift(self, r, l, c);
            for (int n = 0; n < one->sends; n++)
                t->send[t->sends++] = link_index(seed, self, r, l, n);
            t->ghosts += one->receives;
            t->count++;
        }
}

static mx_err give_lists(mx_ctx ctx, app_index_exchange x, const lists *t)
{
    mx_view send;
    MX_TRY(mx_view_create_1d(ctx, "send", MX_I32, t->sends, &send));
    MX_TRY(mx_import(ctx, send, t->send, NULL));
    MX_TRY(app_index_lists(x, t->neighbour, t->count, send, ELEMENTS));
    MX_TRY(mx_view_destroy(&send)); /* x keeps it */
    return app_index_shifts(x, t->shift, COLUMNS);
}

static void check_shifted(const lists *t, uint64_t seed, int self, const fields *s)
{
    mx_lid ghost = ELEMENTS;
    int wrong = 0;
    for (int k = 0; k < t->count; k++) {
        const app_index_neighbour *one = &t->neighbour[k];
        for (int n = 0; n < one->receives; n++, ghost++)
            for (int f = 0; f < FIELDS; f++)
                for (int c = 0; c < columns[f]; c++) {
                    const mx_lid i = link_index(seed, one->rank, self, one->receive_tag, n);
                    double expected = value(i + ELEMENTS * (mx_gid)one->rank, f, c);
                    if (f == 0) expected += link_shift(one->rank, self, one->receive_tag, c);
                    wrong += AT(s, f, ghost, c) != expected;
                }
    }
    CHECK_I64(wrong, 0);
}

static mx_err try_lists(app_transport transport, app_index_exchange x, uint64_t seed)
{
    const mx_ctx ctx = app_transport_ctx(transport);
    const int self = app_rank(app_transport_comm(transport));
    lists t;
    fields s;
    draw_lists(&t, seed, app_size(app_transport_comm(transport)), self);
    MX_TRY(give_lists(ctx, x, &t));
    if (seed % 2 == 1)
        MX_TRY(app_index_join(x)); /* the links of two ranks have ascending tags on both */
    MX_TRY(make_fields(ctx, ELEMENTS + t.ghosts, &s));
    for (int f = 0; f < FIELDS; f++)
        for (int c = 0; c < columns[f]; c++)
            for (mx_lid i = 0; i < ELEMENTS; i++)
                AT(&s, f, i, c) = value(i + ELEMENTS * (mx_gid)self, f, c);
    MX_TRY(copy_fields(ctx, &s, true));
    MX_TRY(app_forward_begin(x, FIELDS, s.view, APP_SHIFTED));
    CHECK_FAILS(app_forward_begin(x, FIELDS, s.view, APP_SHIFTED), MX_ERR_ARG,
                "before the last one has ended");
    MX_TRY(app_forward_end(x));
    MX_TRY(copy_fields(ctx, &s, false));
    check_shifted(&t, seed, self, &s);
    return free_fields(&s);
}

/* ---- parts of views ---- */

/* Each rank sends three elements to the next one. Indices and field are columns of views with more
 * of them; a second field has no columns at all. */
static mx_err try_parts(app_transport transport, app_index_exchange x)
{
    const mx_ctx ctx = app_transport_ctx(transport);
    const int self = app_rank(app_transport_comm(transport)),
              size = app_size(app_transport_comm(transport));
    const int after = (self + 1) % size, before = (self + size - 1) % size;
    const app_index_neighbour neighbours[] = {
        {.rank = after, .send_tag = 0, .receive_tag = 1, .sends = 3},
        {.rank = before, .send_tag = 1, .receive_tag = 0, .receives = 3}};
    const int32_t sent[] = {2, 0, 1};
    double number[7] = {self, self + 100, self + 200};
    mx_view table, list, large, part, none;
    MX_TRY(mx_view_create_2d(ctx, "table", MX_I32, 3, 2, &table));
    MX_TRY(mx_subview(table, MX_SLICES(mx_all(), mx_index(1)), &list));
    MX_TRY(mx_import(ctx, list, sent, NULL));
    MX_TRY(mx_view_create_2d(ctx, "large", MX_F64, 9, 3, &large));
    MX_TRY(mx_subview(large, MX_SLICES(mx_span(1, 8), mx_index(1)), &part));
    MX_TRY(mx_import(ctx, part, number, NULL));
    MX_TRY(mx_view_create_2d(ctx, "none", MX_F64, 7, 0, &none));
    MX_TRY(app_index_lists(x, neighbours, 2, list, 4));
    MX_TRY(app_forward(x, 2, (const mx_view[]){part, none}, APP_UNSHIFTED));
    MX_TRY(app_forward(x, 1, &none, APP_UNSHIFTED));
    MX_TRY(app_reverse(x, 1, &part));
    MX_TRY(mx_export(ctx, part, number, NULL));
    for (int i = 0; i < 3; i++) { /* whole numbers: exact */
        CHECK_F64(number[4 + i], before + 100 * sent[i], 0);
        CHECK_F64(number[i], 2 * (self + 100 * i), 0);
    }
    MX_TRY(app_index_lists(x, NULL, 0, list, 0));
    MX_TRY(app_forward(x, 1, &part, APP_UNSHIFTED));
    MX_TRY(mx_view_destroy(&none));
    MX_TRY(mx_view_destroy(&part));
    MX_TRY(mx_view_destroy(&large));
    MX_TRY(mx_view_destroy(&list));
    return mx_view_destroy(&table);
}

/* ---- errors ---- */

/* Receive tags that descend. */
static mx_err try_join_error(mx_ctx ctx, app_index_exchange x)
{
    const app_index_neighbour entries[] = {{.send_tag = 0, .receive_tag = 1},
                                           {.send_tag = 1, .receive_tag = 0}};
    mx_view none;
    MX_TRY(mx_view_create_1d(ctx, "none", MX_I32, 0, &none));
    MX_TRY(app_index_lists(x, entries, 2, none, 0));
    CHECK_FAILS(app_index_join(x), MX_ERR_ARG, "tags 1 and 0 of rank 0 behind 0 and 1");
    return mx_view_destroy(&none);
}

/* More ids than a block of the directory has, in a small part of their range: on 4 ranks slices of
 * the range would give one of them all. Each rank has copies of most elements of the next one.
 * Once. */
static mx_err try_crowd(app_transport transport, app_index_exchange x)
{
    enum { OWN = 70000, COPIES = 66000 };
    const mx_ctx ctx = app_transport_ctx(transport);
    const int self = app_rank(app_transport_comm(transport)),
              size = app_size(app_transport_comm(transport)), next = (self + 1) % size;
    mx_gid *const id = malloc((OWN + COPIES) * sizeof *id);
    mx_view values;
    int64_t wrong = 0;
    MX_REQUIRE(id != NULL, MX_ERR_MEMORY, "no memory for a test");
    for (mx_gid i = 0; i < OWN + COPIES; i++)
        id[i] = ((mx_gid)1 << 50) + (i < OWN ? i * size + self : (i - OWN) * size + next);
    const app_ids own = {OWN, id, NULL, 0}, ghosts = {COPIES, id + OWN, NULL, OWN};
    MX_TRY(app_index_match(x, &own, &ghosts));
    CHECK_I64(app_index_sends(x), COPIES);
    MX_TRY(mx_view_create_1d(ctx, "values", MX_I64, OWN + COPIES, &values));
    for (int i = OWN; i < OWN + COPIES; i++) id[i] = -1;
    MX_TRY(mx_import(ctx, values, id, NULL));
    MX_TRY(app_forward(x, 1, &values, APP_UNSHIFTED));
    MX_TRY(mx_export(ctx, values, id, NULL));
    for (mx_gid i = 0; i < COPIES; i++) wrong += id[OWN + i] != ((mx_gid)1 << 50) + i * size + next;
    CHECK_I64(wrong, 0);
    free(id);
    return mx_view_destroy(&values);
}

static mx_err try_errors(app_transport transport, app_index_exchange x)
{
    const mx_ctx ctx = app_transport_ctx(transport);
    const int self = app_rank(app_transport_comm(transport)),
              size = app_size(app_transport_comm(transport));
    const mx_gid own[] = {self, self + size}, twice[] = {7, 7}, below[] = {-1, 3},
                 ghosts[] = {(self + 1) % size, 5 + 2 * size}, same[] = {0, 0};
    const app_ids right = {2, own, NULL, 0}, none = {0, NULL, NULL, 2};
    const app_ids doubled = {2, twice, NULL, 0}, negative = {2, below, NULL, 0};
    const mx_lid places[] = {0, -4};
    const app_ids misplaced = {2, own, places, 0}, too_far = {1, ghosts, NULL, INT32_MAX};
    const app_ids two = {2, ghosts, NULL, 2}, one = {1, ghosts, NULL, 2},
                  alike = {2, same, NULL, 2};
    mx_view small, bytes;
    const int64_t extent = 2;
    CHECK_FAILS(app_index_match(x, &right, &two), MX_ERR_ARG, "which no rank owns");
    CHECK_FAILS(app_index_match(x, &right, &alike), MX_ERR_ARG,
                "ghosts 2 and 3 have the same id 0");
    CHECK_FAILS(app_index_match(x, &doubled, &none), MX_ERR_ARG, "id 7 has two owners");
    CHECK_FAILS(app_index_match(x, &negative, &none), MX_ERR_ARG, "id -1, expected at least 0");
    CHECK_FAILS(app_index_match(x, &misplaced, &none), MX_ERR_ARG, "has the local index -4");
    CHECK_FAILS(app_index_match(x, &right, &too_far), MX_ERR_ARG, "has the local index 2147483647");
    CHECK_I64(app_index_sends(x), 0);
    MX_TRY(app_index_match(x, &right, &one));
    MX_TRY(mx_view_create_1d(ctx, "small", MX_F64, extent, &small));
    MX_TRY(mx_view_create_1d(ctx, "bytes", MX_U8, extent, &bytes));
    CHECK_FAILS(app_forward_begin(x, 1, &small, APP_UNSHIFTED), MX_ERR_BOUNDS,
                "'small' has 2 elements, expected at least 3");
    CHECK_FAILS(app_forward_begin(x, 1, &bytes, APP_UNSHIFTED), MX_ERR_TYPE, "elements of u8");
    CHECK_FAILS(app_forward_begin(x, 0, &small, APP_UNSHIFTED), MX_ERR_ARG, "0 fields");
    CHECK_FAILS(app_forward_end(x), MX_ERR_ARG, "ended before it has begun");
    CHECK_FAILS(app_index_lists(x, NULL, 0, small, 0), MX_ERR_TYPE, "expected i32");
    MX_TRY(try_join_error(ctx, x));
    MX_TRY(mx_view_destroy(&small));
    return mx_view_destroy(&bytes);
}

static mx_err try_path(app_comm comm, mx_ctx ctx, const app_path *path)
{
    app_transport transport;
    app_index_exchange x;
    MX_TRY(app_transport_create_path(comm, ctx, path, &transport));
    MX_TRY(app_index_exchange_create(transport, "test", &x));
    /* many ranks take turns */
    const int programs = paths_programs(app_size(comm) > 4 ? PROGRAMS / 3 : PROGRAMS);
    for (int p = 0; p < programs; p++) {
        MX_TRY(try_ids(transport, x, (uint64_t)p));
        MX_TRY(try_lists(transport, x, (uint64_t)p));
    }
    MX_TRY(try_parts(transport, x));
    static bool crowded;
    if (!crowded) MX_TRY(try_crowd(transport, x));
    crowded = true;
    MX_TRY(try_errors(transport, x));
    app_index_exchange_destroy(&x);
    app_transport_destroy(&transport);
    return MX_OK;
}

int main(int argc, char **argv) { return paths_main(argc, argv, try_path); }
