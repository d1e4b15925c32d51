/* The transport: how data of kernels go from rank to rank. It is chosen once for a run:
 *
 *     one rank       no message leaves the rank
 *     host           MPI sends from the memory that kernels compute in
 *     staged         kernels pack into pinned host memory, from which MPI sends
 *     device         MPI sends from and receives into device memory, where the library can
 *     nccl           NCCL sends from device to device, on the stream of the context: the host does not wait
 *     direct         kernels write into the memory of other devices of the host. Ranks of other hosts get their messages by one
 *                    of the three ways above; large messages go by NCCL if the variable MINX_NCCL_BYTES says from which size on.
 *                    Without another way, small halos go from the memory of fields to that of other ranks' fields; with the
 *                    variable MINX_PACKED_HALOS kernels pack and unpack them. Sums may begin with the join of a kernel's
 *                    partial results; with the variable MINX_SEPARATE_JOINS kernels of their own join them
 *
 * Messages (messages.h) and sums of elements of views use it. */
#pragma once
#include "comm.h"
#include "minx/launch.h"
#include "minx/view.h"

typedef struct app_transport *app_transport;

/* Chooses the transport for data of kernels on ctx. Collective; what it returns is agreed. wanted:
 *   APP_GPU_MPI_AUTO   the best that all ranks can use: direct (not where ranks share a device), nccl, device, staged
 *   APP_GPU_MPI_ON     device
 *   APP_GPU_MPI_OFF    staged
 *   APP_GPU_MPI_NCCL   nccl
 *   APP_GPU_MPI_DIRECT direct, where a host has several ranks
 * On hosts, and with one rank, `wanted` changes nothing. MX_ERR_INPUT if it is not possible here, or
 * a variable of the environment has a wrong value: the message says why. */
mx_err app_transport_create(app_comm comm, mx_ctx ctx, app_gpu_mpi wanted,
                            app_transport *transport);

/* Collective; after all messages of this transport were destroyed. Accepts NULL; sets *transport =
 * NULL. */
void app_transport_destroy(app_transport *transport);

/* The transport in words: "none (one rank)", "host memory", "pinned host memory", "device memory",
 * "NCCL", "direct", "direct, and NCCL for large messages", "direct, and NCCL between hosts". */
const char *app_transport_path(app_transport transport);

/* Why it was chosen, in words; "" if there was no choice. */
const char *app_transport_reason(app_transport transport);

/* Does the host wait in sums and at the end of exchanges? If not, a driver can queue many
 * iterations. */
bool app_transport_waits(app_transport transport);

/* mx_fence of the context, after which all messages have arrived. Not collective. MX_ERR_COMM: they
 * have not. */
mx_err app_transport_fence(app_transport transport);

app_comm app_transport_comm(app_transport transport);
mx_ctx app_transport_ctx(app_transport transport);

/* Replaces `count` elements of a view, from `first` on, by their sums over all ranks. Ordered on
 * ctx like a kernel: kernels launched before have written the elements, kernels launched after read
 * the sums. Collective.
 *   view   of rank 0 or 1, without gaps, of f64, f32, i32 or i64, in memory that ctx can access
 * Every rank gets the same bits. Errors: those of mx_view_usable, MX_ERR_RANK, MX_ERR_TYPE,
 * MX_ERR_BOUNDS, MX_ERR_COMM; MX_ERR_ARG while ctx records a graph. */
mx_err app_sum_view(app_transport transport, mx_view view, int64_t first, int64_t count);

/* May a sum over ranks begin with the join of partial results? Then there is no kernel for the join
 * alone. */
bool app_transport_joins(app_transport transport);

enum { APP_MAX_JOINED = 4 };

/* app_sum_view of the value of a reduction, NAME_partials, that goes to these elements: `count`
 * numbers of type f64, each the sum over all items. partials: what the launch has left, if the
 * transport joins; since then there were no launches but those of kernels over ranges without result,
 * which need no scratch memory. NULL, or partials->count 0: nothing. Errors: those of app_sum_view,
 * MX_ERR_ARG. */
mx_err app_sum_partials(app_transport transport, mx_view view, int64_t first, int64_t count,
                        const mx_partials *partials);
