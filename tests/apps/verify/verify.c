/* minx-verify on files that were tampered with: a good run of TeaLeaf passes both verdicts, and
 * each alteration of a copy fails the one that it must. "Sealed" alterations compute the digests
 * anew afterwards, as a forger would: integrity then holds, and physics alone has to notice. The
 * alterations are made with HDF5 itself; the program under test runs as its users run it.
 *
 * usage: test_app_verify MINX-VERIFY GOOD.h5 UNPUBLISHED.h5     one process: what is tested uses no MPI and no
 * backend */
#define _DEFAULT_SOURCE /* flock, mkfifo */
#include "alter.h"
#include "results/results_reader.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;

/* ---- files ---- */

static void copy_file(const char *from, const char *to, long limit)
{
    FILE *const in = fopen(from, "rb"), *const out = fopen(to, "wb");
    MUST(in && out);
    long copied = 0;
    for (int c = fgetc(in); c != EOF && (limit < 0 || copied < limit); c = fgetc(in)) {
        MUST(fputc(c, out) != EOF);
        ++copied;
    }
    fclose(in);
    MUST(fclose(out) == 0);
}

static long file_size(const char *path)
{
    FILE *const file = fopen(path, "rb");
    MUST(file && fseek(file, 0, SEEK_END) == 0);
    const long size = ftell(file);
    fclose(file);
    return size;
}

