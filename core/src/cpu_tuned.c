/* Compiled with the flags of kernel files, and never run: the CPU features that kernels may use, by the names of the
 * compiler's -m options. */
extern const char mx_tuned_features[];
const char mx_tuned_features[] = ""
#ifdef __SSE4_2__
                                 " sse4.2"
#endif
#ifdef __AVX__
                                 " avx"
#endif
#ifdef __AVX2__
                                 " avx2"
#endif
#ifdef __FMA__
                                 " fma"
#endif
#ifdef __BMI2__
                                 " bmi2"
#endif
#ifdef __AVX512F__
                                 " avx512f"
#endif
#ifdef __AVX512VL__
                                 " avx512vl"
#endif
#ifdef __AVX512BW__
                                 " avx512bw"
#endif
#ifdef __AVX512DQ__
                                 " avx512dq"
#endif
    ;
