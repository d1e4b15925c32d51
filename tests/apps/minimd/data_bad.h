/* LAMMPS data files that minimd refuses, and a part of the message. Included once. */
#pragma once
#include <stddef.h>

typedef struct bad_file {
    const char *text;
    size_t length;
    const char *message;
} bad_file;

#define BAD(TEXT, MESSAGE)              \
    {                                   \
        TEXT, sizeof(TEXT) - 1, MESSAGE \
    }
#define BOX "0 4 xlo xhi\n0 4 ylo yhi\n0 4 zlo zhi\n"
/* Lines 1 to 6: two atoms of two types. */
#define TOP "\n2 atoms\n2 atom types\n" BOX
/* Lines 7 to 10. */
#define ATOMS "Atoms # atomic\n\n1 1 0 0 0\n2 2 1 1 1\n"

static const bad_file bad_files[] = {
    BAD("", "file:1: atoms: got no number of atoms"),
    BAD("2 atoms\n2 atom types\n" BOX ATOMS,
        "file:6: atoms: got no number of atoms, expected a line \"N atoms\" in the header; line 1, \"2 "
        "atoms\", is a title, which is not read"),
    BAD("0 4 xlo xhi # box\n2 atoms\n2 atom types\n0 4 ylo yhi\n0 4 zlo zhi\n" ATOMS,
        "xlo xhi: got no side of the box, expected a line \"LOW HIGH xlo xhi\" in the header; line 1, "
        "\"0 4 xlo xhi\", is a title"),
    BAD("2 extra bond per atom\n1 atom types\n" ATOMS,
        "line 1, \"2 extra bond per atom\", is a title"),
    BAD("2 atoms of 3\n1 atom types\n" ATOMS, "expected a line \"N atoms\" in the header"),
    BAD("a\x1b[31m title\n2 atoms\n", "file:1: text: got the byte \"\\x1b\", expected a text file"),
    BAD("a\0title\n2 atoms\n", "file:1: text: got the byte \"\\x00\""),
    BAD("\n2 atoms # \033\n", "file:2: text: got the byte"),
    BAD("\n-1 extra bond per atom\n", "file:2: extra bond per atom: got \"-1\""),
    BAD("\n2 extra bonds per atom\n", "file:2: header: got \"2 extra bonds per atom\""),
    BAD("\n2 atoms\n" BOX ATOMS, "file:6: atom types: got no number of types"),
    BAD("\n2 atoms\n1 atom types\n0 4 xlo xhi\n0 4 zlo zhi\n" ATOMS,
        "ylo yhi: got no side of the box"),
    BAD("\n-2 atoms\n", "file:2: atoms: got \"-2\", expected a whole number from 1 to"),
    BAD("\n0 atoms\n", "file:2: atoms: got \"0\""),
    BAD("\n2.5 atoms\n", "file:2: atoms: got \"2.5\""),
    BAD("\n99999999999999999999 atoms\n", "file:2: atoms"),
    BAD("\n2 atoms\n3 atoms\n", "file:3: atoms: got it a second time"),
    BAD("\n9 atom types\n", "file:2: atom types: got \"9\", expected a whole number from 1 to 8"),
    BAD("\n1 atom types\n1 atom types\n", "file:3: atom types: got it a second time"),
    BAD("\n2 atom\n", "file:2: header: got \"2 atom\", expected a line as"),
    BAD("\n5 bonds\n", "file:2: bonds: got \"5\", expected a whole number from 0 to 0"),
    BAD("\n1 ellipsoids\n", "file:2: ellipsoids"),
    BAD("\n4 0 xlo xhi\n", "file:2: xlo xhi: got 4 and 0, expected a side"),
    BAD("\n0 0 ylo yhi\n", "file:2: ylo yhi"),
    BAD("\n0 1e200 ylo yhi\n", "file:2: ylo yhi: got 0 and 1e+200, expected a side whose cube"),
    BAD("\n0 nan zlo zhi\n", "file:2: header"),
    BAD("\n0 1e999 zlo zhi\n", "file:2: zlo zhi: got \"1e999\", expected a number"),
    BAD("\n0 4 zlo zhi\n0 4 zlo zhi\n", "file:3: zlo zhi: got it a second time"),
    BAD("\n0.5 0 0 xy xz yz\n",
        "file:2: xy xz yz: got \"0.5\", expected 0: the box must not be tilted"),
    BAD("\n1 0 0 avec\n", "file:2: header"),
    BAD(TOP, "file:6: Atoms: got the end of the file, expected the section Atoms"),
    BAD(TOP "Atoms # full\n\n1 1 1 0 0 0 0\n",
        "file:7: Atoms: got the style \"full\", expected atomic"),
    BAD(TOP "Bonds\n\n1 1 1 2\n", "file:7: section: got \"Bonds\""),
    BAD(TOP "Atom\n\n1 1 0 0 0\n", "file:7: section: got \"Atom\", expected Atoms"),
    BAD(TOP "atoms\n\n1 1 0 0 0\n", "file:7: section: got \"atoms\", expected Atoms"),
    BAD(TOP "Bond Coeffs\n\n1 1 1\n", "file:7: section: got \"Bond Coeffs\""),
    BAD(TOP ATOMS "3 1 2 2 2\n", "file:11: section: got \"3 1 2 2 2\", expected no more rows here"),
    BAD(TOP ATOMS ATOMS, "file:11: Atoms: got it a second time"),
    BAD(TOP "Atoms\n\n1 1 0 0 0\n",
        "file:9: Atoms: got the end of the file after 1 rows, expected 2"),
    BAD(TOP "Atoms\n\n1 1 0 0 0\nVelocities\n\n",
        "file:10: Atoms: got \"Velocities\" after 1 rows, expected 2 rows"),
    BAD(TOP "Atoms\n\n1 1 0 0\n", "file:9: Atoms: got \"1 1 0 0\", expected id, type, x, y and z"),
    BAD(TOP "Atoms\n\n1 1 0 0 0 1 1\n", "file:9: Atoms"),
    BAD(TOP "Atoms\n\n1 1 0 0 0 0 0 0 0 0 0 0 0 0\n", "file:9: Atoms"),
    BAD(TOP "Atoms\n\n0 1 0 0 0\n",
        "file:9: id: got \"0\", expected a whole number from 1 to 9007199254740991"),
    BAD(TOP "Atoms\n\n9007199254740992 1 0 0 0\n", "file:9: id: got \"9007199254740992\""),
    BAD(TOP "Atoms\n\n1 3 0 0 0\n", "file:9: type: got \"3\", expected a whole number from 1 to 2"),
    BAD(TOP "Atoms\n\n1 1 0 zero 0\n", "file:9: y: got \"zero\", expected a number"),
    BAD(TOP "Atoms\n\n1 1 0 0 nan\n", "file:9: z: got \"nan\""),
    BAD(TOP "Atoms\n\n1 1 1e300 0 0\n", "file:9: x: got 1e+300, expected a position near the box"),
    BAD(TOP "Atoms\n\n1 1 0 0 0 0.5 0 0\n", "file:9: image flag: got \"0.5\""),
    BAD(TOP ATOMS "Velocities\n\n1 0 0\n",
        "file:13: Velocities: got \"1 0 0\", expected id, vx, vy and vz"),
    BAD(TOP ATOMS "Velocities\n\n1 0 0 inf\n", "file:13: vz: got \"inf\""),
    BAD(TOP ATOMS "Velocities\n\n1 0 0 0\n",
        "file:13: Velocities: got the end of the file after 1 rows, expected 2"),
    BAD(TOP "Masses\n\n1 1\n" ATOMS,
        "file:10: Masses: got \"Atoms\" after 1 rows, expected 2 rows"),
    BAD(TOP "Masses\n\n1 1\n1 2\n", "file:10: Masses: got type 1 a second time"),
    BAD(TOP "Masses\n\n1 0\n", "file:9: mass: got \"1 0\", expected a mass above 0"),
    BAD(TOP "Masses\n\n1 1 1\n", "file:9: Masses"),
    BAD(TOP "Pair Coeffs # eam\n\n", "file:7: Pair Coeffs: got the style \"eam\", expected lj/cut"),
    BAD(TOP "Pair Coeffs\n\n1 1\n",
        "file:9: Pair Coeffs: got \"1 1\", expected a type, epsilon, sigma"),
    BAD(TOP "Pair Coeffs\n\n1 1 0\n", "file:9: sigma"),
    BAD(TOP "Pair Coeffs\n\n1 -1 1\n", "file:9: epsilon"),
    BAD(TOP "Pair Coeffs\n\n1 1 1 0\n", "file:9: cutoff"),
    BAD(TOP "Pair Coeffs\n\n1 1 1\n1 1 1\n",
        "file:10: Pair Coeffs: got \"1 1 1\", expected these types once"),
    BAD(TOP "PairIJ Coeffs\n\n1 2 1 1\n2 1 1 1\n", "file:10: PairIJ Coeffs"),
    BAD(TOP "Pair Coeffs\n\n1 1 1\n2 1 1\nPairIJ Coeffs\n",
        "file:11: PairIJ Coeffs: got a second section"),
    BAD(TOP "Atoms\n\n1 1 0 0 \x01\n", "file:9: text: got the byte \"\\x01\""),
    BAD("\n\x00\x01", "file:2: text"),
};
