#include "comm_mpi.h"

#include "input/text.h"
#include "signals.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

enum { READER_SECONDS = 2 }; /* a rank that aborts waits so long for the reader of its message */

/* What the environment says of launchers. */
typedef struct launcher {
    bool there;
    bool several;        /* ranks were started */
    char variables[256]; /* that say how many, with their values */
} launcher;

struct app_comm {
    MPI_Comm world; /* a duplicate: messages of libraries cannot be mistaken for ours */
    MPI_Comm local; /* the ranks of this host */
    int rank, size;
    int local_rank, local_size;
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    launcher launcher;
    double patience; /* when this rank stops waiting for readers; 0: it has not begun */
    mx_err agreed;   /* of the last app_agree, with the message of a failure */
    char agreed_message[1024];
};

/* The error of one rank, as it is sent to the others. */
typedef struct failure_message {
    int code;
    char message[1024];
    char trace[2048];
} failure_message;

MPI_Comm app_comm_mpi(app_comm comm) { return comm->world; }

mx_err app_mpi_check(int code, const char *call)
{
    if (code == MPI_SUCCESS) return MX_OK;
    char text[MPI_MAX_ERROR_STRING] = "unknown error";
    int length = 0;
    MPI_Error_string(code, text, &length);
    return MX_FAIL(MX_ERR_COMM, "%s: %s", call, text);
}

/* A whole number from the environment, or -1. */
static long env_number(const char *name)
{
    const char *const text = getenv(name);
    if (!text) return -1;
    char *end = NULL;
    const long value = strtol(text, &end, 10);
    return end != text && *end == '\0' ? value : -1;
}

/* What launchers tell the programs that they start: a number of ranks. */
static const struct {
    const char *name;
    bool of_all; /* not of one host alone */
} sizes_of_launchers[] = {{"OMPI_COMM_WORLD_SIZE", true},
                          {"MV2_COMM_WORLD_SIZE", true},
                          {"PMI_SIZE", true},
                          {"MPI_LOCALNRANKS", false}};
/* The number of a rank. There are others if it is not 0. */
static const char *const ranks_of_launchers[] = {"PMIX_RANK", "PMI_RANK"};
enum {
    LAUNCHER_SIZES = sizeof sizes_of_launchers / sizeof sizes_of_launchers[0],
    LAUNCHER_RANKS = sizeof ranks_of_launchers / sizeof ranks_of_launchers[0]
};

/* SLURM_NTASKS is not asked: a whole allocation has it, also for what runs there without srun. */
static const char step_of_slurm[] = "SLURM_STEP_NUM_TASKS";

static void add_variable(launcher *to, const char *name)
{
    const size_t used = strlen(to->variables);
    snprintf(to->variables + used, sizeof to->variables - used, "%s%s=%s", used > 0 ? ", " : "",
             name, getenv(name));
}

static bool is_launched(void)
{
    static const char *const set_by_launchers[] = {
        "OMPI_COMM_WORLD_SIZE", "PMIX_RANK",      "PMI_RANK",   "PMI_FD",
        "SLURM_PROCID",         "FLUX_TASK_RANK", "PALS_RANKID"};
    for (size_t v = 0; v < sizeof set_by_launchers / sizeof set_by_launchers[0]; v++)
        if (getenv(set_by_launchers[v]) != NULL) return true;
    return false;
}

static bool is_alone(void)
{
    for (int v = 0; v < LAUNCHER_SIZES; v++)
        if (sizes_of_launchers[v].of_all && env_number(sizes_of_launchers[v].name) == 1)
            return true;
    return false;
}

/* Called before MPI starts, which may set some of these. A task of Slurm is often a shell, in which
 * another launcher starts a single rank: then what Slurm said of its step does not count. Slurm's
 * PMI says it again, as the same size and a rank. Other launchers are not excused: which of two is
 * the last one, their variables do not tell. */
