#define _GNU_SOURCE /* sigaction, PATH_MAX */
#include "signals.h"

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FILES = 16 };

/* A handler may run at any moment, on any thread: a file is in use while its flag is set, and its
 * name is complete before that. */
static struct {
    volatile sig_atomic_t used;
    char name[PATH_MAX];
} files[FILES];

static const int endings[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE, SIGTERM,
                              SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU};
static volatile sig_atomic_t caught, stop_is_caught, stop_signal;
static struct timespec stop_time;

/* Seconds after the first request in which another signal counts as the same request. */
static const double same_request = 0.5;

void app_signals_remove_files(void)
{
    for (int f = 0; f < FILES; ++f) {
        if (files[f].used) unlink(files[f].name);
    }
}

static double seconds_since(const struct timespec *then)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

/* A write to a pipe or socket without a reader fails, which its caller sees. Its signal must not
 * end a run that has results to write; the signal of another process does. */
static bool is_of_write(int signal_number, const siginfo_t *info)
{
    const bool of_kernel = info->si_code > 0;
    return signal_number == SIGPIPE && (of_kernel || info->si_pid == getpid());
}

/* Calls nothing but what POSIX allows in handlers. */
static void handle(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    if (is_of_write(signal_number, info)) return;
    if (stop_is_caught && (signal_number == SIGTERM || signal_number == SIGUSR1)) {
        if (!stop_signal) {
            clock_gettime(CLOCK_MONOTONIC, &stop_time);
            stop_signal = signal_number;
            return;
        }
        if (seconds_since(&stop_time) < same_request) return;
    }
    app_signals_remove_files();
    signal(signal_number, SIG_DFL);
    raise(signal_number); /* takes effect when the handler returns */
}

static void catch_signals(void)
{
    struct sigaction before, ours = {.sa_sigaction = handle, .sa_flags = SA_RESTART | SA_SIGINFO};
    if (caught) return;
    caught = 1;
    sigemptyset(&ours.sa_mask);
    for (size_t s = 0; s < sizeof endings / sizeof endings[0]; ++s) {
        const bool known = sigaction(endings[s], NULL, &before) == 0;
        if (known && before.sa_handler != SIG_IGN) sigaction(endings[s], &ours, NULL);
    }
}

void app_signals_note(const char *path)
{
    const size_t bytes = strlen(path) + 1;
    for (int f = 0; f < FILES && bytes <= PATH_MAX; ++f) {
        if (files[f].used) continue;
        memcpy(files[f].name, path, bytes);
        files[f].used = 1;
        catch_signals();
        return;
    }
}

void app_signals_forget(const char *path)
{
    for (int f = 0; f < FILES; ++f) {
        if (files[f].used && strcmp(files[f].name, path) == 0) files[f].used = 0;
    }
}

void app_signals_catch_stop(void)
{
    stop_is_caught = 1;
    catch_signals();
}

int app_signals_stop(void) { return stop_signal; }
