/* Random programs with views, compared with a model in plain arrays. A program creates, slices,
 * fills, copies, resizes and destroys views in any order. The model does the same with index
 * arithmetic of its own. After each step all elements are compared, both those that the step could
 * change and those that it must not change.
 *
 * The model: a store is a plain array in C order, with the extents with which its view was created.
 * A view of the model is a store, an index in each of its dimensions, and the list of dimensions
 * that remain, with begin and extent. The model has no strides, layouts or padding. If a program
 * fails, its seed is printed; give it as second argument to run only that program. */
#include "check.h"

enum { PROGRAMS = 1000, STEPS = 16, VIEWS = 10, STORES = 64, MAX_RANK = 4 };

typedef struct store {
    int rank, users;
    int64_t extent[MAX_RANK];
    size_t size; /* of an element */
    unsigned char *bytes;
    mx_view root;   /* the handle of the view that was made with it; valid while there are users */
    mx_view memory; /* of a wrapped store: the view that the memory is of */
} store;

typedef struct model {
    mx_view view; /* null: none here */
    store *store;
    bool constant;
    int rank, dim[MAX_RANK]; /* of the store */
    int64_t begin[MAX_RANK]; /* in the store, for all its dimensions */
    int64_t extent[MAX_RANK];
} model;

static store stores[STORES];
static model views[VIEWS];
static mx_ctx ctx;
static uint64_t seed;
static const char *step_name;

static const mx_type types[] = {MX_F64, MX_I32, MX_U8, MX_USER(char[3]), MX_USER(char[24])};
enum { TYPES = sizeof types / sizeof types[0] };

/* ---- the model ---- */

static int64_t store_count(const store *s)
{
    int64_t count = 1;
    for (int d = 0; d < s->rank; d++) count *= s->extent[d];
    return count;
}

static unsigned char *element_of(const model *m, const int64_t *index)
{
    int64_t root[MAX_RANK], at = 0;
    memcpy(root, m->begin, sizeof root);
    for (int d = 0; d < m->rank; d++) root[m->dim[d]] += index[d];
    for (int d = 0; d < m->store->rank; d++) at = at * m->store->extent[d] + root[d];
    return m->store->bytes + (size_t)at * m->store->size;
}

static int64_t count_of(const model *m)
{
    int64_t count = 1;
    for (int d = 0; d < m->rank; d++) count *= m->extent[d];
    return count;
}

/* Steps through the indices of a view in the model; start with zeros and a count above zero. */
static bool next_of(const model *m, int64_t *index)
{
    for (int d = m->rank - 1; d >= 0; d--) {
        if (++index[d] < m->extent[d]) return true;
        index[d] = 0;
    }
    return false;
}

static bool same_shape(const model *a, const model *b)
{
    if (a->rank != b->rank || check_info(a->view).type != check_info(b->view).type) return false;
    for (int d = 0; d < a->rank; d++)
        if (a->extent[d] != b->extent[d]) return false;
    return true;
}

/* Do they share an element? By the boxes that they cover, dimension by dimension. */
static bool shared(const model *a, const model *b)
{
    if (a->store != b->store || count_of(a) == 0 || count_of(b) == 0) return false;
    int64_t size[2][MAX_RANK];
    const model *both[] = {a, b};
    for (int v = 0; v < 2; v++) {
        for (int d = 0; d < MAX_RANK; d++) size[v][d] = 1;
        for (int d = 0; d < both[v]->rank; d++) size[v][both[v]->dim[d]] = both[v]->extent[d];
    }
    for (int d = 0; d < a->store->rank; d++)
        if (a->begin[d] >= b->begin[d] + size[1][d] || b->begin[d] >= a->begin[d] + size[0][d])
            return false;
    return true;
}

/* ---- comparing ---- */

static void failed(const char *what)
{
    check_failures++;
    fprintf(stderr, "view_programs: seed %" PRIu64 ", step %s: %s\n", seed, step_name, what);
    exit(1);
}

