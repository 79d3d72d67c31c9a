// Package index represents where an element of an array is read or written: an integer that depends on the position of the
// loops around it. An [Expr] is a sum of multiples of atoms. An atom is the position along an axis, a quotient, a remainder, a
// bounded number, or a number that is read from memory. Every atom has a range, which lets quotients and remainders disappear
// where they are not needed: what remains of a chain of reshapes, slices and transpositions is most often a stride for each axis.
//
// Quotients round down and remainders are not negative, as the divisors are positive constants.
package index
