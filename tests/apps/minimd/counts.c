/* The lattice of miniMD by formulas (md_lattice.h, md_box.h), against counting one by one where
 * that is possible, and in boxes of more than 2^31 atoms, where it is not. */
#include "md_lattice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;

static void expect(const char *what, int64_t got, int64_t expected)
{
    if (got == expected) return;
    printf("%s: got %" PRId64 ", expected %" PRId64 "\n", what, got, expected);
    failures++;
}

/* Every site of a piece, visited in order. */
static void count_piece(const md_lattice *l)
{
    int64_t atoms = 0, before = 0;
    for (int k = 0; k < l->count[2]; k++) {
        for (int j = 0; j < l->count[1]; j++) {
            int m = 0;
            for (int i = 0; i < l->count[0]; i++) {
                const int64_t x = l->first[0] + i, y = l->first[1] + j, z = l->first[2] + k;
                if ((x + y + z) % 2 != 0) continue;
                const md_site s = md_lattice_site(l, k, j, m++);
                expect("exists", s.exists, 1);
                expect("index", s.index, atoms++);
                expect("x", s.at[0], x);
                expect("id grows", s.id > before, 1);
                expect("seed", md_lattice_seed(l, &s),
                       z * (2 * l->cells[1]) * (2 * l->cells[0]) + y * (2 * l->cells[0]) + x + 1);
                before = s.id;
            }
            expect("beyond the row", md_lattice_site(l, k, j, m).exists, 0);
        }
    }
    expect("atoms", md_lattice_atoms(l), atoms);
}

static void test_pieces(void)
{
    for (int n = 0; n < 200; n++) {
        md_lattice l = {.spacing = 1};
        for (int d = 0; d < 3; d++) {
            l.cells[d] = 1 + rand() % 5;
            l.first[d] = rand() % (2 * l.cells[d]);
            l.count[d] = rand() % (int)(2 * l.cells[d] - l.first[d] + 1);
        }
        count_piece(&l);
    }
}

/* The first and the last atom of the whole box: ids are 1 to the number of atoms. */
static void test_large(int64_t cells)
{
    md_lattice l = {.cells = {cells, cells, cells}, .spacing = 1};
    for (int d = 0; d < 3; d++) l.count[d] = (int)(2 * cells);
    const int last = (int)(2 * cells) - 1;
    const md_site low = md_lattice_site(&l, 0, 0, 0);
    const md_site high = md_lattice_site(&l, last, last, (int)cells - 1);
    expect("atoms of the box", md_lattice_atoms(&l), 4 * cells * cells * cells);
    expect("first id", low.id, 1);
    expect("last id", high.id, 4 * cells * cells * cells);
    expect("last index", high.index, 4 * cells * cells * cells - 1);
    /* the last site with an atom is in front of the last one */
    expect("last seed", md_lattice_seed(&l, &high), 8 * cells * cells * cells - 1);
    expect("the row ends", md_lattice_site(&l, last, last, (int)cells).exists, 0);
    const double v = md_lattice_velocity(md_lattice_seed(&l, &high), 0);
    expect("velocity between 0 and 1", v >= 0 && v < 1, 1);
}

/* The n-th number of the generator, one by one: Park and Miller (1988) give 1043618065 as the
 * 10,000th from 1. */
static int64_t generate(int64_t state, int n)
{
    while (n-- > 0) state = state * 16807 % MD_RANDOM_MODULUS;
    return state;
}

static void test_velocities(void)
{
    static const int64_t seeds[] = {1, 2, 12345, 2147483646, 2147483648, 8000000000};
    expect("the generator", generate(1, 10000), 1043618065);
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        for (int d = 0; d < 3; d++) {
            const double v = md_lattice_velocity(seeds[i], d) * MD_RANDOM_MODULUS;
            expect("velocity", (int64_t)floor(v + 0.5),
                   generate(seeds[i] % MD_RANDOM_MODULUS, 6 * (d + 1)));
        }
    }
}

/* Types are equally frequent: 5 standard deviations of a binomial distribution. */
static void test_types(void)
{
    enum { ATOMS = 100000, TYPES = 4 };
    int found[TYPES] = {0};
    for (int64_t id = 1; id <= ATOMS; id++) found[md_lattice_type(id, TYPES)]++;
    const double expected = (double)ATOMS / TYPES, deviation = sqrt(expected * (1 - 1.0 / TYPES));
    for (int t = 0; t < TYPES; t++)
        expect("atoms of a type", fabs(found[t] - expected) < 5 * deviation, 1);
    expect("one type", md_lattice_type(77, 1), 0);
}

/* Each position has one brick, whatever divisions round to; brick k away is the same from both
 * sides. */
static void test_bricks(void)
{
    md_box box = {.length = {16.8, 0.1, 1e9}, .ranks = {3, 7, 1000}};
    for (int d = 0; d < 3; d++) {
        for (int b = 0; b < box.ranks[d]; b++) {
            const double low = md_brick_low(&box, d, b);
            expect("brick at its low side", md_brick_at(&box, d, low), b);
            if (b > 0) expect("brick before", md_brick_at(&box, d, nextafter(low, 0)), b - 1);
        }
        expect("inside", md_brick_at(&box, d, nextafter(box.length[d], 0)), box.ranks[d] - 1);
        expect("wrapped -0", md_wrap(&box, d, -1e-300) < box.length[d], 1);
        expect("wrapped end", md_wrap(&box, d, box.length[d]) == 0, 1);
        expect("wrapped far",
               fabs(md_wrap(&box, d, -3.25 * box.length[d]) / box.length[d] - 0.75) < 1e-12, 1);
    }
    expect("turns", md_brick_turns(&box, 0, -1), -1);
    expect("turns", md_brick_turns(&box, 0, -3), -1);
    expect("turns", md_brick_turns(&box, 0, -4), -2);
    expect("turns", md_brick_turns(&box, 0, 2), 0);
    expect("turns", md_brick_turns(&box, 0, 3), 1);
    expect("rank", md_brick_rank(&box, (const int[]){-1, 7, 1}), (1 * 7 + 0) * 3 + 2);
}

static void test_freedom(void)
{
    expect("degrees of freedom of one atom", (int64_t)md_degrees_of_freedom(1), 0);
    expect("degrees of freedom", (int64_t)md_degrees_of_freedom(905969664), 2717908989);
    expect("degrees of freedom", (int64_t)md_degrees_of_freedom(32000000000), 95999999997);
}

int main(void)
{
    test_freedom();
    test_pieces();
    test_large(630);  /* 1.0e9 atoms: site numbers beyond 2^31 */
    test_large(2000); /* 3.2e10 atoms */
    test_velocities();
    test_types();
    test_bricks();
    return failures == 0 ? 0 : 1;
}