static launcher find_launcher(void)
{
    launcher found = {.there = is_launched()};
    const long step = env_number(step_of_slurm);
    const bool in_shell = step > 1 && is_alone();
    for (int v = 0; v < LAUNCHER_SIZES; v++) {
        const char *const name = sizes_of_launchers[v].name;
        const long size = env_number(name);
        if (size >= 1) add_variable(&found, name);
        found.several = found.several || (size > 1 && !(in_shell && size == step));
    }
    for (int v = 0; v < LAUNCHER_RANKS; v++) {
        const long rank = env_number(ranks_of_launchers[v]);
        if (rank >= 0) add_variable(&found, ranks_of_launchers[v]);
        found.several = found.several || (rank > 0 && !in_shell);
    }
    if (step >= 1) add_variable(&found, step_of_slurm);
    found.several = found.several || (step > 1 && !in_shell);
    return found;
}

mx_err app_comm_check_launcher(app_comm comm)
{
    if (comm->size > 1 || !comm->launcher.several) return MX_OK;
    return MX_FAIL(
        MX_ERR_COMM,
        "a launcher started several ranks (%s), but MPI sees a single one: start the program with "
        "the mpirun of its own MPI library, which is %s, or with srun and a PMI that this library "
        "speaks (srun --mpi=list shows them; often --mpi=pmix); for a run of one rank, unset the "
        "variables",
        comm->launcher.variables, comm->version);
}

/* A program that no launcher has started is the only rank. Open MPI 4 would start a daemon beside
 * it and look for networks, which takes 0.25 s. Without a daemon all such runs of a user would
 * share a folder for their files, and a run that ends would remove it while another one starts: no
 * such folder is needed. Settings of the environment win. */
static void prepare_single_rank(void)
{
#if defined(OPEN_MPI)
    (void)setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
    (void)setenv("OMPI_MCA_orte_create_session_dirs", "0", 0);
    (void)setenv("OMPI_MCA_pml", "ob1", 0);
#endif
}

/* Ranks that mpirun has started on one host need no network. Open MPI 4 would look for those whose
 * libraries match messages (OFI, PSM, PSM2), which can take 0.2 s. Settings of the environment
 * win. */
static void prepare_single_host(void)
{
#if defined(OPEN_MPI)
    const long size = env_number("OMPI_COMM_WORLD_SIZE");
    const bool one_host = size >= 1 && size == env_number("OMPI_COMM_WORLD_LOCAL_SIZE");
    if (one_host && !getenv("OMPI_MCA_pml")) (void)setenv("OMPI_MCA_mtl", "^ofi,psm,psm2", 0);
#endif
}

/* The variable MINX_HOST_NAME: for tests, ranks of one host that have different names are on
 * different hosts. What has a name is told by a hash of it; 0: none. */
