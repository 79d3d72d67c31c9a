// Package emit has the values and variables of a kernel while it is lowered, and writes Tile IR. It sees no syntax: package lower
// walks the kernel and says what is computed of what.
//
// # Values
//
// A [Tile] is a value of Tile IR with its Go type; numbers that are known are constants. Structs, arrays, slices and pointers are
// values of the compiler, whose parts are tiles and constants.
//
// # Variables, branches and loops
//
// A variable is a [Cell], and a [Place] a cell or a part of one. A branch compares the cells before and after its two sides and
// yields the parts that changed ([Emitter.Branch]); a loop is lowered until no further part changes, and carries those that did
// ([Emitter.ForOp], [Emitter.LoopOp]). Closures, struct fields and memory tokens live in cells too, and need nothing of their own.
//
// # Operators
//
// An operator on tiles is a function of the language, which may have a body in Go: the emitter finds it by the type of its operands
// and has the [Language] call it.
package emit
