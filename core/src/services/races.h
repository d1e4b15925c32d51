/* The race check: races.c watches accesses, races_report.c describes races. */
#pragma once
#include "services.h"
#include "view/memory.h"

enum { READ, WRITE, ATOMIC_READ, ATOMIC_WRITE };
enum { PAGE_CELLS = 512, LAST = 128 };

/* Numbers of actors; 0: none. What most cells need, and the rest. */
typedef struct cell {
    uint32_t writer, reader;
} cell;
typedef struct others {
    uint32_t reader, atomic[2];
} others;
typedef struct page {
    cell cell[PAGE_CELLS];
    others *others; /* of each cell; NULL: there are none */
    struct page *next;
} page;

/* Memory that is watched: of one view, or of several that share memory. */
typedef struct region {
    uintptr_t begin, end;
    page **page;
    int shift; /* a cell is for 2^shift bytes */
    bool scratch;
    bool read_only; /* all its accessors are: reads need not be noted */
    /* the first race */
    int before, after;      /* READ, WRITE ... */
    uint32_t first, second; /* second 0: there was none */
    int number;             /* among those of this launch, from 0 */
    uintptr_t at;
    uintptr_t pc;
} region;

/* A member of a team between two barriers. */
typedef struct actor {
    int32_t league, member, team_phase, lane_phase;
} actor;

struct mx_races {
    const mx_launch *launch;
    const void *args;
    int64_t begin[MX_MAX_DIMS], extent[MX_MAX_DIMS]; /* of the items' indices */
    uint32_t now;                                    /* the actor; 0: no item runs */
    int exclusive; /* > 0: accesses of the running member count as atomics */
    int regions;
    region *region;
    int races;           /* regions that have one */
    uintptr_t low, high; /* all regions are between */
    page *unused;
    struct mx_races *outer; /* the launch whose body made this one */

    /* teams whose members run in turn; else actors are items */
    actor *actor; /* NULL: there are none */
    uint32_t actors, max_actors;
    struct where {
        actor at;
        uint32_t number;
        int exclusive; /* while another member runs */
    } * member;        /* where each member of a team is */
    int running, lanes;
};

/* ---- races_report.c ---- */

/* The view of an accessor in the arguments. NULL: it is not watched. */
const mx_record *mx_races_record(const struct mx_races *races, const mx_args_accessor *accessor);

/* Describes the races of a launch: view, index and items of each, the first one first. */
void mx_races_describe(const struct mx_races *races, char *text, size_t size);
