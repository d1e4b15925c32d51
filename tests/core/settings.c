/* Settings: valid and invalid options of the command line and variables of the environment, their
 * effect on contexts, what remains in argv, what is printed. The run time starts and ends for each
 * row of the tables. */
#define _GNU_SOURCE
#include "check.h"

#include <unistd.h>

enum { MAX_ARGS = 8 };

static const char *const variables[] = {"MINX_NUM_THREADS",
                                        "OMP_NUM_THREADS",
                                        "MINX_DEVICE_ID",
                                        "MINX_MAP_DEVICE_ID_BY",
                                        "MINX_PRINT_CONFIGURATION",
                                        "MINX_DISABLE_WARNINGS",
                                        "MINX_TOOLS_LIBS",
                                        "MINX_TOOLS_ARGS",
                                        "KOKKOS_TOOLS_LIBS",
                                        "KOKKOS_TOOLS_ARGS",
                                        "MINX_CHECK",
                                        "KOKKOS_NUM_THREADS",
                                        "OMPI_COMM_WORLD_LOCAL_RANK",
                                        "MV2_COMM_WORLD_LOCAL_RANK",
                                        "MPI_LOCALRANKID",
                                        "SLURM_LOCALID",
                                        "PMI_LOCAL_RANK"};

/* Starts with the environment ("A=1 B=2") and the arguments of a row; *out and *err: what it
 * wrote. */
static mx_err start(const char *environment, const char *const *args, char *left, char *out,
                    char *err, size_t size)
{
    char copy[512], *list[MAX_ARGS + 2] = {"program"}, **argv = list, *rest = NULL;
    FILE *files[2] = {tmpfile(), tmpfile()};
    int argc = 1, kept[2];
    for (size_t v = 0; v < sizeof variables / sizeof variables[0]; v++) unsetenv(variables[v]);
    snprintf(copy, sizeof copy, "%s", environment);
    for (char *e = strtok_r(copy, " ", &rest); e != NULL; e = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(e, '=');
        *value++ = '\0';
        setenv(e, value, 1);
    }
    for (int a = 0; a < MAX_ARGS && args[a] != NULL; a++) list[argc++] = (char *)(uintptr_t)args[a];
    fflush(stdout);
    fflush(stderr);
    for (int f = 0; f < 2; f++) {
        kept[f] = dup(1 + f);
        dup2(fileno(files[f]), 1 + f);
    }
    const mx_err result = mx_init_args(&argc, &argv);
    fflush(stdout);
    fflush(stderr);
    for (int f = 0; f < 2; f++) {
        dup2(kept[f], 1 + f);
        close(kept[f]);
        rewind(files[f]);
        char *text = f == 0 ? out : err;
        text[fread(text, 1, size - 1, files[f])] = '\0';
        fclose(files[f]);
    }
    left[0] = '\0';
    for (int a = 1; a < argc; a++) {
        strcat(left, a > 1 ? " " : "");
        strcat(left, argv[a]);
    }
    CHECK(argv[argc] == NULL && strcmp(argv[0], "program") == 0);
    return result;
}

