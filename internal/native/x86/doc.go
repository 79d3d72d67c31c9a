// Package x86 makes machine code for x86-64 processors of functions of package vec.
//
// A [Compiler] takes functions and gives one piece of code with all of them. For each function it chooses instructions on
// virtual registers, lets package mach assign registers, and writes the result with package amd64. A vector of 16 lanes is
// one or two registers of 512 bits at the level avx512, two or four of 256 bits at avx2, and less for narrow lanes; a mask
// is a mask register or, at avx2, a vector of 32-bit lanes whose bits are all alike.
//
// What an instruction becomes is an entry of a level's table: an instruction of the machine that does the same for each
// register of a vector, or a rule, a function that writes several. Levels share what they do alike, and package amd64 refuses
// what a level does not require. An entry that is missing gives the error [Unsupported]; so far all levels have all entries.
//
// Code keeps the address of its frame in RDI. Behind the words that a function asks for, the frame has room for lanes that
// are accessed one by one and for values that no register holds: [Function.Words] counts all.
package x86
