/* The initial condition: which of a deck's states fills a cell. */
#pragma once
#include "tl_deck.h"

/* Density and energy of the global cell in row j (y) and column k (x), counted from 0. A cell is in a state entirely or not
 * at all, and the last state that holds it wins. Sampled as the reference code does: a rectangle fills every cell that it
 * overlaps, its sides drawn in by a hundredth of a cell first so that a side on a cell's edge does not reach the next; a
 * circle (its centre moved likewise) fills the cells whose centre is inside. A point fills the cell that it lies in. */
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