/* A text in the place of another, which may be longer or shorter. */
static void write_text(hid_t file, const char *path, const char *text)
{
    const hid_t old = open_set(file, path), its = H5Dget_type(old), space = H5Dget_space(old);
    const hid_t type = H5Tcopy(its); /* a stored type cannot be changed */
    H5Tclose(its);
    H5Dclose(old);
    MUST(H5Tset_size(type, strlen(text)) >= 0 && H5Ldelete(file, path, H5P_DEFAULT) >= 0);
    const hid_t set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    MUST(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
}

/* Makes the digests right again. */
static void seal(const char *path)
{
    app_reader reader = NULL;
    char *manifest = NULL, hex[65];
    MUST(app_reader_open(path, &reader) == MX_OK &&
         app_reader_manifest(reader, &manifest) == MX_OK);
    MUST(app_reader_sha256(manifest, strlen(manifest), hex) == MX_OK);
    app_reader_close(&reader);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    MUST(file >= 0);
    write_text(file, "/integrity/manifest", manifest);
    write_text(file, "/integrity/root", hex);
    H5Fclose(file);
    free(manifest);
}

/* ---- runs of the program ---- */

typedef struct outcome {
    int exit_code;
    char text[65536];
} outcome;

static void run(const char *program, const char *arguments, outcome *result)
{
    char command[4096];
    snprintf(command, sizeof command, "exec 2>&1; '%s' %s", program, arguments);
    FILE *const pipe = popen(command, "r");
    MUST(pipe != NULL);
    result->text[fread(result->text, 1, sizeof result->text - 1, pipe)] = '\0';
    const int status = pclose(pipe);
    result->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect(const char *name, const outcome *got, int exit_code, const char *const *words)
{
    if (got->exit_code != exit_code) {
        ++failures;
        fprintf(stderr, "%s: exit code: got %d, expected %d\n%s", name, got->exit_code, exit_code,
                got->text);
    }
    if (strchr(got->text, '\033')) {
        ++failures;
        fprintf(stderr, "%s: the output has control characters\n", name);
    }
    for (int i = 0; words[i]; ++i) {
        if (strstr(got->text, words[i])) continue;
        ++failures;
        fprintf(stderr, "%s: expected the output to contain \"%s\", got\n%s", name, words[i],
                got->text);
    }
}

#include "table.h" /* names the functions above */

static void try_tampering(const char *program, const char *good, const tampering *t)
{
    copy_file(good, "bad.h5", -1);
    const hid_t file = H5Fopen("bad.h5", H5F_ACC_RDWR, H5P_DEFAULT);
    MUST(file >= 0);
    t->alter(file, &t->a);
    MUST(H5Fclose(file) >= 0);
    if (t->sealed) seal("bad.h5");
    static outcome got;
    run(program, "--quiet bad.h5", &got);
    const bool readable = t->integrity != ANY;
    const char *const words[] = {
        t->words,
        !readable              ? "error"
        : t->integrity == PASS ? "integrity: PASS"
                               : "integrity: FAIL",
        !readable            ? "error"
        : t->physics == PASS ? "physics: PASS"
                             : "physics: FAIL",
        NULL,
    };
    expect(t->name, &got, readable ? 1 : 3, words);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void try_run(const char *program, const char *arguments, int exit_code,
                    const char *const *words)
{
    static outcome got;
    run(program, arguments, &got);
    expect(arguments, &got, exit_code, words);
}

static void try_unreadable(const char *program, const char *good)
{
    const long size = file_size(good);
    copy_file(good, "bad.h5", size - 1000);
    try_run(program, "bad.h5", 3, WORDS("bad.h5: is cut short"));
    copy_file(good, "bad.h5", 60);
    try_run(program, "bad.h5", 3, WORDS("bad.h5: is"));
    copy_file(good, "bad.h5", 0);
    try_run(program, "bad.h5", 3, WORDS("bad.h5: is empty"));
    FILE *const file = fopen("bad.h5", "w");
    MUST(file && fputs("not HDF5, but a text\n", file) >= 0 && fclose(file) == 0);
    try_run(program, "bad.h5", 3, WORDS("is not an HDF5 file"));
    remove("bad.h5");
    try_run(program, "bad.h5", 3, WORDS("bad.h5: cannot be opened: No such file"));
    try_run(program, ".", 3, WORDS("Is a directory"));
    const hid_t plain = H5Fcreate("bad.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    MUST(plain >= 0 && H5Fclose(plain) >= 0);
    try_run(program, "bad.h5", 3, WORDS("is not a results file of minx"));
}

/* Opening a pipe waits for a program that writes to it; a lock is no damage. */
static void try_occupied(const char *program, const char *good)
{
    try_run(program, "bad.fifo", 3, WORDS("a device or a pipe, expected a file"));
    copy_file(good, "bad.h5", -1);
    const int writer = open("bad.h5", O_RDWR);
    MUST(writer >= 0 && flock(writer, LOCK_EX) == 0);
    try_run(program, "bad.h5", 3, WORDS("bad.h5: is locked", "HDF5_USE_FILE_LOCKING"));
    close(writer);
    try_run(program, "bad.h5", 0, WORDS("physics: PASS"));
    try_run(program, "bad.h5 > /dev/full", 3, WORDS("cannot write the output"));
}

static void try_usage(const char *program)
{
    try_run(program, "", 2, WORDS("got no file"));
    try_run(program, "a b c", 2, WORDS("third file, c"));
    try_run(program, "--tolerence=1 a b", 2, WORDS("unknown option --tolerence=1", "--tolerance"));
    try_run(program, "--tolerance=x a b", 2, WORDS("got \"x\""));
    try_run(program, "--tolerance x a b", 2, WORDS("got \"x\""));
    try_run(program, "a b --tolerance", 2, WORDS("--tolerance: got no value"));
    try_run(program, "--quiet=yes a b", 2, WORDS("--quiet: got the value \"yes\", expected none"));
    try_run(program, "--tolerance=1e-3 a", 2, WORDS("two files"));
    try_run(program, "--help", 0, WORDS("usage: minx-verify", "--tolerance=X", "Exit codes"));
    try_run(program, "--version", 0, WORDS("minx-verify "));
}

/* The good file against a copy with one alteration. */
static void try_difference(const char *program, const char *good, const char *options,
                           const tampering *t)
{
    static outcome got;
    char arguments[2048];
    copy_file(good, "bad.h5", -1);
    const hid_t file = H5Fopen("bad.h5", H5F_ACC_RDWR, H5P_DEFAULT);
    MUST(file >= 0);
    if (t->alter) t->alter(file, &t->a);
    MUST(H5Fclose(file) >= 0);
    const bool same = t->integrity == PASS;
    snprintf(arguments, sizeof arguments, "%s '%s' bad.h5", options, good);
    run(program, arguments, &got);
    expect(t->name, &got, same ? 0 : 1,
           WORDS(t->words, same ? "comparison: PASS" : "comparison: FAIL"));
    snprintf(arguments, sizeof arguments, "%s bad.h5 '%s'", options,
             good); /* it has no direction */
    run(program, arguments, &got);
    expect(t->name, &got, same ? 0 : 1, WORDS(same ? "comparison: PASS" : "comparison: FAIL"));
}

static void try_comparison(const char *program, const char *good)
{
    for (size_t i = 0; i < sizeof differences / sizeof differences[0]; ++i)
        try_difference(program, good,
                       differences[i].sealed == LOOSE    ? "--tolerance=1e-6"
                       : differences[i].sealed == STRICT ? "--tolerance=0"
                                                         : "",
                       &differences[i]);
}

int main(int argc, char **argv)
{
    MUST(argc == 4);
    const char *const program = argv[1], *const good = argv[2];
    remove("bad.fifo");
    MUST(mkfifo("bad.fifo", 0600) == 0);
    char alone[2048];
    snprintf(alone, sizeof alone, "'%s'", good);
    try_run(program, alone, 0, WORDS("integrity: PASS", "physics: PASS", "U as published"));
    copy_file(good, "bad.h5", -1);
    seal("bad.h5");
    try_run(program, "bad.h5", 0,
            WORDS("integrity: PASS", "physics: PASS")); /* sealing itself does no harm */
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i)
        try_tampering(program, good, &table[i]);
    for (size_t i = 0; i < sizeof forgeries / sizeof forgeries[0]; ++i)
        try_tampering(program, argv[3], &forgeries[i]);
    try_unreadable(program, good);
    try_occupied(program, good);
    try_usage(program);
    try_comparison(program, good);
    return failures == 0 ? 0 : 1;
}
