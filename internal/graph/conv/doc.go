// Package conv makes convolutions and folds of windows of the operations of package ir.
//
// What windows have in common with others is read from memory again and again, so how it lies there decides how long that takes.
// Convolutions have the channels last in memory, both of what they read and of their results (ir.Order), wherever there are several:
// a window then is a few runs of neighbours, and weights, which are mostly constants, are the right factor of the product, which engines
// pack once. The array is one line of places. Where windows start next to each other, each element of a window is that line from a later
// place on, so the factors of the product are parts of the array itself; windows that reach into the next line have results that are
// thrown away. Where that would be too many, windows are copied to the rows of a matrix, run by run.
//
// Arrays of few channels, such as images, have their spatial axes last: their windows are copied to the columns of a matrix (planes.go).
// Windows that start several elements apart along the last axis then see a phase of the array in each of their places, such as all even or
// all odd elements, and the array is first copied phase by phase.
//
// A convolution of each channel by itself is a sum of products of elements.
package conv