static const struct {
    const char *environment, *args[MAX_ARGS];
    mx_err code;
    const char *words; /* in the message, or in what mx_print_configuration prints */
    const char *left;  /* of the arguments */
    int threads;       /* of an openmp context; 0: the cores of this process */
} rows[] = {
    {"", {NULL}, MX_OK, "minx version: 0.", "", 0},
    {"", {"a", "--b", "-mx-help", "--mx", "--mxnum"}, MX_OK, "", "a --b -mx-help --mx --mxnum", 0},
    /* threads: argument over environment, environment over default */
    {"", {"--mx-num-threads=3", "deck"}, MX_OK, "minx num-threads: 3\n", "deck", 3},
    {"MINX_NUM_THREADS=2", {"x"}, MX_OK, "minx num-threads: 2\n", "x", 2},
    {"MINX_NUM_THREADS=2", {"--mx-num-threads=5"}, MX_OK, "minx num-threads: 5\n", "", 5},
    {"MINX_NUM_THREADS=", {NULL}, MX_OK, "", "", 0},
    {"OMP_NUM_THREADS=3", {NULL}, MX_OK, "", "", 3},
    {"OMP_NUM_THREADS=3,2", {NULL}, MX_OK, "", "", 3}, /* for nested regions */
    {"OMP_NUM_THREADS=", {NULL}, MX_OK, "", "", 0},
    {"OMP_NUM_THREADS=many MINX_NUM_THREADS=2", {NULL}, MX_OK, "", "", 2},
    {"OMP_NUM_THREADS=5 MINX_NUM_THREADS=2", {"--mx-num-threads=4"}, MX_OK, "", "", 4},
    {"KOKKOS_NUM_THREADS=3", {NULL}, MX_OK, "", "", 0}, /* a Kokkos program's, not ours */
    {"MINX_OTHER=3", {NULL}, MX_OK, "", "", 0},
    /* what stands where; arguments end at -- */
    {"",
     {"a", "--mx-num-threads=2", "b", "--mx-device-id=1", "c"},
     MX_OK,
     "device-id: 1\n",
     "a b c",
     2},
    {"", {"a", "--", "--mx-num-threads=2"}, MX_OK, "", "a -- --mx-num-threads=2", 0},
    {"", {"--mx-num-threads=2", "--", "--mx-nonsense"}, MX_OK, "", "-- --mx-nonsense", 2},
    {"", {"--mx-num-threads=2", "--mx-num-threads=3"}, MX_OK, "num-threads: 3\n", "", 3},
    {"",
     {"--mx-disable-warnings=no", "--mx-disable-warnings"},
     MX_OK,
     "disable-warnings: yes\n",
     "",
     0},
    {"MINX_DISABLE_WARNINGS=true", {NULL}, MX_OK, "disable-warnings: true\n", "", 0},
    {"", {"--mx-tools-libs=", "--mx-tools-args=a b"}, MX_OK, "tools-args: a b\n", "", 0},
    {"KOKKOS_TOOLS_ARGS=x MINX_TOOLS_ARGS=y", {NULL}, MX_OK, "tools-args: y\n", "", 0},
    {"KOKKOS_TOOLS_ARGS=x", {NULL}, MX_OK, "tools-args: x\n", "", 0},
    {"", {"--mx-map-device-id-by=random"}, MX_OK, "map-device-id-by: random\n", "", 0},
    {"", {"--mx-reduction-wait=0"}, MX_OK, "reduction-wait: 0\n", "", 0},
    {"MINX_REDUCTION_WAIT=5", {NULL}, MX_OK, "reduction-wait: 5\n", "", 0},
    {"MINX_CHECK=races", {"--mx-check=none"}, MX_OK, "check: none\n", "", 0},
    {"MINX_CHECK=serial",
     {NULL},
     MX_ERR_INPUT,
     "MINX_CHECK: got 'serial', expected one of none|races",
     "",
     0},
    {"",
     {"--mx-reduction-wait=-1"},
     MX_ERR_INPUT,
     "--mx-reduction-wait: got '-1', expected a whole number from 0",
     "",
     0},
    {"SLURM_LOCALID=3",
     {"--mx-map-device-id-by=mpi_rank"},
     MX_OK,
     "map-device-id-by: mpi_rank",
     "",
     0},
    /* bad values: key, got, expected */
    {"",
     {"--mx-num-threads=0", "a"},
     MX_ERR_INPUT,
     "--mx-num-threads: got '0', expected a whole number from 1 to 4096",
     "",
     0},
    {"", {"--mx-num-threads=4097"}, MX_ERR_INPUT, "got '4097'", "", 0},
    {"", {"--mx-num-threads= 2"}, MX_ERR_INPUT, "got ' 2'", "", 0},
    {"", {"--mx-num-threads=+2"}, MX_ERR_INPUT, "got '+2'", "", 0},
    {"", {"--mx-num-threads=2x"}, MX_ERR_INPUT, "got '2x'", "", 0},
    {"", {"--mx-num-threads="}, MX_ERR_INPUT, "got ''", "", 0},
    {"",
     {"--mx-num-threads"},
     MX_ERR_INPUT,
     "got '--mx-num-threads', expected --mx-num-threads=N",
     "",
     0},
    {"", {"--mx-num-threads", "4"}, MX_ERR_INPUT, "expected --mx-num-threads=N", "", 0},
    {"",
     {"--mx-device-id=-1"},
     MX_ERR_INPUT,
     "--mx-device-id: got '-1', expected a whole number from 0",
     "",
     0},
    {"MINX_NUM_THREADS=many",
     {NULL},
     MX_ERR_INPUT,
     "environment: MINX_NUM_THREADS: got 'many', expected a whole number",
     "",
     0},
    {"MINX_DEVICE_ID=1.5", {NULL}, MX_ERR_INPUT, "environment: MINX_DEVICE_ID: got '1.5'", "", 0},
    {"MINX_MAP_DEVICE_ID_BY=rank",
     {NULL},
     MX_ERR_INPUT,
     "MINX_MAP_DEVICE_ID_BY: got 'rank', expected one of random|mpi_rank",
     "",
     0},
    {"", {"--mx-map-device-id-by=random|mpi_rank"}, MX_ERR_INPUT, "got 'random|mpi_rank'", "", 0},
    {"", {"--mx-map-device-id-by=rando"}, MX_ERR_INPUT, "got 'rando'", "", 0},
    {"", {"--mx-map-device-id-by="}, MX_ERR_INPUT, "got ''", "", 0},
    {"",
     {"--mx-map-device-id-by"},
     MX_ERR_INPUT,
     "expected --mx-map-device-id-by=random|mpi_rank",
     "",
     0},
    {"",
     {"--mx-print-configuration=maybe"},
     MX_ERR_INPUT,
     "--mx-print-configuration: got 'maybe', expected one of 0|1|no|yes|false|true",
     "",
     0},
    {"MINX_PRINT_CONFIGURATION=2",
     {NULL},
     MX_ERR_INPUT,
     "MINX_PRINT_CONFIGURATION: got '2'",
     "",
     0},
    {"SLURM_LOCALID=x",
     {"--mx-map-device-id-by=mpi_rank"},
     MX_ERR_INPUT,
     "SLURM_LOCALID: got 'x'",
     "",
     0},
    /* unknown names: the nearest one */
    {"",
     {"--mx-num-thread=2"},
     MX_ERR_INPUT,
     "unknown option '--mx-num-thread=2', the nearest one is --mx-num-threads=N",
     "",
     0},
    {"", {"--mx-threads=2"}, MX_ERR_INPUT, "nearest one is --mx-num-threads=N", "", 0},
    {"", {"--mx-nun-threads=2"}, MX_ERR_INPUT, "nearest one is --mx-num-threads=N", "", 0},
    {"", {"--mx-num-threadsx"}, MX_ERR_INPUT, "nearest one is --mx-num-threads=N", "", 0},
    {"", {"--mx-device=2"}, MX_ERR_INPUT, "nearest one is --mx-device-id=N", "", 0},
    {"", {"--mx-tools-lib=a"}, MX_ERR_INPUT, "nearest one is --mx-tools-libs=FILE", "", 0},
    {"", {"--mx-print-config"}, MX_ERR_INPUT, "nearest one is --mx-print-configuration", "", 0},
    {"", {"--mx-halp"}, MX_ERR_INPUT, "nearest one is --mx-help", "", 0},
    {"", {"--mx-frobnicate=1"}, MX_ERR_INPUT, "'--mx-frobnicate=1', expected one of those", "", 0},
    {"", {"--mx-"}, MX_ERR_INPUT, "expected one of those that --mx-help prints", "", 0},
    {"", {"--mx-"}, MX_ERR_INPUT, "unknown option '--mx-'", "", 0},
    {"", {"--mx-=2"}, MX_ERR_INPUT, "unknown option '--mx-=2'", "", 0},
};

