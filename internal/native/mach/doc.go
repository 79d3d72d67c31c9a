// Package mach assigns registers to machine code.
//
// Back ends choose instructions for a function of package vec and write them on virtual registers; [Allocate] says which
// physical register each of them takes and what is kept in memory meanwhile. The allocator is a linear scan over live
// intervals (Poletto and Sarkar, Linear Scan Register Allocation, 1999): a value that does not fit is kept in a slot for
// its whole life, and the value that costs least is chosen for that. Constants are not kept in slots but made again.
//
// The package knows no machine: an instruction is a number of the back end with operands.
package mach
