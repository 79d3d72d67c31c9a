// Package x86 makes machine code for x86-64 processors of functions of package vec.
//
// A [Compiler] takes functions and gives one piece of code with all of them. For each function it chooses instructions on
// virtual registers, lets package mach assign registers, and writes the result with package amd64. A vector of 16 lanes is
// one or two registers of 512 bits at the level avx512, two or four of 256 bits at avx2, and less for narrow lanes; a mask
// is a mask register or, at avx2, a vector of 32-bit lanes whose bits are all alike.
//
// What an instruction becomes is a row of a table for most operations, and a rule, a function that writes several
// instructions, for the others. The table of a level says what it lacks: the error for that is an [Unsupported].
//
// Code keeps the address of its frame in RDI. Behind the words that a function asks for the frame has room for values
// that no register holds: [Function.Words] counts both.
package x86