static void test_rows(void)
{
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        char left[512], out[4096], err[1024], *configuration = NULL, whole[512] = "";
        size_t size = 0;
        const int before = check_failures;
        const mx_err code = start(rows[r].environment, rows[r].args, left, out, err, sizeof err);
        CHECK_I64(code, rows[r].code);
        FILE *file = open_memstream(&configuration, &size);
        mx_print_configuration(file);
        fclose(file);
        CHECK_TEXT(code == MX_OK ? configuration : mx_err_message(), rows[r].words);
        for (int a = 0; a < MAX_ARGS && rows[r].args[a] != NULL; a++) {
            strcat(whole, a > 0 ? " " : "");
            strcat(whole, rows[r].args[a]);
        }
        /* a failure leaves the arguments as they were */
        CHECK_I64(strcmp(left, code == MX_OK ? rows[r].left : whole), 0);
        CHECK_I64(strlen(out), 0);
        CHECK_I64(strlen(err), 0);
        if (code == MX_OK) {
            mx_ctx ctx;
            mx_ctx_info info = {0};
            CHECK_OK(mx_ctx_create("openmp", &ctx));
            CHECK_OK(mx_ctx_get_info(ctx, &info));
            CHECK_I64(info.threads, rows[r].threads > 0 ? rows[r].threads : mx_host_cores());
            mx_ctx_destroy(&ctx);
        }
        mx_finalize();
        free(configuration);
        if (check_failures > before)
            fprintf(stderr, "row %zu: %s, %s: left '%s', stderr '%s'\n", r, rows[r].environment,
                    whole, left, err);
    }
}

