// Package vec is the intermediate representation of loops that become machine code for CPUs.
//
// A function works on vectors of [Lanes] lanes whatever the machine's registers hold: a back end gives a vector as many
// registers as it needs, and so every machine computes in the same order. Beside vectors there are scalars, integers of
// 64 bits for addresses and counters, and masks of one truth value a lane. Control flow is structured: loops with a
// counter and branches on scalars. Virtual registers are variables: an instruction may assign one again.
//
// A register has a class, which is the width of its lanes; instructions say how they read the bits. [Table] lists the
// instructions with the classes of their operands, and [Eval] runs a function in Go: it says what instructions mean, and
// back ends are compared with it.
//
// Functions get their arguments in a frame, an array of 64-bit words.
package vec

// Lanes is the number of lanes of a vector.
const Lanes = 16
