/* The initial condition: which of a deck's states fills a cell. */
#pragma once
#include "tl_deck.h"

/* Density and energy of the global cell in row j (y) and column k (x), counted from 0. A state fills whole cells; where
 * several states fill a cell, the last one counts. The rules are those of the reference code. A rectangle fills every cell that it
 * overlaps, after its sides were moved inwards by a hundredth of a cell, so that a side on a cell's edge does not fill the next
 * cell. A circle, whose centre was moved likewise, fills the cells whose centre is inside. A point fills the cell that contains
 * it. */
void tl_state_at(const tl_deck *deck, int64_t j, int64_t k, double *density, double *energy);

/* The states as results files hold them: for each of these members a list of the values of all states (0 where a shape has
 * none), and the shapes as one text, "background rectangle point". */
enum { TL_STATE_MEMBERS = 7, TL_GEOMETRIES_SIZE = 11 * TL_MAX_STATES };
extern const struct tl_state_member {
    const char *name, *unit;
    size_t offset; /* of a double in tl_state */
} tl_state_members[TL_STATE_MEMBERS];
void tl_states_list(const tl_deck *deck, int member, double values[TL_MAX_STATES]);
void tl_states_geometries(const tl_deck *deck, char text[TL_GEOMETRIES_SIZE]);
