/* Frames: an array that a run writes again and again, each time with its step and time; as H5MD
 * asks of trajectories (https://www.nongnu.org/h5md/h5md.html, version 1.1). In the results file an
 * element is a group with three datasets, whose first dimension grows by one entry for each frame:
 *
 *     step [frames]   time [frames]   value [frames][extents of the array]
 *
 * Fields go under /frames/NAME, particles, in the order of their ids, under /particles/GROUP/NAME.
 * An element of particles that is the same in all frames, as their ids, is no frame: it is written
 * once, by app_results_array. All functions are collective and agreed. */
#pragma once
#include "results.h"

typedef struct app_frames *app_frames;

/* Creates the element. `array` is one frame: the path of the element ("/frames/temperature",
 * "/particles/all/position"), and a slab of rank 1 to 4, this rank's box in every frame. What
 * array->place points to must stay valid until the results file is closed. The element belongs to
 * the results file, and is closed with it. With results NULL *frames is NULL, which app_frames_add
 * accepts. MX_ERR_ARG for an array that cannot be stored, MX_ERR_IO if an object with this path
 * exists. */
mx_err app_frames_create(app_results results, const app_array *array, const char *time_unit,
                         app_frames *frames);

/* A frame: the array that app_frames_create was given, without its unit. */
const app_array *app_frames_array(app_frames frames);

/* Writes the next frame. values: this rank's box, row-major, in host memory. Of step and time the
 * values of rank 0 are stored. MX_ERR_ARG for values that are NULL, unless the box is empty. */
mx_err app_frames_add(app_frames frames, int64_t step, double time, const void *values);

/* Writes the frames so far to the disk. A run calls it when all elements of a frame were added: if
 * it is killed later, its temporary file (results_file.h) can be opened and has these frames.
 * results NULL: nothing. MX_ERR_IO. */
mx_err app_frames_flush(app_results results);

/* The metadata that H5MD requires in a file with particles. app_h5md_begin is called once, before
 * the elements of /particles are created. The box is an element as well:
 * "/particles/GROUP/box/edges", the lengths of its sides (dims entries), with as many frames as the
 * positions. Units of H5MD (m, nm, Angstrom, s, ps, K and the like, with exponents: "Angstrom
 * ps-1") are stored for its readers; others, such as the reduced units of Lennard-Jones, are not
 * known to them. */
typedef struct app_h5md {
    const char *group;  /* "all" */
    const char *author; /* NULL: the user's login name */
    int dims;
    bool periodic[3];
} app_h5md;
mx_err app_h5md_begin(app_results results, const app_h5md *info);

/* For results.c. The end of all frames of a file: closes their datasets, and adds the elements with
 * a place to the list of the XDMF file. Then frees them. */
mx_err app_frames_end(app_results results);
void app_frames_free(app_results results);