#define WORKS(call) (check_ok_((call), #call, __FILE__, __LINE__) ? (void)0 : failed(#call))
#define HOLDS(condition) ((condition) ? (void)0 : failed("expected: " #condition))

/* What the library says of a view, and its elements through its own strides. */
static void compare(const model *m)
{
    const mx_view_info v = check_info(m->view);
    int64_t index[MAX_RANK] = {0};
    HOLDS(v.rank == m->rank);
    HOLDS(v.count == count_of(m));
    HOLDS(v.constant == m->constant);
    HOLDS(MX_TYPE_SIZE(v.type) == m->store->size);
    for (int d = 0; d < m->rank; d++) HOLDS(v.extent[d] == m->extent[d]);
    if (v.count == 0) return;
    mx_view mirror = check_fetch(ctx, m->view);
    const mx_view_info host = check_info(mirror);
    do {
        HOLDS(memcmp(check_at(&host, index), element_of(m, index), m->store->size) == 0);
    } while (next_of(m, index));
    WORKS(mx_view_destroy(&mirror));
}

/* All of a store, through the view that it was made with: also what lies beside a part. */
static void compare_store(store *s)
{
    model whole = {.view = s->root, .store = s, .rank = s->rank};
    for (int d = 0; d < s->rank; d++) {
        whole.dim[d] = d;
        whole.extent[d] = s->extent[d];
    }
    compare(&whole);
}

/* ---- picking ---- */

static int pick(int64_t n) { return (int)check_random_int(0, n - 1); }

static model *pick_view(void)
{
    const int first = pick(VIEWS);
    for (int v = 0; v < VIEWS; v++)
        if (views[(first + v) % VIEWS].view.generation != 0) return &views[(first + v) % VIEWS];
    return NULL;
}

/* Room for one more view; NULL: there is none. */
static model *room(void)
{
    for (int v = 0; v < VIEWS; v++)
        if (views[v].view.generation == 0) return &views[v];
    return NULL;
}

static store *new_store(void)
{
    for (int s = 0; s < STORES; s++)
        if (stores[s].users == 0) return &stores[s];
    failed("no room for another store in the model");
    return NULL;
}

static void random_bytes(void *to, size_t size)
{
    for (size_t b = 0; b < size; b++) ((unsigned char *)to)[b] = (unsigned char)check_random();
}

static mx_layout random_layout(void) { return pick(2) ? MX_LAYOUT_LEFT : MX_LAYOUT_RIGHT; }

/* ---- steps ---- */

static void let_go(store *s)
{
    if (--s->users > 0) return;
    free(s->bytes);
    WORKS(mx_view_destroy(&s->memory));
    memset(s, 0, sizeof *s);
}

static void end(model *m)
{
    store *const s = m->store;
    const bool last = s->users == 1;
    const mx_view root = s->root;
    mx_view_info info;
    WORKS(mx_view_destroy(&m->view));
    memset(m, 0, sizeof *m);
    let_go(s);
    if (last)
        HOLDS(mx_view_get_info(root, &info) == MX_ERR_STALE);
    else
        compare_store(s);
}

/* A store and the model of its view, all zero. */
static void describe(model *m, store *s, mx_type type, int rank, const int64_t *extents)
{
    memset(m, 0, sizeof *m);
    memset(s, 0, sizeof *s);
    m->store = s;
    m->rank = s->rank = rank;
    s->size = MX_TYPE_SIZE(type);
    s->users = 1;
    for (int d = 0; d < rank; d++) {
        m->extent[d] = s->extent[d] = extents[d];
        m->dim[d] = d;
    }
    s->bytes = check_memory((size_t)store_count(s) * s->size);
}

static void random_extents(int rank, int64_t *extents)
{
    for (int d = 0; d < rank; d++) extents[d] = pick(12) == 0 ? 0 : check_random_int(1, 5);
}

