/* The initial condition: which of a deck's states fills a cell. */
#pragma once
#include "tl_deck.h"

/* Density and energy of the global cell in plane i (z; 0 in 2-D), row j (y) and column k (x),
 * counted from 0. A state fills whole cells; where several states fill a cell, the last one counts.
 * The rules are those of the reference code. A rectangle (a cuboid) fills every cell that it
 * overlaps, after its sides were moved inwards by a hundredth of a cell, so that a side on a cell's
 * edge does not fill the next cell. A circle (a sphere), whose centre was moved likewise, fills the
 * cells whose centre is inside. A point fills the cell that contains it. */
void tl_state_at(const tl_deck *deck, int64_t i, int64_t j, int64_t k, double *density,
                 double *energy);

/* The columns [*first, *last) of row j of plane i that a state other than the background fills,
 * after what tl_state_at says; equal if none. */
void tl_state_columns(const tl_deck *deck, const tl_state *state, int64_t i, int64_t j,
                      int64_t *first, int64_t *last);

/* Does the state lie wholly outside of the domain, so that it fills no cell? */
bool tl_state_is_outside(const tl_deck *deck, const tl_state *state);
