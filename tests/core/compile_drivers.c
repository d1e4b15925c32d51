/* Mistakes in drivers. CMakeLists.txt compiles this file with each of the macros below, by gcc and
 * clang if they are installed, without options that limit the number of errors. It compares the
 * first error and the number of lines with the expected ones. Without any macro the file compiles
 * without a message. Nothing runs, so there is no backend. */
#ifdef LIST_WITH_A_NUMBER
#define MX_DISPATCH(ROW, name) /* the unit that has the tables of accessors */
#endif
#include "minx/minx.h"

#include "minx/kit/scatter.h"

MX_ARGS(args,
    (mx_f64_1, x)
    (mx_f64_2, y)
    (MX_SCATTER_OF(mx_f64_1, MX_SUM), h, MX_SCATTER_ACCESSOR),
    int count;
);

#ifdef LIST_WITH_A_NUMBER
MX_ARGS(other, (mx_f64_1, x) (int, count));
#endif

double use(const args *given, mx_ctx ctx, mx_view view, mx_scatter *scatter);
double use(const args *given, mx_ctx ctx, mx_view view, mx_scatter *scatter)
{
    args a = *given;
    mx_f64_2 *const y = &a.y;
    const int i = 0;
    mx_err err = MX_OK;
#if defined(POINTER_TO_ACCESSOR)
    MX_AT(y, i, i) = 1;
#elif defined(ADDRESS_OF_ACCESSOR)
    MX_AT(&a.y, i, i) = 1;
#elif defined(VIEW_INSTEAD_OF_ACCESSOR)
    MX_AT(view, i) = 1;
#elif defined(NUMBER_INSTEAD_OF_ACCESSOR)
    MX_AT(a.count, i) = 1;
#elif defined(SCATTER_INSTEAD_OF_ACCESSOR)
    MX_AT(a.h, i) = 1;
#elif defined(TOO_FEW_INDICES)
    MX_AT(a.y, i) = 1;
#elif defined(TOO_MANY_INDICES)
    MX_AT(a.y, i, i, i) = 1;
#elif defined(TYPING_ERROR_IN_INDEX)
    MX_AT(a.y, i, ii) = 1;
#elif defined(TYPING_ERROR_IN_MEMBER)
    MX_AT(a.yy, i, i) = 1;
#elif defined(EXTENT_OF_VIEW)
    return (double)MX_EXTENT(view, 0);
#elif defined(BIND_WITHOUT_ADDRESS)
    err = mx_bind(ctx, view, a.y);
#elif defined(BIND_NUMBER)
    err = mx_bind(ctx, view, &a.count);
#elif defined(BIND_ARGUMENTS)
    err = mx_bind(ctx, view, &a);
#elif defined(BIND_VIEW)
    err = mx_bind(ctx, view, &view);
#elif defined(BIND_POINTER)
    err = mx_bind(ctx, view, &y);
#elif defined(BIND_TYPING_ERROR)
    err = mx_bind(ctx, view, &a.yy);
#elif defined(BIND_IN_OTHER_ORDER)
    err = mx_bind(ctx, &a.y, view);
#elif defined(BIND_ORIGIN_WITHOUT_ADDRESS)
    err = mx_bind_origin(ctx, view, NULL, a.y);
#elif defined(BIND_NONE_WITHOUT_ADDRESS)
    mx_bind_none(a.y);
#elif defined(SCATTER_BIND_WITHOUT_ADDRESS)
    err = mx_scatter_bind(ctx, scatter, a.h);
#elif defined(SCATTER_BIND_ACCESSOR)
    err = mx_scatter_bind(ctx, scatter, &a.x);
#elif defined(SCATTER_BIND_NUMBER)
    err = mx_scatter_bind(ctx, scatter, &a.count);
#elif defined(SCATTER_VIEW_WITHOUT_ADDRESS)
    err = mx_scatter_bind(ctx, *scatter, &a.h);
#endif
    if (err == MX_OK) err = mx_bind(ctx, view, y);
    if (err == MX_OK) err = mx_bind_origin(ctx, view, NULL, &a.y);
    if (err == MX_OK) err = mx_scatter_bind(ctx, scatter, &a.h);
    mx_bind_none(&a.x);
    return err == MX_OK ? MX_AT(*y, i, MX_EXTENT(a.y, 1) - 1) + MX_AT(given->x, i) : 0;
}
