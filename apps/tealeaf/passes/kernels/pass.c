/* An iteration of conjugate gradients in one pass: see tl_pass.h. Both forms compute each cell in
 * the same way.
 *
 *     columns an item goes over some lines of one column of cells, and forms the new p of the cells beside it as well: from arrays
 *             that no item writes, so there are two of r, p and w. On a GPU these reads come from the cache, as neighbouring
 *             threads have neighbouring columns. In 3-D columns go through sheets.
 *     bands   a thread goes over its lines, and computes the new p one line ahead of w = A p, in the same loop. Three lines of p stay
 *             in the cache. r, p and w change in place, so a CPU, which reads what it will write, moves no other bytes.
 *
 * A pass that changes u moves 72 bytes a cell: five arrays are read and four written. One that leaves u
 * moves 56. They go by turns.
 *
 * Ghost cells that stand for cells of other ranks get the same r and p as on the rank that owns
 * them: only w is exchanged. */
#include "minx/kernel.h"
#include "minx/trait.h"

#include "kernels/tl_apply.h"
#include "passes/tl_pass.h"

/* alpha = r.r / p.w, and beta = r.r of this pass / r.r of the pass before. The new r.r is not known
 * yet. With r = r' - alpha w' it is r'.r' - 2 alpha r'.w' + alpha^2 w'.w', with a rounding error of
 * some epsilon r'.r'. (In exact arithmetic r'.w' = p'.w'. But the two differ where p is not quite
 * conjugate to the p before; a beta from p'.w' then makes the next p even less conjugate.) Where it
 * is not well above that error, which is so when an iteration reduces the residual a millionfold,
 * p'' and w' would not be conjugate any more, and the residual could grow without end; beta = 0
 * then starts again. With this bound beta has three digits or more. */
MX_BODY tl_steps steps_after(const tl_pass *pass, const tl_sums_of_passes *sums, int before)
{
    tl_steps steps = {0, 0};
    if (before < 0) return steps;
    const tl_pass_sums s = MX_AT(*sums, before);
    if (!(s.rr > pass->tolerance)) return steps;
    steps.alpha = s.rr / s.pw;
    const double next = s.rr + steps.alpha * (steps.alpha * s.ww - 2 * s.rw);
    steps.beta = next > 1e-12 * s.rr ? next / s.rr : 0;
    return steps;
}

/* An even pass may leave its change of u, alpha p, to the pass after it. There p has changed, but
 * the p before is (p - r) / beta. The rounding error of that is some epsilon |p| / sqrt(beta): the
 * bound allows ten times the error of p itself. */
MX_BODY bool leaves_u(tl_steps steps) { return steps.alpha == 0 || steps.beta >= 0.01; }

MX_BODY void begin_pass(tl_pass *pass, const tl_sums_of_passes *sums)
{
    const bool even = pass->parity == 0;
    pass->now = steps_after(pass, sums, pass->before);
    pass->leaves_u = even && leaves_u(pass->now);
    double left = 0; /* u lacks left (p - r) */
    if (!even) {
        const tl_steps steps = steps_after(pass, sums, pass->before_that);
        if (steps.alpha != 0 && leaves_u(steps)) left = steps.alpha / steps.beta;
    }
    pass->u_from_p = pass->now.alpha + left;
    pass->u_from_r = -left;
}

/* ---- columns ---- */

MX_BODY void tl_begin_columns(tl_columns_args *a) { begin_pass(&a->pass, &a->sums); }

/* The new r and p of a cell, and the change of its u. */
typedef struct formed {
    double r, p, change;
} formed;

MX_BODY formed form(const tl_pass *pass, double r, double p, double w)
{
    formed f;
    f.r = r - pass->now.alpha * w;
    f.p = f.r + pass->now.beta * p;
    f.change = pass->u_from_p * p + pass->u_from_r * r;
    return f;
}

MX_BODY formed form_cell(const tl_columns_args *a, int cell)
{
    return form(&a->pass, MX_LOAD(a->r_before, 0, cell), MX_LOAD(a->p_before, 0, cell),
                MX_LOAD(a->w_before, 0, cell));
}

MX_BODY void store_cell(const tl_columns_args *a, int cell, formed f)
{
    MX_AT(a->r, 0, cell) = f.r;
    MX_AT(a->p, 0, cell) = f.p;
}

