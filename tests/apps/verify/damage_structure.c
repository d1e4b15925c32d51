/* The structure of a results file, damaged by HDF5 itself: what no program of minx writes, but what
 * the format allows. */
#include "damage.h"
#include "results/results_reader.h"

#define H5_USE_110_API 1
#include <hdf5.h>
#include <string.h>
#include <sys/stat.h>

/* ---- random numbers and files ---- */

int64_t dm_below(dm_random *r, int64_t limit)
{
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return limit > 0 ? (int64_t)((z ^ z >> 31) % (uint64_t)limit) : 0;
}

dm_random dm_seed(int64_t number)
{
    return (dm_random){.state = (uint64_t)number * 0x2545f4914f6cdd1du + 1};
}

unsigned char *dm_read(const char *path, size_t *size)
{
    FILE *const file = fopen(path, "rb");
    MUST(file && fseek(file, 0, SEEK_END) == 0);
    const long end = ftell(file);
    MUST(end >= 0 && fseek(file, 0, SEEK_SET) == 0);
    unsigned char *const data = malloc((size_t)end + DM_SPARE);
    MUST(data && fread(data, 1, (size_t)end, file) == (size_t)end);
    fclose(file);
    *size = (size_t)end;
    return data;
}

void dm_write(const char *path, const void *data, size_t size)
{
    FILE *const file = fopen(path, "wb");
    MUST(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

void dm_copy(const char *from, const char *to)
{
    size_t size;
    unsigned char *const data = dm_read(from, &size);
    dm_write(to, data, size);
    free(data);
}

void dm_begin(void)
{
    H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    remove("damage.fifo");
    MUST(mkfifo("damage.fifo", 0600) == 0);
}

/* ---- the objects of a file ---- */

enum { MAX_OBJECTS = 512, MAX_NAME = 128 };

typedef struct objects {
    char name[MAX_OBJECTS][MAX_NAME];
    int count;
} objects;

static herr_t add_object(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    (void)group;
    (void)info;
    objects *const all = data;
    if (all->count < MAX_OBJECTS && strlen(name) < MAX_NAME) strcpy(all->name[all->count++], name);
    return 0;
}

static const char *any_object(dm_random *r, hid_t file)
{
    static objects all;
    all.count = 0;
    (void)H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, add_object, &all);
    return all.count > 0 ? all.name[dm_below(r, all.count)] : ".";
}

/* ---- links and groups; each function changes one thing, as far as it can be changed ---- */

typedef void (*change)(dm_random *r, hid_t file);

static void remove_object(dm_random *r, hid_t file)
{
    H5Ldelete(file, any_object(r, file), H5P_DEFAULT);
}

static void move_object(dm_random *r, hid_t file)
{
    H5Lmove(file, any_object(r, file), file, "/fields/moved", H5P_DEFAULT, H5P_DEFAULT);
}

/* One object in two places: perhaps a group in itself. */
static void link_twice(dm_random *r, hid_t file)
{
    char name[2 * MAX_NAME];
    const hid_t object = H5Oopen(file, any_object(r, file), H5P_DEFAULT);
    snprintf(name, sizeof name, "%s/again", any_object(r, file));
    H5Olink(object, file, name, H5P_DEFAULT, H5P_DEFAULT);
    H5Oclose(object);
}

static void link_softly(dm_random *r, hid_t file)
{
    static const char *const targets[] = {"/", "/none", "/fields/soft", "/input/eps"};
    H5Lcreate_soft(targets[dm_below(r, 4)], file, "/fields/soft", H5P_DEFAULT, H5P_DEFAULT);
}

static void link_outside(dm_random *r, hid_t file)
{
    static const char *const files[] = {"damage.fifo", "damaged.h5", "/dev/zero", "none.h5"};
    static const char *const places[] = {"/fields/outside", "/outside", "/integrity/manifest"};
    const char *const place = places[dm_below(r, 3)];
    H5Ldelete(file, place, H5P_DEFAULT);
    H5Lcreate_external(files[dm_below(r, 4)], "/", file, place, H5P_DEFAULT, H5P_DEFAULT);
}

static void nest_groups(dm_random *r, hid_t file)
{
    hid_t group = H5Gopen2(file, "/", H5P_DEFAULT);
    for (int64_t depth = dm_below(r, 40) == 0 ? 3000 : dm_below(r, 30); depth > 0; --depth) {
        const hid_t inner = H5Gcreate2(group, "n", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Gclose(group);
        group = inner;
    }
    H5Gclose(group);
}

static void add_groups(dm_random *r, hid_t file)
{
    char name[64];
    for (int64_t n = dm_below(r, 300); n > 0; --n) {
        snprintf(name, sizeof name, "/performance/%d", (int)n);
        H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
}

static void add_strange_name(dm_random *r, hid_t file)
{
    static char longest[20000];
    memset(longest, 'x', sizeof longest - 1);
    static const char *const names[] = {"\033[2Jcleared", "new\nline", "\x9b\x31m", "\xc2\x9b",
                                        longest};
    H5Gclose(H5Gcreate2(file, names[dm_below(r, 5)], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

/* ---- datasets ---- */

static hid_t strange_type(dm_random *r)
{
    const hsize_t three = 3;
    hid_t type;
    switch (dm_below(r, 8)) {
    case 0: return H5Tcopy(H5T_IEEE_F32LE);
    case 1: return H5Tcopy(H5T_IEEE_F64BE);
    case 2: return H5Tcopy(H5T_STD_U8LE);
    case 3: return H5Tarray_create2(H5T_IEEE_F64LE, 1, &three);
    case 4: return H5Tvlen_create(H5T_IEEE_F64LE);
    case 5: return H5Tcopy(H5T_STD_REF_OBJ);
    case 6:
        type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, H5T_VARIABLE);
        return type;
    default:
        type = H5Tcreate(H5T_COMPOUND, 16);
        H5Tinsert(type, "a", 0, H5T_IEEE_F64LE);
        return type;
    }
}

static hid_t strange_space(dm_random *r)
{
    hsize_t shape[H5S_MAX_RANK];
    const int rank = (int)dm_below(r, H5S_MAX_RANK) + 1;
    for (int d = 0; d < rank; ++d) shape[d] = 1 + (hsize_t)dm_below(r, 3);
    const int kind = (int)dm_below(r, 4);
    if (kind == 0) return H5Screate(H5S_NULL);
    if (kind == 1) {
        shape[0] = (hsize_t)1 << dm_below(r, 63);
        return H5Screate_simple(1, shape, NULL);
    }
    if (kind == 2) {
        shape[0] = 0;
        return H5Screate_simple(1 + rank % 8, shape, NULL);
    }
    return H5Screate_simple(rank, shape, NULL);
}

static hid_t strange_storage(dm_random *r, hid_t space)
{
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    const int rank = H5Sget_simple_extent_ndims(space);
    hsize_t chunk[H5S_MAX_RANK];
    for (int d = 0; d < H5S_MAX_RANK; ++d) chunk[d] = 1 + (hsize_t)dm_below(r, d > 0 ? 3 : 2000);
    switch (dm_below(r, 5)) {
    case 0:
        H5Pset_external(list, dm_below(r, 2) == 0 ? "damage.fifo" : "/dev/zero", 0, H5F_UNLIMITED);
        break;
    case 1: H5Pset_virtual(list, space, "damaged.h5", "/fields/density", space); break;
    case 2:
        if (rank > 0) H5Pset_chunk(list, rank, chunk);
        H5Pset_fletcher32(list);
        break;
    case 3:
        if (rank > 0) H5Pset_chunk(list, rank, chunk);
        break;
    default: break;
    }
    return list;
}

/* Another dataset in the place of an object, or beside the fields. */
static void replace_dataset(dm_random *r, hid_t file)
{
    char name[MAX_NAME + 1];
    snprintf(name, sizeof name, "/%s", any_object(r, file));
    if (dm_below(r, 4) == 0) strcpy(name, "/fields/strange");
    H5Ldelete(file, name, H5P_DEFAULT);
    const hid_t type = dm_below(r, 2) == 0 ? strange_type(r) : H5Tcopy(H5T_IEEE_F64LE);
    const hid_t space = strange_space(r), list = strange_storage(r, space);
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Dclose(set);
    H5Pclose(list);
    H5Sclose(space);
    H5Tclose(type);
}

static void commit_type(dm_random *r, hid_t file)
{
    const hid_t type = strange_type(r);
    H5Tcommit2(file, "/fields/type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Tclose(type);
}

/* ---- attributes ---- */

static void remove_attribute(dm_random *r, hid_t file)
{
    static const char *const names[] = {"units",   "spacing",   "schema",
                                        "verdict", "exit_code", "app"};
    const bool root = dm_below(r, 2) == 0;
    H5Adelete_by_name(file, root ? "/" : any_object(r, file), names[dm_below(r, 6)], H5P_DEFAULT);
}

static void add_attribute(dm_random *r, hid_t file)
{
    static const char *const names[] = {"units", "verdict",     "app",
                                        "more",  "line\nbreak", "exit_code"};
    static const char junk[1 << 16];
    const char *const object = dm_below(r, 2) == 0 ? "/" : any_object(r, file);
    const char *const name = names[dm_below(r, 6)];
    H5Adelete_by_name(file, object, name, H5P_DEFAULT);
    const hid_t type = strange_type(r);
    const hsize_t count = (hsize_t)dm_below(r, 500);
    const hid_t space =
        dm_below(r, 2) == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, NULL);
    const hid_t set =
        H5Acreate_by_name(file, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (H5Tget_class(type) == H5T_FLOAT) H5Awrite(set, type, junk);
    H5Aclose(set);
    H5Sclose(space);
    H5Tclose(type);
}

static void set_verdict(dm_random *r, hid_t file)
{
    static const char *const verdicts[] = {"\033]0;title\007", "passed\n", "failed", "\xff\xfe"};
    const char *const verdict = verdicts[dm_below(r, 4)];
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(verdict));
    H5Adelete(file, "verdict");
    const hid_t attribute = H5Acreate2(file, "verdict", type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, verdict);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
}

void dm_damage_structure(dm_random *r, const char *path)
{
    static const change changes[] = {
        remove_object,   move_object,     link_twice,    link_softly,
        link_outside,    nest_groups,     add_groups,    add_strange_name,
        replace_dataset, replace_dataset, commit_type,   remove_attribute,
        add_attribute,   replace_dataset, add_attribute, set_verdict};
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    MUST(file >= 0);
    for (int64_t n = 1 + dm_below(r, 3); n > 0; --n)
        changes[dm_below(r, (int64_t)(sizeof changes / sizeof changes[0]))](r, file);
    MUST(H5Fclose(file) >= 0);
}

/* ---- digests ---- */

static void put_text(hid_t file, const char *path, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text));
    H5Ldelete(file, path, H5P_DEFAULT);
    const hid_t set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text);
    H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
}

void dm_seal(const char *path)
{
    app_reader reader = NULL;
    char *manifest = NULL, hex[65];
    if (app_reader_open(path, &reader) != MX_OK) return;
    const bool made = app_reader_manifest(reader, &manifest) == MX_OK &&
                      app_reader_sha256(manifest, strlen(manifest), hex) == MX_OK;
    app_reader_close(&reader);
    if (made) {
        const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        MUST(file >= 0);
        put_text(file, "/integrity/manifest", manifest);
        put_text(file, "/integrity/root", hex);
        H5Fclose(file);
    }
    free(manifest);
}
