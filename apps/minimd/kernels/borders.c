#include "minx/kernel.h"
#include "minx/scan.h"

#include "md_kernels.h"

#include <stdlib.h>

MX_BODY void md_place_atoms_body(const md_place_args *a, int i, md_placed *sum)
{
    int brick[3];
    bool valid = true, is_far = false;
    for (int d = 0; d < 3; d++) {
        const double x = MX_AT(a->position, i, d);
        valid = valid && fabs(x) <= MD_FARTHEST * a->box.length[d]; /* false for NaN */
    }
    for (int d = 0; d < 3; d++) {
        brick[d] = a->box.brick[d];
        if (!valid) continue;
        const double x = md_wrap(&a->box, d, MX_AT(a->position, i, d));
        MX_AT(a->position, i, d) = x;
        brick[d] = md_brick_at(&a->box, d, x);
        const int away = abs(brick[d] - a->box.brick[d]);
        is_far = is_far || mx_min(away, a->box.ranks[d] - away) > 1;
    }
    MX_AT(a->rank, i) = md_brick_rank(&a->box, brick);
    sum->lost += valid ? 0 : 1;
    sum->far += is_far ? 1 : 0;
}
MX_REDUCE_FIELDS(1D, md_place_atoms, MD_PLACED, MX_ITEMS_PLAIN)

/* Which bricks along axis d need the atom at x: bit k + range for the brick k away. Farther bricks
 * need fewer atoms. */
MX_BODY uint32_t bricks_along(const md_images_args *a, int d, double x)
{
    const int range = a->around.range[d];
    uint32_t bits = 1u << range;
    for (int k = 0; k < range && x >= a->above[d][k]; k++) bits |= 1u << (range + k + 1);
    for (int k = 0; k < range && x <= a->below[d][k]; k++) bits |= 1u << (range - k - 1);
    return bits;
}

/* Stores the images of atom i in all bricks that need it, but its own. */
MX_BODY void store_images(const md_images_args *a, int i, const uint32_t *bits, int64_t at)
{
    const int size_x = md_around_size(&a->around, 0), size_y = md_around_size(&a->around, 1),
              size_z = md_around_size(&a->around, 2);
    const int middle = md_around_count(&a->around) / 2;
    for (int z = 0; z < size_z; z++) {
        if ((bits[2] >> z & 1) == 0) continue;
        for (int y = 0; y < size_y; y++) {
            if ((bits[1] >> y & 1) == 0) continue;
            for (int x = 0; x < size_x; x++) {
                const int place = (z * size_y + y) * size_x + x;
                if ((bits[0] >> x & 1) == 0 || place == middle || at >= a->room) continue;
                MX_AT(a->image_atom, at) = i;
                MX_AT(a->image_place, at) = MX_AT(a->slot, place);
                at++;
            }
        }
    }
}

MX_BODY void md_find_images_body(const md_images_args *a, int i, int64_t *sum, bool final)
{
    uint32_t bits[3];
    int images = 1;
    for (int d = 0; d < 3; d++) {
        bits[d] = bricks_along(a, d, MX_AT(a->position, i, d));
        images *= mx_popcount(bits[d]);
    }
    if (images == 1) return;
    if (final) store_images(a, i, bits, *sum);
    *sum += images - 1;
}
MX_SCAN(1D, md_find_images, MX_SUM, MX_ITEMS_PLAIN)

MX_BODY void md_gather_images_body(const md_gather_args *a, int n)
{
    MX_AT(a->send, n) = MX_AT(a->image_atom, MX_AT(a->image_place, n));
}
MX_FOR(1D, md_gather_images)
