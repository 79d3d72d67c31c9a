// Package emit holds the values and variables of a kernel while it is lowered, and writes Tile IR.
// It sees no syntax: package lower walks the kernel and asks this package to compute.
//
// # Values
//
// A [Tile] is a value of Tile IR with its Go type. A number that is known is a constant. Structs,
// arrays, slices and pointers exist in the compiler only; their parts are tiles and constants.
//
// # Variables, branches and loops
//
// A variable is a [Cell], and a [Place] is a cell or a part of one. Tile IR has no variables that
// change: a branch yields values, and a loop carries values from turn to turn. So a branch compares
// the cells before and after its two sides and yields the parts that changed ([Emitter.Branch]). A
// loop is lowered again until no further part changes, and carries the parts that did
// ([Emitter.ForOp], [Emitter.LoopOp]). Variables of closures, fields of structs and memory tokens
// are in cells, too, and need no rules of their own.
//
// # Operators
//
// An operator on tiles is a function of the language, which may have a body in Go. The emitter
// finds the function by the types of the operands and asks the [Language] to call it.
package emit
