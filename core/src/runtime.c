/* Start and end of the run time, and what is known of the build. */
#include "internal.h"

#include <stdio.h>
#include <string.h>

/* cpu_tuned.c, compiled like the kernels: the CPU features that the compiler was allowed to use there. */
extern const char mx_tuned_features[];

const char *mx_version(void)
{
    return MINX_VERSION;
}

const char *mx_build_description(void)
{
    return MINX_BUILD_DESCRIPTION;
}

/* Does this CPU have the feature of that name? Names as the compiler's -m options spell them. */
static bool cpu_has(const char *feature)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
#define MX_CPU(name) \
    if (strcmp(feature, name) == 0) return __builtin_cpu_supports(name) != 0;
    MX_CPU("popcnt")
    MX_CPU("sse4.2")
    MX_CPU("avx")
    MX_CPU("avx2")
    MX_CPU("fma")
    MX_CPU("bmi")
    MX_CPU("bmi2")
    MX_CPU("aes")
    MX_CPU("pclmul")
    MX_CPU("avx512f")
    MX_CPU("avx512vl")
    MX_CPU("avx512bw")
    MX_CPU("avx512dq")
    MX_CPU("avx512cd")
    MX_CPU("avx512ifma")
    MX_CPU("avx512vbmi")
    MX_CPU("avx512vbmi2")
    MX_CPU("avx512vnni")
    MX_CPU("avx512bitalg")
    MX_CPU("avx512vpopcntdq")
    MX_CPU("avx512bf16")
    MX_CPU("gfni")
    MX_CPU("vpclmulqdq")
#if !defined(__clang__) && __GNUC__ >= 12 /* names that clang 14 cannot ask for */
    MX_CPU("lzcnt")
    MX_CPU("movbe")
    MX_CPU("f16c")
    MX_CPU("vaes")
    MX_CPU("avxvnni")
    MX_CPU("avx512fp16")
#endif
#undef MX_CPU
#endif
    return true; /* one we cannot ask for */
}

mx_err mx_init(void)
{
    char features[1024], *rest = NULL;
    snprintf(features, sizeof features, "%s", mx_tuned_features);
    for (char *f = strtok_r(features, " ", &rest); f != NULL; f = strtok_r(NULL, " ", &rest))
        MX_REQUIRE(
            cpu_has(f), MX_ERR_BACKEND,
            "this program's kernels are compiled for a CPU with %s, which this one lacks; build it on this machine, or "
            "with -DMINX_TUNE=generic or the name of the oldest CPU that it is to run on",
            f);
    return MX_OK;
}

void mx_finalize(void)
{
#ifndef NDEBUG
    mx_views_report();
#endif
}