static void create(model *m)
{
    const mx_type type = types[pick(TYPES)];
    const int rank = pick(3) == 0 ? pick(MAX_RANK + 1) : 2 + pick(MAX_RANK - 1);
    int64_t extents[MAX_RANK];
    const mx_view_options options = {MX_SPACE_DEFAULT, random_layout(), false, pick(3) == 0};
    random_extents(rank, extents);
    describe(m, new_store(), type, rank, extents);
    WORKS(mx_view_create(ctx, "program", type, rank, extents, &options, &m->view));
    m->store->root = m->view;
}

/* A view of memory with room between the elements: dimensions in a random order, each with a random
 * gap behind it. */
static void wrap(model *m)
{
    const mx_type type = types[pick(TYPES)];
    const int rank = pick(MAX_RANK + 1);
    int64_t extents[MAX_RANK], strides[MAX_RANK], step = 1 + pick(2);
    int order[MAX_RANK] = {0};
    random_extents(rank, extents);
    describe(m, new_store(), type, rank, extents);
    for (int d = 0; d < rank; d++) {
        const int with = pick(d + 1);
        order[d] = order[with];
        order[with] = d;
    }
    for (int d = 0; d < rank; d++) {
        strides[order[d]] = step;
        step = (extents[order[d]] > 0 ? extents[order[d]] : 1) * step + pick(3);
    }
    WORKS(mx_view_create_1d(ctx, "memory", type, step, &m->store->memory));
    void *const data = check_info(m->store->memory).data;
    WORKS(mx_view_wrap(ctx, "wrapped", type, rank, extents, strides, NULL, data, &m->view));
    m->store->root = m->view;
}

static void cut(model *m, const model *of)
{
    mx_slice slices[MAX_RANK];
    *m = *of;
    m->rank = 0;
    for (int d = 0; d < of->rank; d++) {
        const int64_t n = of->extent[d];
        const int kind = n == 0 ? 0 : pick(3);
        const int64_t begin = kind == 0 ? 0 : pick(n),
                      end = kind == 2 ? begin + 1 + pick(n - begin) : n;
        slices[d] = kind == 0 ? mx_all() : kind == 1 ? mx_index(begin) : mx_span(begin, end);
        m->begin[of->dim[d]] += begin;
        if (kind == 1) continue;
        m->dim[m->rank] = of->dim[d];
        m->extent[m->rank++] = end - begin;
    }
    WORKS(mx_subview(of->view, of->rank, slices, &m->view));
    m->store->users++;
}

static void make_constant(model *m, const model *of)
{
    *m = *of;
    m->constant = true;
    WORKS(mx_view_constant(of->view, &m->view));
    m->store->users++;
}

static void fill(const model *m)
{
    unsigned char value[32];
    int64_t index[MAX_RANK] = {0};
    random_bytes(value, m->store->size);
    if (m->constant) {
        HOLDS(mx_fill(ctx, m->view, (const void *)value) == MX_ERR_CONST);
        return;
    }
    WORKS(mx_fill(ctx, m->view, (const void *)value));
    if (count_of(m) > 0) do {
            memcpy(element_of(m, index), value, m->store->size);
        } while (next_of(m, index));
}

/* Every element another, through a mirror and a view of the same strides where the part has
 * gaps. */
static void number(const model *m)
{
    int64_t index[MAX_RANK] = {0};
    mx_view mirror, own;
    if (m->constant || count_of(m) == 0) return;
    const mx_view_info info = check_info(m->view);
    const mx_view_options options = {MX_SPACE_DEFAULT, random_layout(), false, pick(2) == 0};
    WORKS(mx_view_create(ctx, "numbers", info.type, info.rank, info.extent, &options, &own));
    WORKS(mx_mirror_create(own, &mirror));
    const mx_view_info host = check_info(mirror);
    do {
        random_bytes(element_of(m, index), m->store->size);
        memcpy(check_at(&host, index), element_of(m, index), m->store->size);
    } while (next_of(m, index));
    WORKS(mx_deep_copy(ctx, own, mirror));
    WORKS(mx_remap(ctx, m->view, own));
    WORKS(mx_view_destroy(&own));
    WORKS(mx_fence(ctx));
    WORKS(mx_view_destroy(&mirror));
}

