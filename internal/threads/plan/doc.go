// Package plan decides how the threads of a block share the work of a kernel in Tile IR: which layout each tile has, and how
// wide its accesses to memory are. It makes no code; [Plan.String] prints what it decided.
//
// Layouts come from operations that have a reason for one: a load or store from how its elements lie in memory, a matrix product
// from its instruction. They spread, both ways, through what works element by element and through control flow, until nothing
// changes any more. Stores ask last, since what is stored can also be converted on the way, and what nobody asked for gets a
// layout of its own. Where two layouts meet, the emitter converts.
package plan