MX_BODY void add_sums(formed f, double w, tl_pass_sums *s)
{
    s->rr += f.r * f.r;
    s->pw += f.p * w;
    s->ww += w * w;
    s->rw += f.r * w;
}

/* Ghosts belong to the column or to the group of lines beside them. What the next line needs
 * again stays in registers. All loads of a line come before its stores, so that a GPU issues
 * them together. */
MX_BODY void tl_pass_columns_body(const tl_columns_args *a, int item, tl_pass_sums *s)
{
    const tl_pass *const pass = &a->pass;
    const int i = item % a->width, first = item / a->width * a->lines_of_item;
    const int end = mx_min(first + a->lines_of_item, pass->lines), pitch = a->pitch;
    if (i >= pass->length) return;
    int cell = (first + pass->ghosts) * pitch + i + pass->ghosts;
    const formed below = form_cell(a, cell - pitch);
    if (first == 0) store_cell(a, cell - pitch, below);
    formed centre = form_cell(a, cell);
    double p_below = below.p;
    double v_below = MX_LOAD(a->v, 0, cell - pitch), v_centre = MX_LOAD(a->v, 0, cell);
    for (int line = first; line < end; line++, cell += pitch) {
        const formed above = form_cell(a, cell + pitch);
        const formed left = form_cell(a, cell - 1), right = form_cell(a, cell + 1);
        const double v_above = MX_LOAD(a->v, 0, cell + pitch);
        const double u = pass->leaves_u ? 0 : MX_AT(a->u, 0, cell);
        const double w = tl_apply(pass->along, pass->across, v_centre, MX_LOAD(a->v, 0, cell - 1),
                                  MX_LOAD(a->v, 0, cell + 1), v_below, v_above, centre.p, left.p,
                                  right.p, p_below, above.p);
        if (i == 0) store_cell(a, cell - 1, left);
        if (i == pass->length - 1) store_cell(a, cell + 1, right);
        store_cell(a, cell, centre);
        MX_AT(a->w, 0, cell) = w;
        if (!pass->leaves_u) MX_AT(a->u, 0, cell) = u + centre.change;
        add_sums(centre, w, s);
        p_below = centre.p;
        centre = above;
        v_below = v_centre;
        v_centre = v_above;
    }
    if (end == pass->lines) store_cell(a, cell, centre);
}
MX_REDUCE_FIELDS(1D, tl_pass_columns, TL_PASS, MX_ITEMS_RESIDENT_4, tl_begin_columns)

/* Where a cell is, or a ghost. */
MX_BODY int place_of(const tl_columns_args *a, int sheet, int line, int i)
{
    const int ghosts = a->pass.ghosts;
    return (sheet + ghosts) * a->sheet + (line + ghosts) * a->pitch + i + ghosts;
}

/* The ghosts of a sheet: the line in front, the line at the back, then the ghost on the left and
 * the one on the right of each line. They have a kernel of their own, because a branch for them
 * in the kernel for columns takes registers of a GPU. */
MX_BODY void tl_pass_ghosts_3d_body(const tl_columns_args *a, int item)
{
    const int lines = a->pass.lines, length = a->pass.length;
    const int sheet = item / tl_ghosts_of_sheet(&a->pass);
    const int ghost = item % tl_ghosts_of_sheet(&a->pass), beside = ghost - 2 * length;
    const int line = beside >= 0 ? beside / 2 : ghost < length ? -1 : lines;
    const int i = beside < 0 ? ghost % length : beside % 2 == 0 ? -1 : length;
    const int cell = place_of(a, sheet, line, i);
    store_cell(a, cell, form_cell(a, cell));
}
MX_FOR(1D, tl_pass_ghosts_3d, MX_ITEMS_SIMD, tl_begin_columns)

/* In 3-D an item has two neighbouring cells of a line, which a GPU loads and stores at once. */
typedef struct formed_2 {
    formed a, b;
} formed_2;

/* What a step of a column needs of the cells one sheet above: the old r, p and w, and v. */
typedef struct ahead {
    mx_double2 r, p, w, v;
} ahead;

MX_BODY ahead load_ahead(const tl_columns_args *a, int64_t cell)
{
    const ahead next = {.r = MX_LOAD2(a->r_before, 0, cell),
                        .p = MX_LOAD2(a->p_before, 0, cell),
                        .w = MX_LOAD2(a->w_before, 0, cell),
                        .v = MX_LOAD2(a->v, 0, cell)};
    return next;
}

