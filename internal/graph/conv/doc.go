// Package conv makes convolutions and folds of windows of the operations of package ir.
//
// What windows have in common with others is read from memory again and again, so how it lies there decides how long that takes.
// The code here arranges that neighbours in a result are made of neighbours in memory:
//
//   - Where windows start next to each other, the padded array is one long row, and each place of a window is that row from a
//     later element on. The factors of a matrix product are then parts of the array itself. What is computed for positions at which a
//     window would reach into the next line is thrown away.
//   - Windows that start several elements apart along the last axis see a phase of the array in each of their places, such as all even
//     or all odd elements: the array is copied phase by phase.
package conv
