/* The limits under which minx-verify reads a file, by what the file stores. */
#define _POSIX_C_SOURCE 200809L /* truncate */
#include "guard.h"

#include "check.h"

#include <stdlib.h>
#include <unistd.h>

static const int64_t mebibyte = 1 << 20;

/* A file of this size, of which only the first bytes are stored. */
static bool make_file(const char *name, int64_t stored, int64_t size)
{
    char *const bytes = malloc((size_t)stored);
    FILE *const file = fopen(name, "wb");
    CHECK(bytes && file);
    if (!bytes || !file) return false;
    memset(bytes, 7, (size_t)stored);
    CHECK(fwrite(bytes, 1, (size_t)stored, file) == (size_t)stored);
    CHECK(fclose(file) == 0);
    free(bytes);
    return truncate(name, (off_t)size) == 0;
}

/* Whether a file system lets a file be so large differs. */
static void check_holes(void)
{
    static const char name[] = "guard.tmp";
    for (int power = 30; power < 63; power++) {
        if (!make_file(name, 1000, (int64_t)1 << power)) break;
        const int64_t bytes = vf_bytes_of(name);
        CHECK(bytes >= 64 * mebibyte && bytes < 70 * mebibyte);
    }
    remove(name);
}

static void check_honest(void)
{
    static const char name[] = "guard.tmp";
    static const int64_t sizes[] = {1, 4095, 1 << 20, 3 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        CHECK(make_file(name, sizes[i], sizes[i]));
        CHECK_I64(vf_bytes_of(name), sizes[i]);
    }
    /* one of 63 MiB, as compression to almost nothing leaves it */
    CHECK(make_file(name, 1, 63 * mebibyte));
    CHECK_I64(vf_bytes_of(name), 63 * mebibyte);
    remove(name);
    CHECK_I64(vf_bytes_of(name), 0);
    CHECK_I64(vf_bytes_of(NULL), 0);
}

/* Two files of any size. */
static void check_limits(void)
{
    const vf_limits none = vf_limits_of(0), most = vf_limits_of((int64_t)2 << 50);
    CHECK(none.cpu_seconds > 0 && none.wall_seconds > none.cpu_seconds && none.memory_bytes > 0);
    CHECK(most.cpu_seconds > none.cpu_seconds && most.wall_seconds > most.cpu_seconds);
    CHECK(most.memory_bytes > none.memory_bytes);
}

int main(void)
{
    check_holes();
    check_honest();
    check_limits();
    return check_failures > 0;
}
