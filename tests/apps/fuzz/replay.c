/* The main of a fuzz target where libFuzzer is not linked: runs the target once on each file that
 * the command line names. So every test run goes through the seeds, and through what was once
 * found. */
#include "target.h"

#include <stdbool.h>

static bool replay(const char *path)
{
    static uint8_t data[1 << 20];
    FILE *const file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "replay: cannot open %s\n", path);
        return false;
    }
    const size_t size = fread(data, 1, sizeof data, file);
    const bool read = !ferror(file);
    fclose(file);
    if (read) LLVMFuzzerTestOneInput(data, size);
    return read;
}

int main(int argc, char **argv)
{
    bool good = argc > 1;
    for (int i = 1; i < argc; i++) good &= replay(argv[i]);
    return good ? 0 : 1;
}
