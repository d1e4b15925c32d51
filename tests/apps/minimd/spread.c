/* LAMMPS data files on several ranks: every atom arrives once, with its own values, whether ids
 * have gaps or not, and every rank gets its share; errors that only rank 0 or only another rank
 * can see are errors on all. No kernels run, so backends do not matter. */
#include "check.h"
#include "input/md_data_spread.h"

enum { ATOMS = 2 * MD_DATA_ROWS + 11, STEP = 7919 }; /* STEP and ATOMS have no common factor */

static const char path[] = "atoms.data";

/* Ids: 1 to `atoms`, or with gaps of which some are large. */
static bool gaps;
static int64_t id_of(int64_t place)
{
    if (!gaps) return place + 1;
    return 4 * place + 2 + (place % 7 == 0) + (place > 5 ? (int64_t)1 << 50 : 0);
}

static double value_of(int64_t id, int d) { return (double)(id % 65521 * 3 + d) * 0.125; }

/* Ids in an order that jumps. With `twice` > 0 the last row of that section (1: Atoms, 2:
 * Velocities) has the id of the first. */
static bool write_file(int atoms, bool velocities, int twice)
{
    FILE *const f = fopen(path, "w");
    if (!f) return false;
    fprintf(f, "\n%d atoms\n2 atom types\n-1 1e6 xlo xhi\n0 1e6 ylo yhi\n0 1e6 zlo zhi\n\n", atoms);
    for (int section = 1; section <= (velocities ? 2 : 1); section++) {
        fprintf(f, section == 1 ? "Atoms # atomic\n\n" : "\nVelocities\n\n");
        for (int i = 0; i < atoms; i++) {
            const int at = twice == section && i == atoms - 1 ? 0 : i;
            const int64_t id = id_of((int64_t)at * STEP * section % atoms);
            const double sign = section == 1 ? 1 : -1;
            fprintf(f, "%lld", (long long)id);
            if (section == 1) fprintf(f, " %d", (int)(id % 2) + 1);
            for (int d = 0; d < 3; d++) fprintf(f, " %.17g", sign * value_of(id, d));
            fprintf(f, "\n");
        }
    }
    fprintf(f, "\nMasses\n\n1 1\n2 2.5\n");
    return fclose(f) == 0;
}

static void check_atoms(app_comm comm, int atoms, bool velocities)
{
    md_data_about about;
    md_data_atoms mine;
    int64_t wrong = 0, all, id_sum = 0;
    CHECK_OK(md_data_spread(comm, path, &about, &mine));
    CHECK_I64(about.atoms, atoms);
    CHECK(about.types == 2 && about.low[0] == -1 && about.high[1] == 1e6);
    CHECK(about.has_masses && about.mass[1] == 2.5 && about.has_velocities == velocities);
    all = mine.count;
    CHECK_OK(app_sum_i64(comm, &all, 1));
    CHECK_I64(all, atoms);
    for (mx_lid i = 0; i < mine.count; i++) {
        const int64_t id = mine.id[i];
        wrong += i > 0 && mine.id[i - 1] >= id;
        id_sum += id % 65521;
        wrong += mine.type[i] != id % 2;
        for (int d = 0; d < 3; d++) {
            wrong += mine.position[i][d] != value_of(id, d);
            wrong += mine.velocity[i][d] != (velocities ? -value_of(id, d) : 0);
        }
    }
    CHECK_I64(wrong, 0);
    for (int i = 0; i < atoms; i++) id_sum -= app_rank(comm) == 0 ? id_of(i) % 65521 : 0;
    CHECK_OK(app_sum_i64(comm, &id_sum, 1));
    CHECK_I64(id_sum, 0);
    /* a hash of 33,000 ids: shares differ by some 1 % */
    if (atoms == ATOMS) CHECK_F64(mine.count, (double)atoms / app_size(comm), 0.05 * atoms);
    md_data_free_atoms(&mine);
}

static void test(app_comm comm, int atoms, bool velocities)
{
    if (app_rank(comm) == 0) CHECK(write_file(atoms, velocities, 0));
    check_atoms(comm, atoms, velocities);
}

static void test_twice(app_comm comm, int section, const char *message)
{
    md_data_about about;
    md_data_atoms mine;
    if (app_rank(comm) == 0) CHECK(write_file(ATOMS, true, section));
    CHECK_FAILS(md_data_spread(comm, path, &about, &mine), MX_ERR_INPUT, message);
    CHECK(mine.count == 0 && !mine.position);
}

/* A velocity of an id that no atom has. */
static void test_stray(app_comm comm)
{
    static const char text[] = "\n2 atoms\n1 atom types\n0 1 xlo xhi\n0 1 ylo yhi\n0 1 zlo zhi\n\n"
                               "Velocities\n\n7 0 0 0\n9 1 1 1\n\nAtoms\n\n8 1 0 0 0\n9 1 0 0 0\n";
    md_data_about about;
    md_data_atoms mine;
    FILE *const f = app_rank(comm) == 0 ? fopen(path, "w") : NULL;
    if (f) CHECK(fputs(text, f) >= 0 && fclose(f) == 0);
    CHECK_FAILS(md_data_spread(comm, path, &about, &mine), MX_ERR_INPUT,
                "atoms.data:10: Velocities: got the id 7, expected the id of an atom");
}

int main(int argc, char **argv)
{
    app_comm comm;
    md_data_about about;
    md_data_atoms mine;
    if (app_comm_open(&argc, &argv, &comm) != MX_OK) return 1;
    for (int turn = 0; turn < 2; turn++) {
        gaps = turn > 0;
        test(comm, ATOMS, true);
        test(comm, ATOMS, false);
        test(comm, 3, true); /* more ranks than atoms */
    }
    gaps = false;
    test_stray(comm);
    test_twice(comm, 1, "Atoms: got the id 1 a second time, expected each id once");
    test_twice(comm, 2, "Velocities: got the id 1 a second time");
    CHECK_FAILS(md_data_spread(comm, "no/such.data", &about, &mine), MX_ERR_INPUT, "no/such.data");
    const int code = check_exit(comm);
    app_comm_close(&comm);
    return code;
}