static void copy_model(const model *to, const model *from)
{
    int64_t index[MAX_RANK] = {0};
    if (count_of(to) > 0) do {
            memcpy(element_of(to, index), element_of(from, index), to->store->size);
        } while (next_of(to, index));
}

/* The same dimensions of the store in the same order: the same elements. */
static bool same_elements(const model *a, const model *b)
{
    if (a->store != b->store || memcmp(a->begin, b->begin, sizeof a->begin) != 0) return false;
    for (int d = 0; d < a->rank; d++)
        if (a->extent[d] > 1 && a->dim[d] != b->dim[d]) return false;
    return true;
}

/* A copy of either kind between two views of one shape; what must be refused is. */
static void copy(const model *to, const model *from, bool plain)
{
    const mx_view_info t = check_info(to->view), f = check_info(from->view);
    const mx_err err =
        plain ? mx_deep_copy(ctx, to->view, from->view) : mx_remap(ctx, to->view, from->view);
    bool same_strides = t.rank < 2 || t.layout == f.layout;
    for (int d = 0; d < t.rank; d++)
        same_strides = same_strides && (t.extent[d] <= 1 || t.stride[d] == f.stride[d]);
    if (to->constant) {
        HOLDS(err == MX_ERR_CONST);
    } else if (plain && !same_strides && to != from) {
        HOLDS(err == MX_ERR_LAYOUT);
    } else if (shared(to, from) && !same_elements(to, from)) {
        HOLDS(err == MX_ERR_ARG);
    } else {
        HOLDS(err == MX_OK);
        copy_model(to, from);
    }
}

/* Another part of the same store, of the same shape, a step aside: it may cross the first one. */
static void shift(model *made, const model *of)
{
    store *const s = of->store;
    mx_slice slices[MAX_RANK];
    *made = *of;
    made->constant = false;
    for (int d = 0; d < s->rank; d++) {
        int64_t size = 1;
        bool kept = false;
        for (int k = 0; k < of->rank; k++)
            if (of->dim[k] == d) {
                kept = true;
                size = of->extent[k];
            }
        const int64_t begin = of->begin[d] + check_random_int(-1, 1);
        if (begin >= 0 && begin + size <= s->extent[d]) made->begin[d] = begin;
        slices[d] =
            kept ? mx_span(made->begin[d], made->begin[d] + size) : mx_index(made->begin[d]);
    }
    WORKS(mx_subview(s->root, s->rank, slices, &made->view));
    s->users++;
}

/* A view of its own, of the same shape. */
static void pair(model *made, const model *with)
{
    const mx_view_info info = check_info(with->view);
    const mx_view_options options = {MX_SPACE_DEFAULT, random_layout(), false, pick(2) == 0};
    describe(made, new_store(), info.type, with->rank, with->extent);
    WORKS(mx_view_create(ctx, "pair", info.type, with->rank, with->extent, &options, &made->view));
    made->store->root = made->view;
    fill(made);
}

/* From another view of the same shape: one of the program's, another part of the same, or a new
 * one. */
static void copy_some(const model *to)
{
    const int first = pick(VIEWS), kind = pick(3);
    model made;
    for (int v = 0; v < VIEWS && kind == 0; v++) {
        const model *m = &views[(first + v) % VIEWS];
        if (m->view.generation == 0 || m == to || !same_shape(to, m)) continue;
        copy(to, m, pick(2) == 0);
        return;
    }
    if (kind == 1)
        shift(&made, to);
    else
        pair(&made, to);
    copy(to, &made, pick(2) == 0);
    end(&made);
}