static int host_color(void)
{
    const char *const name = getenv("MINX_HOST_NAME");
    uint32_t hash = 2166136261u;
    for (const char *at = name; at != NULL && *at != '\0'; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    return name != NULL ? (int)(hash >> 1) : 0;
}

static mx_err find_local_ranks(app_comm comm)
{
    MPI_Comm machine;
    APP_MPI_TRY(MPI_Comm_split_type(comm->world, MPI_COMM_TYPE_SHARED, comm->rank, MPI_INFO_NULL,
                                    &machine));
    const int code = MPI_Comm_split(machine, host_color(), comm->rank, &comm->local);
    MPI_Comm_free(&machine);
    MX_TRY(app_mpi_check(code, "MPI_Comm_split"));
    APP_MPI_TRY(MPI_Comm_set_errhandler(comm->local, MPI_ERRORS_RETURN));
    APP_MPI_TRY(MPI_Comm_rank(comm->local, &comm->local_rank));
    APP_MPI_TRY(MPI_Comm_size(comm->local, &comm->local_size));
    return MX_OK;
}

/* Libraries return a long text; it begins with name and version, up to the first comma. */
static mx_err find_version(app_comm comm)
{
    int length = 0;
    APP_MPI_TRY(MPI_Get_library_version(comm->version, &length));
    comm->version[strcspn(comm->version, ",\r\n")] = '\0';
    return MX_OK;
}

static mx_err comm_setup(app_comm comm, int provided)
{
    APP_MPI_TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    APP_MPI_TRY(MPI_Comm_rank(MPI_COMM_WORLD, &comm->rank));
    APP_MPI_TRY(MPI_Comm_size(MPI_COMM_WORLD, &comm->size));
    MX_REQUIRE(provided >= MPI_THREAD_FUNNELED, MX_ERR_COMM,
               "this MPI library does not allow threads (MPI_THREAD_FUNNELED)");
    APP_MPI_TRY(MPI_Comm_dup(MPI_COMM_WORLD, &comm->world));
    APP_MPI_TRY(MPI_Comm_set_errhandler(comm->world, MPI_ERRORS_RETURN));
    MX_TRY(find_local_ranks(comm));
    return find_version(comm);
}

static void comm_free(app_comm comm)
{
    if (comm == NULL) return;
    if (comm->local != MPI_COMM_NULL) MPI_Comm_free(&comm->local);
    if (comm->world != MPI_COMM_NULL) MPI_Comm_free(&comm->world);
    free(comm);
}

/* The name of the program, for a message. */
static const char *name_of(char **argv)
{
    const char *const path = argv && argv[0] ? argv[0] : "minx", *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

mx_err app_comm_open(int *argc, char ***argv, app_comm *comm)
{
    *comm = NULL;
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an ordinary error (EFBIG) */
    int provided = MPI_THREAD_SINGLE;
    const launcher found = find_launcher();
    if (!found.there) prepare_single_rank();
    prepare_single_host();
    APP_MPI_TRY(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided));
    app_comm made = calloc(1, sizeof *made);
    mx_err err = made ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for the communicator");
    if (err == MX_OK) {
        made->world = made->local = MPI_COMM_NULL;
        made->launcher = found;
        err = comm_setup(made, provided);
    }
    if (err != MX_OK) {
        /* the others may wait for this rank in a collective call, and it cannot tell them */
        if (found.several || (made && made->size > 1)) app_abort(made, name_of(*argv));
        comm_free(made);
        MPI_Finalize();
        return MX_PASS(err);
    }
    *comm = made;
    return MX_OK;
}

void app_comm_close(app_comm *comm)
{
    if (!*comm) return;
    comm_free(*comm);
    *comm = NULL;
    MPI_Finalize();
}

int app_rank(app_comm comm) { return comm->rank; }

int app_size(app_comm comm) { return comm->size; }

int app_local_rank(app_comm comm) { return comm->local_rank; }

int app_local_size(app_comm comm) { return comm->local_size; }

const char *app_comm_version(app_comm comm) { return comm->version; }

bool app_comm_device_aware(app_comm comm)
{
    (void)comm;
#if defined(MPIX_ROCM_AWARE_SUPPORT) && defined(MPIX_CUDA_AWARE_SUPPORT)
    return MPIX_Query_cuda_support() == 1 || MPIX_Query_rocm_support() == 1;
#elif defined(MPIX_CUDA_AWARE_SUPPORT)
    return MPIX_Query_cuda_support() == 1;
#else
    return env_number("MPICH_GPU_SUPPORT_ENABLED") ==
           1; /* Cray MPICH has no query but this switch */
#endif
}

static mx_err reduce_in_place(app_comm comm, void *values, int n, MPI_Datatype type, MPI_Op op)
{
    MX_REQUIRE(n >= 0, MX_ERR_ARG, "number of values to reduce must not be negative, got %d", n);
    APP_MPI_TRY(MPI_Allreduce(MPI_IN_PLACE, values, n, type, op, comm->world));
    return MX_OK;
}

mx_err app_sum_f64(app_comm comm, double *values, int n)
{
    return reduce_in_place(comm, values, n, MPI_DOUBLE, MPI_SUM);
}

mx_err app_min_f64(app_comm comm, double *values, int n)
{
    return reduce_in_place(comm, values, n, MPI_DOUBLE, MPI_MIN);
}

mx_err app_max_f64(app_comm comm, double *values, int n)
{
    for (int i = 0; i < n; i++) {
        if (isnan(values[i])) values[i] = INFINITY; /* MPI_MAX may lose a NaN */
    }
    return reduce_in_place(comm, values, n, MPI_DOUBLE, MPI_MAX);
}

mx_err app_sum_i64(app_comm comm, int64_t *values, int n)
{
    return reduce_in_place(comm, values, n, MPI_INT64_T, MPI_SUM);
}

mx_err app_max_i64(app_comm comm, int64_t *values, int n)
{
    return reduce_in_place(comm, values, n, MPI_INT64_T, MPI_MAX);
}

mx_err app_exscan_i64(app_comm comm, int64_t *values, int n)
{
    MX_REQUIRE(n >= 0, MX_ERR_ARG, "number of values to scan must not be negative, got %d", n);
    APP_MPI_TRY(MPI_Exscan(MPI_IN_PLACE, values, n, MPI_INT64_T, MPI_SUM, comm->world));
    if (comm->rank == 0 && n > 0) memset(values, 0, (size_t)n * sizeof *values);
    return MX_OK;
}

static mx_err allgather(MPI_Comm among, const void *mine, size_t bytes, void *all)
{
    MX_REQUIRE(bytes <= INT32_MAX, MX_ERR_EXTENT, "%zu bytes of each rank to gather, at most %d",
               bytes, INT32_MAX);
    APP_MPI_TRY(MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, among));
    return MX_OK;
}