static void test_printing(void)
{
    static const char *const help[] = {"--mx-help", NULL},
                             *const print[] = {"--mx-print-configuration", NULL},
                             *const rank[] = {"--mx-map-device-id-by=mpi_rank", NULL},
                             *const quiet[] = {"--mx-map-device-id-by=mpi_rank",
                                               "--mx-disable-warnings", NULL};
    static const char *const keys[] = {"help",
                                       "num-threads=N",
                                       "device-id=N",
                                       "map-device-id-by=random|mpi_rank",
                                       "reduction-wait=N",
                                       "check=none|races",
                                       "print-configuration",
                                       "disable-warnings",
                                       "tools-help",
                                       "tools-libs=FILE[;FILE]",
                                       "tools-args=TEXT"};
    char left[512], out[8192], err[8192], line[128];
    const char *why;
    CHECK_OK(start("", help, left, out, err, sizeof out));
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        snprintf(line, sizeof line, "\n  --mx-%s ", keys[k]);
        CHECK_TEXT(out, line);
    }
    mx_finalize();
    CHECK_OK(start("", print, left, out, err, sizeof out));
    CHECK_TEXT(out, mx_version());
    CHECK_TEXT(out, mx_build_description());
    CHECK_TEXT(out, "minx instances: host:right simt:left");
    snprintf(line, sizeof line, "minx cores: %d\n", mx_host_cores());
    CHECK_TEXT(out, line);
    CHECK_TEXT(out, "minx serial: available");
    for (int b = 0; mx_backend_name(b) != NULL; b++) {
        if (mx_backend_available(mx_backend_name(b), &why)) continue;
        snprintf(line, sizeof line, "minx %s: %.100s", mx_backend_name(b), why);
        CHECK_TEXT(out, line);
    }
    mx_finalize();
    CHECK_OK(start("MINX_PRINT_CONFIGURATION=no", print + 1, left, out, err, sizeof out));
    CHECK_I64(strlen(out), 0);
    mx_finalize();
    /* no launcher: said, unless that is not wanted */
    CHECK_OK(start("", rank, left, out, err, sizeof out));
    CHECK_TEXT(err, "minx: warning: ");
    mx_finalize();
    CHECK_OK(start("", quiet, left, out, err, sizeof out));
    CHECK_I64(strlen(err), 0);
    mx_finalize();
    CHECK_OK(start("PMI_LOCAL_RANK=0", rank, left, out, err, sizeof out));
    CHECK_I64(strlen(err), 0);
    mx_finalize();
}

