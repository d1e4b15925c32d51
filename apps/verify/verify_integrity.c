#include "results/results_schema.h"
#include "verify.h"

#include <stdlib.h>
#include <string.h>

static void check_groups(app_reader reader, vf_verdict *verdict)
{
    static const char *const groups[] = {APP_SCHEMA_GROUPS};
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; ++i) {
        if (strcmp(groups[i], "/integrity") == 0 || app_reader_find(reader, groups[i])) continue;
        vf_impossible(verdict, groups[i], "this group of the schema is missing");
    }
}

/* A line of a manifest: "DIGEST  PATH". */
typedef struct line {
    char digest[65];
    const char *path;
    char *next; /* the line after it */
} line;

enum { DIGEST_DIGITS = 64, PATH_AT = DIGEST_DIGITS + 2 };

/* Splits the first line from `text`; false at the end. A malformed line gets an empty digest. */
static bool parse_line(char *text, line *parsed)
{
    if (!text || *text == '\0') return false;
    char *const end = strchr(text, '\n');
    parsed->next = end ? end + 1 : text + strlen(text);
    if (end) *end = '\0';
    parsed->digest[0] = '\0';
    parsed->path = text;
    if (strlen(text) > PATH_AT && text[DIGEST_DIGITS] == ' ' && text[PATH_AT] == '/') {
        memcpy(parsed->digest, text, DIGEST_DIGITS);
        parsed->digest[DIGEST_DIGITS] = '\0';
        parsed->path = text + PATH_AT;
    }
    return true;
}

/* Both manifests are ordered by path: one walk over the two finds what differs, what is missing and
 * what is foreign. */
static void compare_manifests(char *stored, char *recomputed, vf_verdict *verdict)
{
    line was, is;
    bool has_was = parse_line(stored, &was), has_is = parse_line(recomputed, &is);
    while (has_was || has_is) {
        const int order = !has_was ? 1 : !has_is ? -1 : strcmp(was.path, is.path);
        if (order == 0) {
            vf_text(verdict, is.path, is.digest, was.digest);
        } else if (order < 0) {
            vf_impossible(verdict, was.path, "has a digest, but is missing in the file");
        } else {
            vf_impossible(verdict, is.path, "is in the file, but has no digest");
        }
        if (order <= 0) has_was = parse_line(was.next, &was);
        if (order >= 0) has_is = parse_line(is.next, &is);
    }
}

/* Files of this schema have one method only. */
static void check_method(app_reader reader, vf_verdict *verdict)
{
    static const char path[] = "/integrity/method";
    char *method = NULL;
    size_t length = 0;
    if (app_reader_text(reader, path, &length, &method) != MX_OK)
        vf_impossible(verdict, path, mx_err_message());
    else
        vf_text(verdict, path, method, APP_DIGEST_METHOD);
    free(method);
}

static void check_digests(app_reader reader, char *stored, size_t length, const char *root,
                          vf_verdict *verdict)
{
    char hex[65];
    char *recomputed = NULL;
    if (app_reader_sha256(stored, length, hex) != MX_OK ||
        app_reader_manifest(reader, &recomputed) != MX_OK) {
        vf_impossible(verdict, "digests", mx_err_message());
        return;
    }
    vf_text(verdict, "root digest", hex, root);
    compare_manifests(stored, recomputed, verdict);
    free(recomputed);
}

void vf_check_integrity(app_reader reader, vf_verdict *verdict)
{
    check_groups(reader, verdict);
    check_method(reader, verdict);
    char *stored = NULL, *root = NULL;
    size_t length = 0, root_length = 0;
    if (app_reader_text(reader, APP_PATH_MANIFEST, &length, &stored) != MX_OK) {
        vf_impossible(verdict, APP_PATH_MANIFEST, mx_err_message());
    } else if (app_reader_text(reader, APP_PATH_ROOT, &root_length, &root) != MX_OK) {
        vf_impossible(verdict, APP_PATH_ROOT, mx_err_message());
    } else {
        check_digests(reader, stored, length, root, verdict);
    }
    free(root);
    free(stored);
}
