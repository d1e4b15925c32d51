#include "minx/kernel.h"

#include "structs.h"

MX_BODY void sx_move_body(const sx_args *a, int i)
{
    sx_particle p = MX_AT(a->other, i); /* whole structs are copied */
    p.energy += a->shift.energy;
    p.speed *= a->shift.speed;
    p.alive = (uint8_t)(p.alive ^ a->shift.alive);
    p.id = -p.id;
    p.kind = a->shift.kind - p.kind;
    MX_AT(a->own, i) = p;
    MX_AT(a->own, i).energy *= 2; /* and members written one by one */
}
MX_FOR(1D, sx_move)

MX_BODY void sx_gather_body(const sx_args *a, int i, sx_particle *v)
{
    const sx_particle *p = &MX_AT(a->other, i);
    v->energy += p->energy;
    v->speed = p->speed > v->speed ? p->speed : v->speed;
    v->alive = (uint8_t)(v->alive || p->alive);
    v->id = p->id > v->id ? p->id : v->id;
    v->kind = p->kind < v->kind ? p->kind : v->kind;
}
MX_REDUCE_FIELDS(1D, sx_gather, SX_FIELDS)