MX_BODY formed_2 form_2(const tl_pass *pass, ahead cells)
{
    const formed_2 f = {.a = form(pass, cells.r.a, cells.p.a, cells.w.a),
                        .b = form(pass, cells.r.b, cells.p.b, cells.w.b)};
    return f;
}

MX_BODY void store_2(const tl_columns_args *a, int cell, formed_2 f)
{
    const mx_double2 r = {f.a.r, f.b.r}, p = {f.a.p, f.b.p};
    MX_STORE2(r, a->r, 0, cell);
    MX_STORE2(p, a->p, 0, cell);
}

/* u of two cells, the second of which may be a ghost, which keeps its u. */
MX_BODY void change_u(const tl_columns_args *a, int cell, mx_double2 u, formed_2 f, bool both)
{
    const mx_double2 changed = {u.a + f.a.change, both ? u.b + f.b.change : u.b};
    MX_STORE2(changed, a->u, 0, cell);
}

/* What flows to the neighbours in the same sheet. */
MX_BODY mx_double2 flow_in_sheet(const tl_columns_args *a, int cell, formed_2 centre, mx_double2 v)
{
    const int pitch = a->pitch;
    const double left = form_cell(a, cell - 1).p, right = form_cell(a, cell + 2).p;
    const ahead in_front = load_ahead(a, cell - pitch), at_back = load_ahead(a, cell + pitch);
    const formed_2 front = form_2(&a->pass, in_front), back = form_2(&a->pass, at_back);
    const double v_left = MX_LOAD(a->v, 0, cell - 1), v_right = MX_LOAD(a->v, 0, cell + 2);
    const double along = a->pass.along, across = a->pass.across;
    const mx_double2 flow = {
        along * tl_flow(v.a, v_left, v.b, centre.a.p, left, centre.b.p) +
            across * tl_flow(v.a, in_front.v.a, at_back.v.a, centre.a.p, front.a.p, back.a.p),
        along * tl_flow(v.b, v.a, v_right, centre.b.p, centre.a.p, right) +
            across * tl_flow(v.b, in_front.v.b, at_back.v.b, centre.b.p, front.b.p, back.b.p)};
    return flow;
}

/* A column in 3-D goes through sheets. It is written apart from the one in 2-D, because it loads
 * two cells at once, and each step loads what the next one needs: two cells of five arrays that
 * are not in the cache yet. Their index has 64 bits, because nvcc then makes a branch of the
 * `if`, and issues the loads of the neighbours together. Otherwise it mixes loads and sums, and
 * loads wait for each other. A constant `changes_u` makes two such loops. Where the second cell
 * is the ghost at the end of a line, r and p become those of the rank that has the cell, w
 * becomes 0 until it is exchanged, and the sums are without it. */
MX_BODY void pass_column_3d(const tl_columns_args *a, int first, int line, int i, bool changes_u,
                            tl_pass_sums *s)
{
    const int sheet = a->sheet, end = mx_min(first + a->sheets_of_item, a->sheets);
    const bool both = i + 1 < a->pass.length;
    int cell = place_of(a, first, line, i);
    const ahead lowest = load_ahead(a, cell - sheet), lower = load_ahead(a, cell);
    formed_2 below = form_2(&a->pass, lowest), centre = form_2(&a->pass, lower);
    if (first == 0) store_2(a, cell - sheet, below);
    mx_double2 p_below = {below.a.p, below.b.p}, v_below = lowest.v, v_centre = lower.v;
    mx_double2 u_above = v_centre; /* any value, where no u is above */
    if (changes_u) {
        change_u(a, cell, MX_LOAD2(a->u, 0, cell), centre, both);
        if (first + 1 < end) u_above = MX_LOAD2(a->u, 0, cell + sheet);
    }
    ahead next = load_ahead(a, cell + sheet);
    for (int n = first; n < end; n++, cell += sheet) {
        const formed_2 above = form_2(&a->pass, next);
        const mx_double2 v_above = next.v, flow = flow_in_sheet(a, cell, centre, v_centre);
        const double w_a = centre.a.p + flow.a +
                           a->between * tl_flow(v_centre.a, v_below.a, v_above.a, centre.a.p,
                                                p_below.a, above.a.p);
        const double w_b = centre.b.p + flow.b +
                           a->between * tl_flow(v_centre.b, v_below.b, v_above.b, centre.b.p,
                                                p_below.b, above.b.p);
        if (n + 1 < end) {
            const int64_t above_both = (int64_t)cell + 2 * (int64_t)sheet;
            if (changes_u) change_u(a, cell + sheet, u_above, above, both);
            next = load_ahead(a, above_both);
            if (changes_u && n + 2 < end) u_above = MX_LOAD2(a->u, 0, above_both);
        }
        const mx_double2 w = {w_a, both ? w_b : 0};
        store_2(a, cell, centre);
        MX_STORE2(w, a->w, 0, cell);
        add_sums(centre.a, w_a, s);
        if (both) add_sums(centre.b, w_b, s);
        p_below.a = centre.a.p;
        p_below.b = centre.b.p;
        centre = above;
        v_below = v_centre;
        v_centre = v_above;
    }
    if (end == a->sheets) store_2(a, cell, centre);
}

