/* See transport_queue.h. */
#include "transport_queue.h"

#include <stdio.h>
#include <stdlib.h>

mx_err app_queue_open(app_transport t, app_queue_group group, app_queue *queue)
{
    char resource[96];
    mx_ctx_info info;
    *queue = (app_queue){.group = group};
    MX_TRY(mx_ctx_get_info(t->ctx, &info));
    if (info.device >= 0)
        snprintf(resource, sizeof resource, "%s:device=%d,priority=high", info.backend,
                 info.device);
    else
        snprintf(resource, sizeof resource, "%s", info.backend);
    return mx_ctx_create(resource, &queue->beside);
}

void app_queue_close(app_queue *queue)
{
    mx_ctx_destroy(&queue->beside);
    free((void *)queue->pending);
    queue->pending = NULL;
    queue->pending_count = queue->pending_room = 0;
}

static mx_err launches_of(app_transport t, int64_t *launches)
{
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_info(t->ctx, &info));
    *launches = info.launches;
    return MX_OK;
}

/* Were kernels launched since each of the sets began? Each of them keeps that for its next
 * exchange. */
static bool had_kernels(app_queue *queue, int64_t launches)
{
    bool all = true;
    for (int p = 0; p < queue->pending_count; p++) {
        app_messages m = queue->pending[p];
        m->overlaps = launches > m->launches;
        all = all && m->overlaps && m->prepared;
    }
    return all;
}

/* Passes on what is pending, and the sum, as a group on ctx. */
static mx_err pass_on(app_queue *queue, app_transport t, mx_ctx ctx, const app_sum_request *sum)
{
    const int count = queue->pending_count;
    queue->pending_count = 0;
    queue->groups++;
    queue->joined += count > 0 && sum->data != NULL;
    queue->overlapped += ctx == queue->beside;
    return queue->group(t, ctx, queue->pending, count, sum);
}

mx_err app_queue_start(app_queue *queue, app_messages m)
{
    const app_transport t = m->transport;
    if (queue->pending_count == queue->pending_room) {
        const int room = queue->pending_room + 8;
        app_messages *pending =
            realloc((void *)queue->pending, (size_t)room * sizeof(app_messages));
        MX_REQUIRE(pending != NULL, MX_ERR_MEMORY, "messages '%s': no memory", m->label);
        queue->pending = pending;
        queue->pending_room = room;
    }
    MX_TRY(launches_of(t, &m->launches));
    if (m->overlaps) MX_TRY(mx_ctx_wait(queue->beside, t->ctx));
    m->prepared = m->overlaps;
    queue->pending[queue->pending_count++] = m;
    return MX_OK;
}

mx_err app_queue_finish(app_queue *queue, app_messages m)
{
    const app_transport t = m->transport;
    const app_sum_request none = {.data = NULL};
    int64_t launches;
    if (queue->pending_count == 0) return MX_OK;
    MX_TRY(launches_of(t, &launches));
    if (!had_kernels(queue, launches)) return pass_on(queue, t, t->ctx, &none);
    MX_TRY(pass_on(queue, t, queue->beside, &none));
    return mx_ctx_wait(t->ctx, queue->beside);
}

mx_err app_queue_sum(app_queue *queue, app_transport t, const app_sum_request *sum)
{
    for (int p = 0; p < queue->pending_count; p++) queue->pending[p]->overlaps = false;
    return pass_on(queue, t, t->ctx, sum);
}
