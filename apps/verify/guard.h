/* Work on untrusted files. HDF5 trusts what it reads: one changed byte can crash it, or make it run
 * without end. So the work is done in a child process with limits, and the parent says in
 * a message what became of it. */
#pragma once
#include <stdint.h>

/* How much work a file may be: its size. That of a file with holes says nothing; it counts for at
 * most 64 times what is stored, and 64 MiB more. NULL, or no file: 0. */
int64_t vf_bytes_of(const char *path);

/* What the work may take, by the size of the files that it reads. */
typedef struct vf_limits {
    int64_t cpu_seconds, wall_seconds;
    int64_t memory_bytes; /* address space */
} vf_limits;
vf_limits vf_limits_of(int64_t file_bytes);

enum { VF_GUARD_FAILED = -1 };

/* Runs work(data), which returns 0 to 9, in a child process, and returns what it returned. If the
 * child crashed, or exceeded the limits, prints one line to stderr, which begins with `files`, and
 * returns VF_GUARD_FAILED. Standard output belongs to the child. */
int vf_guard(const char *files, vf_limits limits, int (*work)(const void *data), const void *data);
