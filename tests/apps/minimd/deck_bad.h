/* Decks of miniMD that are refused, and a part of the message. Included once. */
#pragma once
#include <stddef.h>

typedef struct bad_deck {
    const char *text;
    size_t length;
    const char *message;
} bad_deck;

#define BAD(TEXT, MESSAGE)              \
    {                                   \
        TEXT, sizeof(TEXT) - 1, MESSAGE \
    }
/* Lines 1 to 5, and those behind. */
#define TOP "1\n2\nlj\nnone\nlj\n"
#define CELLS "8 8 8\n"
#define REST "100\n0.005\n1.44\n0.8442\n20\n2.5 0.3\n100\n"

static const bad_deck bad_decks[] = {
    BAD("", "deck:1: units: got the end of the file"),
    BAD("1\n2\n", "deck:2: units: got the end of the file, expected it on line 3 of 14"),
    BAD("1\n2\nreal\nnone\nlj\n1 1\n" CELLS REST,
        "deck:3: units: got \"real\", expected lj or metal"),
    BAD("1\n2\n\nnone\nlj\n1 1\n" CELLS REST, "deck:3: units: got no value"),
    BAD("1\n2\nlj\n\nlj\n1 1\n" CELLS REST, "deck:4: data_file: got no value"),
    BAD("1\n2\nlj\nnone\nsnap\n1 1\n" CELLS REST,
        "deck:5: force: got \"snap\", expected lj or eam"),
    BAD(TOP "1\n" CELLS REST, "deck:6: sigma: got no value, expected up to 8 values"),
    BAD(TOP "-1 1\n" CELLS REST, "deck:6: epsilon: got \"-1\""),
    BAD(TOP "1 0\n" CELLS REST, "deck:6: sigma: got \"0\""),
    BAD(TOP "1 nan\n" CELLS REST, "deck:6: sigma: got \"nan\""),
    BAD(TOP "1,2 1\n" CELLS REST,
        "deck:6: epsilon: got 2 values, expected one, or 1 as there are types"),
    BAD(TOP CELLS REST,
        "deck:6: epsilon, sigma: got \"8 8 8\", expected two numbers: this is an older deck of 13 lines"),
    BAD(TOP "32 32 32 size of problem\n100 timesteps\n" REST, "older deck"),
    BAD(TOP "1 1\n8 8\n" REST,
        "deck:7: nz: got no value, expected a whole number from 1 to 1000000"),
    BAD(TOP "1 1\n0 8 8\n" REST, "deck:7: nx: got \"0\""),
    BAD(TOP "1 1\n8 8.5 8\n" REST, "deck:7: ny: got \"8.5\""),
    BAD(TOP "1 1\n8 8 99999999999999999999\n" REST, "deck:7: nz"),
    BAD(TOP "1 1\n8 8 8x\n" REST, "deck:7: nz: got \"8x\""),
    BAD(TOP "1 1\n" CELLS "-1\n", "deck:8: steps: got \"-1\""),
    BAD(TOP "1 1\n" CELLS "100\n0\n", "deck:9: dt: got \"0\", expected a number above 0"),
    BAD(TOP "1 1\n" CELLS "100\n1e999\n", "deck:9: dt"),
    BAD(TOP "1 1\n" CELLS "100\n0.005\n-1\n", "deck:10: temperature: got \"-1\""),
    BAD(TOP "1 1\n" CELLS "100\n0.005\n1\n0\n", "deck:11: density: got \"0\""),
    BAD(TOP "1 1\n" CELLS "100\n0.005\n1\n1\n0\n",
        "deck:12: every: got \"0\", expected a whole number from 1"),
    BAD(TOP "1 1\n" CELLS "100\n0.005\n1\n1\n20\n2.5\n", "deck:13: skin: got no value"),
    BAD(TOP "1 1\n" CELLS "100\n0.005\n1\n1\n20\n0 1\n", "deck:13: cutoff: got \"0\""),
    BAD(TOP "1 1\n" CELLS "100\n0.005\n1\n1\n20\n1 -1\n", "deck:13: skin: got \"-1\""),
    BAD(TOP "1 1\n" CELLS "100\n0.005\n1\n1\n20\n1 1\n",
        "deck:13: thermo: got the end of the file, expected it on line 14 of 14"),
    BAD(TOP "1 1\n" CELLS "100\n0.005\n1\n1\n20\n1 1\n-5\n", "deck:14: thermo: got \"-5\""),
    BAD(TOP "1 1\n" CELLS "100\n0.005\n1\n1e-320\n20\n1 1\n0\n", "deck:11: density"),
    BAD(TOP "1 1\n" CELLS REST "more\n", "deck:15: more: got an unknown key"),
    BAD(TOP "1 1\n" CELLS REST "\nmixin=arithmetic\n",
        "deck:16: mixin: got an unknown key, expected mixing"),
    BAD(TOP "1 1\n" CELLS REST "mixing=other\n",
        "deck:15: mixing: got \"other\", expected geometric or arithmetic"),
    BAD(TOP "1 1\n" CELLS REST "potential=a\n",
        "deck:15: potential: got a value with force=lj, expected none"),
    BAD("1\n2\nlj\nnone\neam\n1 1\n" CELLS REST "shift=force\n",
        "deck:15: shift: got a value with force=eam, expected none"),
    BAD("1\n2\nlj\nnone\neam\n1 1\n" CELLS REST "mixing=arithmetic\n",
        "deck:15: mixing: got a value with force=eam, expected none"),
    BAD(TOP "1 1\n" CELLS REST "nx=9\n", "deck:15: nx: got another value than nx on line 7"),
    BAD(TOP "1 1\n" CELLS REST "size=9\n", "deck:15: size: got an unknown key"),
    BAD(TOP "1 1\n8 8\x01 8\n" REST, "deck:7: text: got the byte \"\\x01\", expected a text file"),
    BAD("\x7f"
        "ELF\n2\n",
        "deck:1: text"),
};