MX_BODY void tl_pass_columns_3d_body(const tl_columns_args *a, int i0, int line, int i2,
                                     tl_pass_sums *s)
{
    const int i = 2 * (MX_INSTANCE_LAYOUT == 1 ? i0 : i2);
    const int group = MX_INSTANCE_LAYOUT == 1 ? i2 : i0;
    const int first = group * a->sheets_of_item;
    if (a->pass.leaves_u)
        pass_column_3d(a, first, line, i, false, s);
    else
        pass_column_3d(a, first, line, i, true, s);
}
MX_REDUCE_FIELDS(3D, tl_pass_columns_3d, TL_PASS, MX_ITEMS_RESIDENT_2, tl_begin_columns)

/* ---- bands ---- */

MX_BODY void tl_begin_bands(tl_bands_args *a) { begin_pass(&a->pass, &a->sums); }

/* Cell 0 of a line. */
#define LINE(view, line) (&TL_CELL(view, (line) + a->pass.ghosts, a->pass.ghosts))
#define SUMS_OF_LINE(line) (&MX_AT(a->line_sums, line))

enum { FIRST, LAST, SIDES };
enum { R, P, W, FIELDS };

MX_BODY int first_line(const tl_bands_args *a, int band)
{
    return (int)((int64_t)a->pass.lines * band / a->bands);
}

/* Cell 0 of line `number` in `edges`. */
MX_BODY double *edge(const tl_bands_args *a, int number)
{
    return &MX_AT(a->edges, (int64_t)number * (a->pass.length + 2) + 1);
}

MX_BODY double *kept(const tl_bands_args *a, int parity, int band, int side, int field)
{
    return edge(a, ((parity * a->bands + band) * SIDES + side) * FIELDS + field);
}

MX_BODY double *beside(const tl_bands_args *a, int band, int side)
{
    return edge(a, (2 * FIELDS * a->bands + band) * SIDES + side);
}

MX_BODY void keep_line(const tl_bands_args *a, int parity, int band, int side, int line)
{
    const double *const MX_RESTRICT r = LINE(a->r, line), *const MX_RESTRICT p = LINE(a->p, line),
                                    *const MX_RESTRICT w = LINE(a->w, line);
    double *const MX_RESTRICT r_kept = kept(a, parity, band, side, R);
    double *const MX_RESTRICT p_kept = kept(a, parity, band, side, P);
    double *const MX_RESTRICT w_kept = kept(a, parity, band, side, W);
    MX_SIMD for (int i = -1; i <= a->pass.length; i++)
    {
        r_kept[i] = r[i];
        p_kept[i] = p[i];
        w_kept[i] = w[i];
    }
}

MX_BODY void keep_edges(const tl_bands_args *a, int parity, int band)
{
    keep_line(a, parity, band, FIRST, first_line(a, band));
    keep_line(a, parity, band, LAST, first_line(a, band + 1) - 1);
}

MX_BODY void tl_keep_edges_body(const tl_bands_args *a, int band)
{
    keep_edges(a, a->pass.parity, band);
}
MX_FOR(1D, tl_keep_edges, MX_ITEMS_PLAIN)

/* The loops below that form a sum over the cells of a line add them in the same order, so that it does
 * not matter which lines a band begins and ends with. clang would choose for each loop how many
 * vectors it adds at the same time. It vectorises all of them only with the flag for loads that
 * minx_kernels() gives it. */
#if defined(__clang__) && defined(__OPTIMIZE__) && !MX_ON_DEVICE
#define SUM_CELLS(...) \
    _Pragma("clang loop vectorize(assume_safety) vectorize_width(8) interleave_count(1)")