mx_err app_allgather(app_comm comm, const void *mine, size_t bytes, void *all)
{
    return allgather(comm->world, mine, bytes, all);
}

mx_err app_local_allgather(app_comm comm, const void *mine, size_t bytes, void *all)
{
    return allgather(comm->local, mine, bytes, all);
}

/* MPI counts are int: longer buffers go in pieces of this size. */
enum { PIECE = 1 << 30 };

static int next_piece(size_t left) { return left < PIECE ? (int)left : PIECE; }

mx_err app_broadcast(app_comm comm, void *data, size_t bytes)
{
    char *at = data;
    while (bytes > 0) {
        const int piece = next_piece(bytes);
        APP_MPI_TRY(MPI_Bcast(at, piece, MPI_BYTE, 0, comm->world));
        at += piece;
        bytes -= (size_t)piece;
    }
    return MX_OK;
}

mx_err app_or_bytes(app_comm comm, unsigned char *bytes, size_t count)
{
    while (count > 0) {
        const int piece = next_piece(count);
        MX_TRY(reduce_in_place(comm, bytes, piece, MPI_UNSIGNED_CHAR, MPI_BOR));
        bytes += piece;
        count -= (size_t)piece;
    }
    return MX_OK;
}

/* Stores another rank's error as the last error of this thread: its message, and its trace frame by
 * frame. A trace line reads "  FUNCTION (FILE:LINE)". */
static void adopt_failure(const failure_message *failure)
{
    char trace[sizeof failure->trace];
    memcpy(trace, failure->trace, sizeof trace);
    bool first = true;
    char *rest = NULL;
    for (char *line = strtok_r(trace, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *const open = strstr(line, " (");
        char *const colon = strrchr(line, ':');
        if (!open || !colon || colon < open) continue; /* the last line may be cut short */
        *open = *colon = '\0';
        const char *const func = line + strspn(line, " ");
        const int number = atoi(colon + 1);
        if (first) {
            mx_fail_(open + 2, number, func, "%s", failure->message);
        } else {
            mx_frame_(open + 2, number, func);
        }
        first = false;
    }
    if (first) (void)MX_FAIL((mx_err)failure->code, "%s", failure->message);
}

mx_err app_agree(app_comm comm, mx_err mine)
{
    int failing = mine == MX_OK ? comm->size : comm->rank;
    APP_MPI_TRY(MPI_Allreduce(MPI_IN_PLACE, &failing, 1, MPI_INT, MPI_MIN, comm->world));
    comm->agreed = MX_OK;
    if (failing == comm->size) return MX_OK;
    failure_message failure = {0};
    if (failing == comm->rank) {
        failure.code = (int)mine;
        snprintf(failure.message, sizeof failure.message, "%s", mx_err_message());
        snprintf(failure.trace, sizeof failure.trace, "%s", mx_err_trace());
    }
    APP_MPI_TRY(MPI_Bcast(&failure, (int)sizeof failure, MPI_BYTE, failing, comm->world));
    if (failing != comm->rank) adopt_failure(&failure);
    comm->agreed = (mx_err)failure.code;
    memcpy(comm->agreed_message, failure.message, sizeof comm->agreed_message);
    return comm->agreed;
}

bool app_is_agreed(app_comm comm, mx_err err)
{
    return err == comm->agreed &&
           strncmp(mx_err_message(), comm->agreed_message, sizeof comm->agreed_message - 1) == 0;
}

mx_err app_barrier(app_comm comm)
{
    APP_MPI_TRY(MPI_Barrier(comm->world));
    return MX_OK;
}

double app_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The message has names that users give to files: a terminal would act on their control characters.
 * In one call, so that messages of several ranks do not mix. Without memory it is printed as it
 * is. */
static void print_message(const char *program, const char *end)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);
    if (out) app_text_print(out, mx_err_message());
    const bool made = out && fclose(out) == 0 && text;
    fflush(stdout);
    fprintf(stderr, "%s: error: %s%s\n", program, made ? text : mx_err_message(), end);
    free(text);
}

