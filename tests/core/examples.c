/* The kernels of examples/kernels against plain C, on every backend. */
#include "examples.h"

mx_view view_of(mx_ctx ctx, const char *label, mx_type type, int rank, const int64_t *extents,
                const void *array)
{
    mx_view view, mirror;
    const char *from = array;
    int64_t index[MX_MAX_RANK] = {0};
    MUST(mx_view_create(ctx, label, type, rank, extents, NULL, &view));
    MUST(mx_mirror_create(view, &mirror));
    const mx_view_info info = check_info(mirror);
    do {
        memcpy(check_at(&info, index), from, MX_TYPE_SIZE(type));
        from += MX_TYPE_SIZE(type);
    } while (check_next(&info, index));
    MUST(mx_deep_copy(ctx, view, mirror));
    MUST(mx_fence(ctx));
    MUST(mx_view_destroy(&mirror));
    return view;
}

void array_of(mx_ctx ctx, mx_view view, void *array)
{
    mx_view mirror = check_fetch(ctx, view);
    const mx_view_info info = check_info(mirror);
    char *to = array;
    int64_t index[MX_MAX_RANK] = {0};
    do {
        memcpy(to, check_at(&info, index), MX_TYPE_SIZE(info.type));
        to += MX_TYPE_SIZE(info.type);
    } while (check_next(&info, index));
    MUST(mx_view_destroy(&mirror));
}

static void test(mx_ctx ctx)
{
    check_stream(ctx);
    check_heat(ctx);
    check_spmv(ctx);
    check_cells(ctx);
    check_neighbours(ctx);
    check_pairs(ctx);
    check_pack(ctx);
    check_assembly(ctx);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