#else
#define SUM_CELLS(...) MX_SIMD_SUM(__VA_ARGS__)
#endif

/* r and p of the cells of a line, and u if it changes; returns their r.r. */
MX_BODY double form_cells(const tl_bands_args *a, int line, int length, bool changes_u)
{
    const tl_pass pass = a->pass;
    double *const MX_RESTRICT u = LINE(a->u, line);
    double *const MX_RESTRICT r = LINE(a->r, line);
    double *const MX_RESTRICT p = LINE(a->p, line);
    const double *const MX_RESTRICT w = LINE(a->w, line);
    double rr = 0;
    SUM_CELLS(rr)
    for (int i = 0; i < length; i++) {
        const formed f = form(&pass, r[i], p[i], w[i]);
        if (changes_u) u[i] += f.change;
        r[i] = f.r;
        p[i] = f.p;
        rr += f.r * f.r;
    }
    return rr;
}

/* r and p of the ghosts at the ends of a line. They do not count, and their u is not used. */
MX_BODY void form_ends(const tl_bands_args *a, int line)
{
    double *const r = LINE(a->r, line), *const p = LINE(a->p, line);
    const double *const w = LINE(a->w, line);
    for (int i = -1; i <= a->pass.length; i += a->pass.length + 1) {
        const formed f = form(&a->pass, r[i], p[i], w[i]);
        r[i] = f.r;
        p[i] = f.p;
    }
}

MX_BODY_NOINLINE double form_line(const tl_bands_args *a, int line)
{
    const int length = a->pass.length;
    form_ends(a, line);
    return a->pass.leaves_u ? form_cells(a, line, length, false)
                            : form_cells(a, line, length, true);
}

/* The new p of the line beside a band: in its array if the line is one of ghosts, else from what
 * the other band has kept. */
MX_BODY const double *form_beside(const tl_bands_args *a, int band, int side)
{
    const int other = side == FIRST ? band - 1 : band + 1;
    if (other < 0 || other == a->bands) {
        const int line = side == FIRST ? -1 : a->pass.lines;
        (void)form_line(a, line);
        return LINE(a->p, line);
    }
    const double alpha = a->pass.now.alpha, beta = a->pass.now.beta;
    const int end = side == FIRST ? LAST : FIRST;
    const double *const MX_RESTRICT r = kept(a, a->pass.parity, other, end, R);
    const double *const MX_RESTRICT p = kept(a, a->pass.parity, other, end, P);
    const double *const MX_RESTRICT w = kept(a, a->pass.parity, other, end, W);
    double *const MX_RESTRICT next = beside(a, band, side);
    MX_SIMD for (int i = 0; i < a->pass.length; i++) next[i] = r[i] - alpha * w[i] + beta * p[i];
    return next;
}

MX_BODY void store_sums(const tl_bands_args *a, int line, double pw, double ww, double rw)
{
    const int64_t lines = a->pass.lines;
    *SUMS_OF_LINE(lines + line) = pw;
    *SUMS_OF_LINE(2 * lines + line) = ww;
    *SUMS_OF_LINE(3 * lines + line) = rw;
}

/* w = A p of a line, from p of the line and of those beside it; and its sums. Not inlined:
 * gcc then keeps all addresses of the loop in general registers. */
MX_BODY_NOINLINE void multiply_line(const tl_bands_args *a, int line, const double *below_,
                                    const double *above_)
{
    const double *const MX_RESTRICT below = below_, *const MX_RESTRICT above = above_;
    const double *const MX_RESTRICT p = LINE(a->p, line);
    const double *const MX_RESTRICT r = LINE(a->r, line);
    const double *const MX_RESTRICT v = LINE(a->v, line);
    const double *const MX_RESTRICT v_below = LINE(a->v, line - 1);
    const double *const MX_RESTRICT v_above = LINE(a->v, line + 1);
    double *const MX_RESTRICT w = LINE(a->w, line);
    double pw = 0, ww = 0, rw = 0;
    SUM_CELLS(pw, ww, rw)
    for (int i = 0; i < a->pass.length; i++) {
        const double ap =
            tl_apply(a->pass.along, a->pass.across, v[i], v[i - 1], v[i + 1], v_below[i],
                     v_above[i], p[i], p[i - 1], p[i + 1], below[i], above[i]);
        w[i] = ap;
        pw += p[i] * ap;
        ww += ap * ap;
        rw += r[i] * ap;
    }
    store_sums(a, line, pw, ww, rw);
}