/* comm is NULL if MPI could not be started. */
void app_print_error(app_comm comm, const char *program)
{
    if (comm && comm->rank != 0) return;
    print_message(program, "");
}

int app_exit_code(mx_err err)
{
    if (err == MX_OK) return APP_EXIT_OK;
    return err == MX_ERR_INPUT ? APP_EXIT_INPUT : APP_EXIT_RUNTIME;
}

/* Rank 0 does not wait: if it fails too, it ends the others before they print. They wait longer
 * than rank 0 may wait for the reader of its message, and lower ranks wait less. */
static void wait_for_lower_ranks(int rank)
{
    const int tenths = rank == 0 ? 0 : 10 * READER_SECONDS + 2 + 2 * (rank < 10 ? rank : 10);
    const struct timespec grace = {.tv_sec = tenths / 10, .tv_nsec = tenths % 10 * 100000000L};
    nanosleep(&grace, NULL);
}

/* If the stream is a pipe, waits until its bytes have been read, or until a moment. The launcher of
 * a rank that aborts may close the pipe without reading it: then the message would be lost. A
 * terminal, as which Open MPI reads stdout, does not tell what has been read: it gets some time. */
static void wait_for_reader(int stream, double end)
{
    const struct timespec pause = {.tv_nsec = 5000000}, grace = {.tv_nsec = 200000000};
    struct pollfd state = {.fd = stream};
    struct stat about;
    if (isatty(stream)) nanosleep(&grace, NULL);
    if (fstat(stream, &about) != 0 || !S_ISFIFO(about.st_mode)) return;
    for (int bytes = 0; app_now() < end;) {
        if (ioctl(stream, FIONREAD, &bytes) != 0 || bytes == 0) return;
        if (poll(&state, 1, 0) > 0) return; /* an error: there is no reader */
        nanosleep(&pause, NULL);
    }
}

void app_print_through(app_comm comm, FILE *stream)
{
    struct stat out, err;
    (void)fflush(stream);
    if (comm->size == 1 && !comm->launcher.there) return; /* no one closes the pipes */
    const bool known = fstat(STDOUT_FILENO, &out) == 0 && fstat(STDERR_FILENO, &err) == 0;
    if (known && out.st_dev == err.st_dev && out.st_ino == err.st_ino) return;
    if (comm->patience == 0) comm->patience = app_now() + (double)READER_SECONDS;
    wait_for_reader(fileno(stream), comm->patience);
}

void app_abort(app_comm comm, const char *program)
{
    if (comm) wait_for_lower_ranks(comm->rank);
    app_signals_remove_files();
    char rank[32];
    snprintf(rank, sizeof rank, " (rank %d)", comm ? comm->rank : 0);
    print_message(program, rank);
    fflush(stderr);
    wait_for_reader(STDERR_FILENO, app_now() + (double)READER_SECONDS);
    MPI_Abort(MPI_COMM_WORLD, APP_EXIT_RUNTIME);
    exit(APP_EXIT_RUNTIME); /* MPI_Abort should not return */
}
