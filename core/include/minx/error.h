/* Errors: what can fail returns mx_err, with outputs last. The failing call records one message for
 * its thread; MX_TRY passes the code on and records the path it took. Only main prints and exits.
 *
 *     mx_err app_setup(...) {
 *         MX_REQUIRE(n > 0, MX_ERR_ARG, "cells must be positive, got %d", n);
 *         MX_TRY(mx_view_create_1d(ctx, "u", MX_F64, n, &u));
 *         return MX_OK;
 *     }
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The compiler warns where a call ignores a result of this type. Write (void) in front of a call
 * only if its failure does not matter. */
#if defined(__cplusplus)
#define MX_MUST_USE_ [[nodiscard]]
#elif defined(__clang__)
#define MX_MUST_USE_ __attribute__((warn_unused_result))
#elif defined(__GNUC__) && __GNUC__ >= 10
#define MX_MUST_USE_ [[nodiscard]]
#else
#define MX_MUST_USE_
#endif
__extension__ typedef enum MX_MUST_USE_ mx_err {
    MX_OK = 0,
    MX_ERR_ARG,      /* an argument outside its documented range */
    MX_ERR_MEMORY,   /* an allocation failed */
    MX_ERR_BACKEND,  /* backend, layout or device not in this build or not on this machine */
    MX_ERR_DEVICE,   /* an accelerator call, or a kernel on it, failed */
    MX_ERR_TYPE,     /* element types differ */
    MX_ERR_RANK,     /* ranks differ */
    MX_ERR_EXTENT,   /* extents differ, or do not fit their integer type */
    MX_ERR_LAYOUT,   /* layouts, strides or padding differ */
    MX_ERR_SPACE,    /* memory that the execution space cannot access */
    MX_ERR_CONST,    /* an attempt to write to a read-only view */
    MX_ERR_STALE,    /* a handle or accessor of something already destroyed */
    MX_ERR_BOUNDS,   /* an index outside its view; MX_AT checks only with MINX_BOUNDS_CHECK */
    MX_ERR_MISMATCH, /* another backend gave other results, or a race (check_against) */
    MX_ERR_INPUT,    /* the user's input is wrong: option, deck, file */
    MX_ERR_IO,       /* a file could not be read or written */
    MX_ERR_COMM,     /* message passing failed */
    MX_ERR_BODY      /* an MX_BODY_REQUIRE of a kernel's body did not hold */
} mx_err;

/* A short name, "MX_ERR_ARG" for example; never NULL. */
const char *mx_err_name(mx_err err);

/* The message of this thread's last failure, in one line; "" if there was none. Valid until the
 * next failure. */
const char *mx_err_message(void);

/* The calls that the failure passed through, innermost first, one per line: for bug reports. */
const char *mx_err_trace(void);

/* Forgets this thread's last failure. */
void mx_err_clear(void);

/* Records a failure; use MX_FAIL. */
void mx_fail_(const char *file, int line, const char *func, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;
/* Adds a frame to the path of a failure; use MX_TRY. */
void mx_frame_(const char *file, int line, const char *func);

/* return MX_FAIL(MX_ERR_ARG, "format", ...): records the message, yields the code. */
#define MX_FAIL(err, ...) (mx_fail_(__FILE__, __LINE__, __func__, __VA_ARGS__), (err))

/* return MX_PASS(call): passes a callee's error on where MX_TRY cannot, for example before a
 * clean-up; yields the code. */
static inline mx_err mx_pass_(mx_err err, const char *file, int line, const char *func)
{
    if (err != MX_OK) mx_frame_(file, line, func);
    return err;
}
#define MX_PASS(call) mx_pass_((call), __FILE__, __LINE__, __func__)

/* Returns from the calling function with the callee's error, if it has one. */
#define MX_TRY(call)                                 \
    do {                                             \
        const mx_err mx_try_ = (call);               \
        if (mx_try_ != MX_OK) {                      \
            mx_frame_(__FILE__, __LINE__, __func__); \
            return mx_try_;                          \
        }                                            \
    } while (0)

/* Returns from the calling function with a failure, unless the condition holds. Always on. */
#define MX_REQUIRE(condition, err, ...)                       \
    do {                                                      \
        if (!(condition)) return MX_FAIL((err), __VA_ARGS__); \
    } while (0)

/* An invariant of the code itself: debug builds print it and abort if it does not hold, other
 * builds do nothing. The condition must have no side effects. */
#ifdef NDEBUG
#define MX_ASSERT(condition) ((void)0)
#else
void mx_assert_failed_(const char *condition, const char *file, int line);
#define MX_ASSERT(condition) \
    ((condition) ? (void)0 : mx_assert_failed_(#condition, __FILE__, __LINE__))
#endif

#ifdef __cplusplus
}
#endif
