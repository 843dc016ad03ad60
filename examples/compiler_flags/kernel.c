/* A small program with a little of everything compilers work on: floating-point sums, a stencil, branches,
   calls of small functions, integers and tables. Prints a checksum; the argument says how often to repeat. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BODIES = 48, GRID = 64, WORDS = 4096, SIEVE = 20000 };

static double position[BODIES][3], velocity[BODIES][3], mass[BODIES];
static double grid[GRID][GRID], next[GRID][GRID];
static unsigned words[WORDS], table[256];
static unsigned char composite[SIEVE];

static unsigned state = 2463534242u;

static unsigned draw(void) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static double uniform(void) { return draw() / 4294967296.0; }

/* Gravity between bodies: square roots, divisions, sums in an order that only associative maths may change. */
static double attract(double step) {
    double energy = 0.0;
    for (int i = 0; i < BODIES; i++) {
        double pull[3] = {0.0, 0.0, 0.0};
        for (int j = 0; j < BODIES; j++) {
            double apart[3], square = 1e-3;
            for (int k = 0; k < 3; k++) {
                apart[k] = position[j][k] - position[i][k];
                square += apart[k] * apart[k];
            }
            double strength = mass[j] / (square * sqrt(square));
            for (int k = 0; k < 3; k++) pull[k] += strength * apart[k];
            energy -= mass[i] * mass[j] / sqrt(square);
        }
        for (int k = 0; k < 3; k++) velocity[i][k] += step * pull[k];
    }
    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < 3; k++) position[i][k] += step * velocity[i][k];
    return energy;
}

/* Heat on a plate: a stencil over two arrays. */
static double diffuse(int flip) {
    double total = 0.0;
    for (int i = 1; i < GRID - 1; i++)
        for (int j = 1; j < GRID - 1; j++) {
            double around = grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1];
            next[i][j] = flip ? 0.5 * grid[i][j] + 0.125 * around : 0.6 * grid[i][j] + 0.1 * around;
        }
    for (int i = 1; i < GRID - 1; i++)
        for (int j = 1; j < GRID - 1; j++) {
            grid[i][j] = next[i][j];
            total += grid[i][j];
        }
    return total;
}

/* A table-driven checksum: integers, shifts and loads that depend on one another. */
static unsigned checksum(const unsigned *data, int count) {
    unsigned sum = ~0u;
    for (int i = 0; i < count; i++)
        for (int byte = 0; byte < 4; byte++) sum = table[(sum ^ (data[i] >> (8 * byte))) & 255] ^ (sum >> 8);
    return ~sum;
}

/* Primes: branches and strides. */
static int primes(void) {
    int count = 0;
    for (int i = 0; i < SIEVE; i++) composite[i] = 0;
    for (int i = 2; i < SIEVE; i++) {
        if (composite[i]) continue;
        count++;
        for (int j = 2 * i; j < SIEVE; j += i) composite[j] = 1;
    }
    return count;
}

static int collatz(unsigned n) {
    int steps = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n >> 1;
        steps++;
    }
    return steps;
}

int main(int count, char **arguments) {
    int rounds = count > 1 ? atoi(arguments[1]) : 1;
    for (unsigned i = 0; i < 256; i++) {
        unsigned entry = i;
        for (int bit = 0; bit < 8; bit++) entry = entry & 1 ? 0xEDB88320u ^ (entry >> 1) : entry >> 1;
        table[i] = entry;
    }
    for (int i = 0; i < BODIES; i++) {
        mass[i] = 0.5 + uniform();
        for (int k = 0; k < 3; k++) position[i][k] = uniform() - 0.5;
    }
    for (int i = 0; i < GRID; i++)
        for (int j = 0; j < GRID; j++) grid[i][j] = uniform();
    for (int i = 0; i < WORDS; i++) words[i] = draw();

    double energy = 0.0, heat = 0.0;
    unsigned whole = 0;
    for (int round = 0; round < rounds; round++) {
        for (int step = 0; step < 12; step++) energy += attract(1e-4);
        for (int step = 0; step < 20; step++) heat += diffuse(step & 1);
        whole ^= checksum(words, WORDS) + (unsigned)primes();
        for (unsigned n = 1; n < 800; n++) whole += (unsigned)collatz(n);
    }
    printf("%.9e %.9e %u\n", energy / rounds, heat / rounds, whole);
    return 0;
}
