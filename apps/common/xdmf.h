/* The XDMF file beside a results file: a few lines of XML that let ParaView and VisIt open the
 * fields. Private to the results files; rank 0 only. */
#pragma once
#include "decomp.h"

/* A cell field on a uniform mesh; entries beyond `dims` are not used. */
typedef struct app_xdmf_field {
    char *name;
    int dims;
    mx_gid cells[APP_MAX_DIMS];
    double origin[APP_MAX_DIMS], spacing[APP_MAX_DIMS];
} app_xdmf_field;

/* Writes `path` for the fields of the HDF5 file called `data_name` in the same folder. MX_ERR_IO
 * with the path and the reason, then no file is left. */
mx_err app_xdmf_write(const char *path, const char *data_name, const app_xdmf_field *fields,
                      int count);
