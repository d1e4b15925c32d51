/* The initial condition: which of a deck's states fills a cell. */
#pragma once
#include "tl_deck.h"

/* Density and energy of the global cell in row j (y) and column k (x), counted from 0. A cell is in a state entirely or not
 * at all, and the last state that holds it wins. Sampled as the reference code does: a rectangle fills every cell that it
 * overlaps, its sides drawn in by a hundredth of a cell first so that a side on a cell's edge does not reach the next; a
 * circle (its centre moved likewise) fills the cells whose centre is inside. A point fills the cell that it lies in. */
void tl_state_at(const tl_deck *deck, int64_t j, int64_t k, double *density, double *energy);
