#!/usr/bin/env python3
"""Tabulates an analytic embedded-atom potential of copper and nickel as a setfl file:

    scripts/johnson_potential.py > inputs/minimd/CuNi_johnson.eam.alloy

R. A. Johnson, Phys. Rev. B 37 (1988) 3924 (the elements) and 39 (1989) 12554 (the alloy), with x = r / re and y = rho / rhoe:

    f(r)   = fe exp(-beta (x - 1))                          rhoe = 12 fe
    phi(r) = phie exp(-gamma (x - 1))
    F(rho) = -Ec (1 - (alpha / beta) ln y) y^(alpha / beta) - 6 phie y^(gamma / beta)
    phi_ab = (phi_aa f_b / f_a + phi_bb f_a / f_b) / 2

It is a model of nearest neighbours: f and phi end between the first and the second neighbours of the lattice. Where is not part of
the model. Here both are multiplied by a polynomial that falls from 1 at 3.05 to 0 at 3.50 Angstrom, with two continuous
derivatives. So a face-centred lattice of nearest neighbours at r <= 3.05 has the energy of Rose's equation of state,
-Ec (1 + alpha (x - 1)) exp(-alpha (x - 1)) per atom.
"""
import math
import sys

# name, number, mass [u], a [A], Ec [eV], fe [eV/A^3], phie [eV], alpha, beta, gamma
ELEMENTS = [
    ("Cu", 29, 63.546, 3.615, 3.54, 0.30, 0.59, 5.09, 5.85, 8.00),
    ("Ni", 28, 58.693, 3.52, 4.45, 0.41, 0.74, 4.98, 6.41, 8.86),
]
FALL, CUTOFF = 3.05, 3.50
RHO_KNOTS, R_KNOTS = 501, 701
RHO_STEP = 0.02
R_STEP = CUTOFF / (R_KNOTS - 1)


def switch(r):
    t = min(max((r - FALL) / (CUTOFF - FALL), 0.0), 1.0)
    return 1.0 - t**3 * (10.0 + t * (6.0 * t - 15.0))


def density(element, r):
    a, fe, beta = element[3], element[5], element[8]
    return fe * math.exp(-beta * (r * math.sqrt(2) / a - 1.0))


def like_pair(element, r):
    a, phie, gamma = element[3], element[6], element[9]
    return phie * math.exp(-gamma * (r * math.sqrt(2) / a - 1.0))


def pair(one, other, r):
    ratio = density(other, r) / density(one, r)
    return 0.5 * (like_pair(one, r) * ratio + like_pair(other, r) / ratio)


def embedding(element, rho):
    ec, fe, phie, alpha, beta, gamma = element[4:]
    if rho == 0.0:
        return 0.0
    y = rho / (12.0 * fe)
    power = y ** (alpha / beta)
    return -ec * (1.0 - alpha / beta * math.log(y)) * power - 6.0 * phie * y ** (gamma / beta)


def write_values(values):
    for i in range(0, len(values), 5):
        sys.stdout.write(" ".join(f"{value:.12e}" for value in values[i:i + 5]) + "\n")


def describe(element):
    return f"{element[0]}: " + " ".join(f"{name} {value}" for name, value in
                                        zip(("a", "Ec", "fe", "phie", "alpha", "beta", "gamma"), element[3:]))


def main():
    print("Cu and Ni, R. A. Johnson, Phys. Rev. B 37, 3924 (1988) and 39, 12554 (1989)")
    print("; ".join(describe(element) for element in ELEMENTS))
    print(f"f, phi fall to 0 from {FALL:.2f} to {CUTOFF:.2f} A; made by scripts/johnson_potential.py; units: eV, A, u")
    print(len(ELEMENTS), *(element[0] for element in ELEMENTS))
    print(RHO_KNOTS, f"{RHO_STEP:.16e}", R_KNOTS, f"{R_STEP:.16e}", f"{CUTOFF:.16e}")
    distances = [k * R_STEP for k in range(R_KNOTS)]
    for element in ELEMENTS:
        print(element[1], element[2], element[3], "fcc")
        write_values([embedding(element, k * RHO_STEP) for k in range(RHO_KNOTS)])
        write_values([density(element, r) * switch(r) for r in distances])
    for i, one in enumerate(ELEMENTS):
        for other in ELEMENTS[:i + 1]:
            write_values([r * pair(one, other, r) * switch(r) for r in distances])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    main()