/* Who says the number of threads. OMP_NUM_THREADS is read when a context is created. */
static void test_default_threads(void)
{
    static const struct {
        const char *environment, *option, *openmp; /* the last one: OMP_NUM_THREADS */
        int threads;                               /* 0: an error */
        const char *words;                         /* the origin; of the error's message */
    } cases[] = {
        {"", NULL, "3", 3, "OMP_NUM_THREADS"},
        {"", NULL, " 3 , 2", 3, "OMP_NUM_THREADS"},
        {"", NULL, "3,many", 3, "OMP_NUM_THREADS"},
        {"", "--mx-num-threads=2", "3", 2, "--mx-num-threads"},
        {"MINX_NUM_THREADS=2", NULL, "3", 2, "MINX_NUM_THREADS"},
        {"MINX_NUM_THREADS=2", "--mx-num-threads=4", "many", 4, "--mx-num-threads"},
        {"", NULL, "many", 0, "environment: OMP_NUM_THREADS: got 'many', expected a whole number"},
        {"", NULL, "0", 0, "OMP_NUM_THREADS: got '0', expected a whole number from 1 to"},
        {"", NULL, "-2", 0, "OMP_NUM_THREADS: got '-2'"},
        {"", NULL, "2.5", 0, "OMP_NUM_THREADS: got '2.5'"},
        {"", NULL, "2 3", 0, "OMP_NUM_THREADS: got '2 3'"},
        {"", NULL, ",2", 0, "OMP_NUM_THREADS: got ''"},
        {"", NULL, "99999", 0, "OMP_NUM_THREADS: got '99999'"},
        {"", NULL, "99999999999999999999", 0, "OMP_NUM_THREADS: got '99999999999999999999'"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const char *const args[] = {cases[c].option, NULL}, *origin = "none";
        char left[512], out[1024], err[1024];
        int threads = 0;
        mx_ctx ctx = NULL;
        mx_ctx_info info = {0};
        CHECK_OK(start(cases[c].environment, args, left, out, err, sizeof out));
        setenv("OMP_NUM_THREADS", cases[c].openmp, 1);
        if (cases[c].threads == 0) {
            CHECK_FAILS(mx_default_threads(&threads, &origin), MX_ERR_INPUT, cases[c].words);
            CHECK_FAILS(mx_ctx_create("openmp", &ctx), MX_ERR_INPUT, cases[c].words);
        } else {
            CHECK_OK(mx_default_threads(&threads, &origin));
            CHECK_I64(threads, cases[c].threads);
            CHECK_TEXT(origin, cases[c].words);
            CHECK_OK(mx_ctx_create("openmp", &ctx));
            CHECK_OK(mx_ctx_get_info(ctx, &info));
            CHECK_I64(info.threads, cases[c].threads);
            mx_ctx_destroy(&ctx);
        }
        /* those that name their threads, and those that are no openmp */
        CHECK_OK(mx_ctx_create("openmp:threads=2", &ctx));
        mx_ctx_destroy(&ctx);
        CHECK_OK(mx_ctx_create("serial", &ctx));
        mx_ctx_destroy(&ctx);
        mx_finalize();
    }
    unsetenv("OMP_NUM_THREADS");
    int threads = 0;
    const char *origin = "none";
    CHECK_OK(mx_default_threads(&threads, &origin));
    CHECK_I64(threads, mx_host_cores());
    CHECK(origin == NULL);
    CHECK_FAILS(mx_default_threads(NULL, &origin), MX_ERR_ARG, "output pointer is NULL");
}

/* The resource of this run wins over settings; what it leaves open, they say. */
static void test_resource(void)
{
    static const char *const args[] = {"--mx-num-threads=4", "--mx-device-id=0", NULL},
                             *const far[] = {"--mx-device-id=1023", NULL},
                             *const rank[] = {"--mx-map-device-id-by=mpi_rank", NULL},
                             *const any[] = {"--mx-map-device-id-by=random", NULL};
    char left[512], out[1024], err[1024];
    const char *threads = strstr(check_resource, "threads=");
    const bool cuda = check_gpu() != NULL;
    const bool one = cuda || strncmp(check_resource, "serial", 6) == 0;
    mx_ctx ctx;
    mx_ctx_info info = {0};
    CHECK_OK(start("", args, left, out, err, sizeof out));
    CHECK_OK(mx_ctx_create(check_resource, &ctx));
    CHECK_OK(mx_ctx_get_info(ctx, &info));
    CHECK_I64(info.threads, one ? 1 : threads != NULL ? atoi(threads + 8) : 4);
    CHECK_I64(info.device, cuda ? 0 : -1);
    mx_ctx_destroy(&ctx);
    mx_finalize();
    CHECK_OK(start("", far, left, out, err, sizeof out));
    if (cuda)
        CHECK_FAILS(mx_ctx_create(check_gpu(), &ctx), MX_ERR_BACKEND, "device: got 1023");
    else
        CHECK_OK(mx_ctx_create(check_resource, &ctx)); /* hosts have no devices to choose */
    mx_ctx_destroy(&ctx);
    mx_finalize();
    for (int again = 0; again < 2; again++) {
        CHECK_OK(start("MPI_LOCALRANKID=5", again ? any : rank, left, out, err, sizeof out));
        CHECK_OK(mx_ctx_create(check_resource, &ctx));
        CHECK_OK(mx_ctx_get_info(ctx, &info));
        if (cuda && !again) CHECK_I64(info.device, 5 % mx_backend_devices(check_gpu()));
        if (cuda) CHECK(info.device >= 0 && info.device < mx_backend_devices(check_gpu()));
        mx_ctx_destroy(&ctx);
        mx_finalize();
    }
}

int main(int argc, char **argv)
{
    const int code = check_begin(argc, argv);
    if (code != 0) return code;
    mx_finalize();
    test_rows();
    test_printing();
    test_default_threads();
    test_resource();
    return check_failures > 0;
}