static void resize(model *m, bool keep)
{
    int64_t extents[MAX_RANK], index[MAX_RANK] = {0};
    const mx_view_info info = check_info(m->view);
    model fresh, common;
    random_extents(m->rank, extents);
    const mx_view before = m->view;
    const mx_err err =
        keep ? mx_view_resize(ctx, &m->view, extents) : mx_view_realloc(ctx, &m->view, extents);
    if (m->constant || info.layout == MX_LAYOUT_STRIDE) {
        HOLDS(err == (m->constant ? MX_ERR_CONST : MX_ERR_LAYOUT));
        HOLDS(memcmp(&before, &m->view, sizeof before) == 0);
        return;
    }
    WORKS(err);
    describe(&fresh, new_store(), info.type, m->rank, extents);
    fresh.view = fresh.store->root = m->view;
    common = fresh;
    for (int d = 0; d < m->rank; d++)
        if (m->extent[d] < common.extent[d]) common.extent[d] = m->extent[d];
    if (keep && count_of(&common) > 0) do {
            memcpy(element_of(&fresh, index), element_of(m, index), fresh.store->size);
        } while (next_of(&common, index));
    store *const old = m->store;
    *m = fresh;
    let_go(old);
    if (old->users > 0) compare_store(old);
}

static void element(const model *m)
{
    unsigned char value[32], got[32];
    if (m->rank > 1 || count_of(m) == 0) return;
    const int64_t index[MAX_RANK] = {m->rank == 1 ? pick(m->extent[0]) : 0};
    random_bytes(value, m->store->size);
    const mx_err err = mx_write_element(ctx, m->view, index[0], (const void *)value);
    HOLDS(err == (m->constant ? MX_ERR_CONST : MX_OK));
    if (!m->constant) memcpy(element_of(m, index), value, m->store->size);
    WORKS(mx_read_element(ctx, m->view, index[0], (void *)got));
    HOLDS(memcmp(got, element_of(m, index), m->store->size) == 0);
}

/* ---- programs ---- */

static void step(void)
{
    static const char *const names[] = {"create",  "wrap",    "subview", "constant",
                                        "fill",    "number",  "copy",    "resize",
                                        "realloc", "element", "destroy", "subview"};
    model *const m = pick_view(), *const free_one = room();
    int kind = m == NULL ? pick(2) : pick(12);
    if (free_one == NULL && (kind < 4 || kind == 11)) kind = 10;
    step_name = names[kind];
    model *touched = kind < 4 || kind == 11 ? free_one : m;
    switch (kind) {
    case 0: create(touched); break;
    case 1: wrap(touched); break;
    case 3: make_constant(touched, m); break;
    case 4: fill(m); break;
    case 5: number(m); break;
    case 6: copy_some(m); break;
    case 7: resize(m, true); break;
    case 8: resize(m, false); break;
    case 9: element(m); break;
    case 10: end(m); return;
    default: cut(touched, m); break;
    }
    compare(touched);
    compare_store(touched->store);
}

static void program(void)
{
    check_random_state = seed;
    for (int k = 0; k < 5; k++) check_random(); /* seeds that lie close drift apart */
    for (int s = 0; s < STEPS; s++) step();
    step_name = "end";
    for (model *m = pick_view(); m != NULL; m = pick_view()) {
        compare(m);
        end(m);
    }
    HOLDS(mx_views_alive() == 0);
}

static uint64_t only_seed;

static void test(mx_ctx given)
{
    ctx = given;
    for (uint64_t p = 1; p <= PROGRAMS; p++) {
        seed = only_seed != 0 ? only_seed : p * 0x9e3779b97f4a7c15u;
        program();
        if (only_seed != 0) break;
    }
}

int main(int argc, char **argv)
{
    if (argc > 2) only_seed = strtoull(argv[2], NULL, 10);
    return check_main(argc, argv, test);
}
