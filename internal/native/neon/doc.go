// Package neon makes machine code for AArch64 processors of functions of package vec, with the vector instructions that
// all of them have.
//
// A [Compiler] takes functions and gives one piece of code with all of them. For each function it chooses instructions on
// virtual registers, lets package mach assign registers, and writes the result with package arm64. A vector of 16 lanes is
// one register of 128 bits for each byte of a lane. A mask is four registers with lanes of 32 bits that are all ones or all
// zeros: a comparison of 32-bit lanes makes such a mask and a selection takes it as it is, and both become longer for lanes
// of another width.
//
// What an instruction becomes is a row of a table for operations that are one instruction for each register, and a rule, a
// function that writes several instructions, for the others. There is code for every operation and every type.
//
// Code keeps the address of its frame in X0. Behind the words that a function asks for the frame has room for values that
// no register holds: [Function.Words] counts both. X17 is for offsets in large frames. Conditional branches and loads of
// constants reach 1 MB, so a compiler refuses more code than that: the error is a [TooLarge].
package neon
