/* The names that the writer and the reader of a results file share. */
#pragma once

#define APP_SCHEMA_NAME "minx-results"
enum { APP_SCHEMA_VERSION = 1 };

/* Under /integrity: the digest of every object, and the digest of that list. */
#define APP_PATH_MANIFEST "/integrity/manifest"
#define APP_PATH_ROOT "/integrity/root"
#define APP_DIGEST_METHOD "sha256 in blocks of whole rows, at most 1048576 bytes"

/* Groups that every results file has: the initialisers of an array of texts. */
#define APP_SCHEMA_GROUPS                                                                       \
    "/provenance", "/summary", "/input", "/series", "/fields", "/performance", "/verification", \
        "/integrity"