/* form_line of the next line, which is line + towards, and multiply_line of the line, in one loop:
 * memory or caches deliver the next line during the product. `towards` and `changes_u` are
 * constants. */
MX_BODY void advance(const tl_bands_args *a, int line, const double *behind_, int towards,
                     bool changes_u)
{
    const int next = line + towards;
    const tl_pass pass = a->pass;
    double *const MX_RESTRICT u_ahead = LINE(a->u, next);
    double *const MX_RESTRICT r_ahead = LINE(a->r, next);
    double *const MX_RESTRICT p_ahead = LINE(a->p, next);
    const double *const MX_RESTRICT w_ahead = LINE(a->w, next);
    const double *const MX_RESTRICT behind = behind_;
    const double *const MX_RESTRICT p = LINE(a->p, line);
    const double *const MX_RESTRICT r = LINE(a->r, line);
    const double *const MX_RESTRICT v = LINE(a->v, line);
    const double *const MX_RESTRICT v_below = LINE(a->v, line - 1);
    const double *const MX_RESTRICT v_above = LINE(a->v, line + 1);
    double *const MX_RESTRICT w = LINE(a->w, line);
    double rr = 0, pw = 0, ww = 0, rw = 0;
    form_ends(a, next);
    SUM_CELLS(rr, pw, ww, rw)
    for (int i = 0; i < pass.length; i++) {
        const formed f = form(&pass, r_ahead[i], p_ahead[i], w_ahead[i]);
        if (changes_u) u_ahead[i] += f.change;
        r_ahead[i] = f.r;
        p_ahead[i] = f.p;
        rr += f.r * f.r;
        const double below = towards > 0 ? behind[i] : f.p, above = towards > 0 ? f.p : behind[i];
        const double ap = tl_apply(pass.along, pass.across, v[i], v[i - 1], v[i + 1], v_below[i],
                                   v_above[i], p[i], p[i - 1], p[i + 1], below, above);
        w[i] = ap;
        pw += p[i] * ap;
        ww += ap * ap;
        rw += r[i] * ap;
    }
    *SUMS_OF_LINE(next) = rr;
    store_sums(a, line, pw, ww, rw);
}
MX_BODY_NOINLINE void advance_up(const tl_bands_args *a, int line, const double *behind)
{
    advance(a, line, behind, 1, true);
}
MX_BODY_NOINLINE void advance_up_leaving_u(const tl_bands_args *a, int line, const double *behind)
{
    advance(a, line, behind, 1, false);
}
MX_BODY_NOINLINE void advance_down(const tl_bands_args *a, int line, const double *behind)
{
    advance(a, line, behind, -1, true);
}

/* Odd passes go from the last line to the first, so that they begin with the lines that the pass
 * before has left in the cache. The results are the same, to the last bit. */
MX_BODY void tl_pass_bands_body(const tl_bands_args *a, int band)
{
    const bool up = a->pass.parity == 0;
    const int first = first_line(a, band), last = first_line(a, band + 1) - 1;
    const int begin = up ? first : last, towards = up ? 1 : -1, end = up ? last : first;
    const double *behind = form_beside(a, band, up ? FIRST : LAST);
    const double *const beyond = form_beside(a, band, up ? LAST : FIRST);
    *SUMS_OF_LINE(begin) = form_line(a, begin);
    for (int line = begin; line != end; line += towards) {
        if (!up)
            advance_down(a, line, behind);
        else if (a->pass.leaves_u)
            advance_up_leaving_u(a, line, behind);
        else
            advance_up(a, line, behind);
        behind = LINE(a->p, line);
    }
    multiply_line(a, end, up ? behind : beyond, up ? beyond : behind);
    keep_edges(a, 1 - a->pass.parity, band);
}
MX_FOR(1D, tl_pass_bands, MX_ITEMS_PLAIN, tl_begin_bands)

MX_BODY void tl_pass_lines_body(const tl_lines_args *a, int line, tl_pass_sums *s)
{
    const int64_t lines = a->lines;
    s->rr += MX_AT(a->line_sums, line);
    s->pw += MX_AT(a->line_sums, lines + line);
    s->ww += MX_AT(a->line_sums, 2 * lines + line);
    s->rw += MX_AT(a->line_sums, 3 * lines + line);
}
MX_REDUCE_FIELDS(1D, tl_pass_lines, TL_PASS, MX_ITEMS_SIMD)
