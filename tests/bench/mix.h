/* Pseudo-random numbers for kernels that set the input of cases. For kernel files only. */
#pragma once
#include "minx/kernel.h"

/* Steele, Lea, Flood 2014: SplitMix. */
MX_BODY uint64_t bench_mix(uint64_t i)
{
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
