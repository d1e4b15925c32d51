/* The end of a results file: verdict, digests of the data that were read back, renaming. Or the
 * file is discarded. */
#include "digest.h"
#include "results_put.h"
#include "results_schema.h"

#include <stdlib.h>
#include <string.h>

static mx_err put_verdict(app_results results, const char *verdict, int exit_code)
{
    const int64_t code = exit_code;
    const app_h5_item text = app_h5_text(verdict), number = app_h5_i64(&code);
    MX_TRY(app_results_put_attribute(results, "/", "verdict", &text));
    return app_results_put_attribute(results, "/", "exit_code", &number);
}

/* Closing and opening again makes sure that what is digested comes from the file, also what other
 * ranks wrote. */
static mx_err reopen(app_results results)
{
    MX_TRY(app_agree(results->comm, app_file_close(&results->file)));
    return app_agree(results->comm, app_file_open(&results->file, results->comm,
                                                  results->output.temporary, APP_FILE_WRITE));
}

/* The digests of all blocks, on every rank that takes part; those without the file contribute
 * nothing. */
static mx_err share_blocks(app_results results, const app_tree *tree,
                           unsigned char (**blocks)[APP_DIGEST_BYTES])
{
    const bool shared = app_file_is_parallel();
    const app_comm comm = results->comm;
    *blocks = calloc((size_t)tree->blocks + 1, sizeof **blocks);
    mx_err err =
        *blocks ? MX_OK
                : MX_FAIL(MX_ERR_MEMORY, "no memory for %lld digests", (long long)tree->blocks);
    const app_digest_share share = {.rank = shared ? app_rank(comm) : 0,
                                    .size = shared ? app_size(comm) : 1,
                                    .ctx = results->threads};
    if (err == MX_OK && results->file.id >= 0)
        err = app_digest_blocks(&share, results->file.id, tree, *blocks);
    MX_TRY(app_agree(comm, err));
    return shared ? app_or_bytes(comm, **blocks, (size_t)tree->blocks * APP_DIGEST_BYTES) : MX_OK;
}

/* The manifest of the file, where it is open; elsewhere *manifest stays NULL. */
static mx_err make_manifest(app_results results, char **manifest)
{
    const bool open = results->file.id >= 0;
    app_tree tree = {0};
    unsigned char(*blocks)[APP_DIGEST_BYTES] = NULL;
    *manifest = NULL;
    mx_err err = app_agree(results->comm, open ? app_tree_read(results->file.id, &tree) : MX_OK);
    if (err == MX_OK) err = share_blocks(results, &tree, &blocks);
    if (err == MX_OK && open) err = app_digest_manifest(results->file.id, &tree, blocks, manifest);
    free(blocks);
    app_tree_free(&tree);
    return app_agree(results->comm, err);
}

static mx_err put_integrity(app_results results)
{
    char *manifest = NULL;
    mx_err err = make_manifest(results, &manifest);
    char root[APP_DIGEST_HEX] = "";
    if (err == MX_OK && manifest) err = app_digest_text(manifest, strlen(manifest), root);
    err = app_agree(results->comm, err);
    if (err == MX_OK) {
        const app_h5_item method = app_h5_text(APP_DIGEST_METHOD);
        const app_h5_item list = app_h5_text(manifest ? manifest : ""), digest = app_h5_text(root);
        err = app_results_put(results, "/integrity", "method", &method, NULL, APP_NEVER);
        if (err == MX_OK)
            err = app_results_put(results, "/integrity", "manifest", &list, NULL, APP_NEVER);
        if (err == MX_OK)
            err = app_results_put(results, "/integrity", "root", &digest, NULL, APP_NEVER);
        err = app_agree(results->comm, err);
        if (err == MX_OK) err = app_results_flush(results);
    }
    free(manifest);
    return err;
}

static mx_err write_side_file(app_results results)
{
    if (app_rank(results->comm) != 0 || results->xdmf.field_count == 0) return MX_OK;
    return app_xdmf_write(results->output.side_temporary, app_output_base(&results->output),
                          &results->xdmf);
}

void app_results_set_threads(app_results results, mx_ctx ctx)
{
    mx_ctx_info info;
    if (!results) return;
    const bool several = ctx && mx_ctx_get_info(ctx, &info) == MX_OK && info.threads > 1;
    results->threads = several ? ctx : NULL;
}

mx_err app_results_seal(app_results results, const char *verdict, int exit_code)
{
    if (!results) return MX_OK;
    MX_TRY(app_agree(results->comm, app_results_end_frames(results)));
    MX_TRY(put_verdict(results, verdict, exit_code));
    MX_TRY(app_results_flush(results));
    MX_TRY(reopen(results));
    MX_TRY(put_integrity(results));
    MX_TRY(app_agree(results->comm, app_file_close(&results->file)));
    return app_agree(results->comm, write_side_file(results));
}

static void release(app_results *results)
{
    app_results const r = *results;
    app_results_free_frames(r);
    app_xdmf_free(&r->xdmf);
    app_put_list_free(&r->list);
    app_output_free(&r->output);
    free(r);
    *results = NULL;
}

mx_err app_results_publish(app_results *results)
{
    app_results const r = *results;
    if (!r) return MX_OK;
    mx_err err = MX_OK;
    if (app_rank(r->comm) == 0) err = app_output_publish(&r->output, r->xdmf.field_count > 0);
    err = app_agree(r->comm, err);
    if (err != MX_OK) {
        app_results_discard(results);
        return MX_PASS(err);
    }
    release(results);
    return MX_OK;
}

mx_err app_results_finish(app_results *results, const char *verdict, int exit_code)
{
    const mx_err err = app_results_seal(*results, verdict, exit_code);
    if (err == MX_OK) return app_results_publish(results);
    app_results_discard(results);
    return MX_PASS(err);
}

void app_results_discard(app_results *results)
{
    app_results const r = *results;
    if (!r) return;
    app_results_free_frames(r);
    (void)app_file_close(&r->file);
    if (app_rank(r->comm) == 0) app_output_remove(&r->output);
    release(results);
}
