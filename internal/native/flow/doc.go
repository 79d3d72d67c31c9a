// Package flow makes one function of a whole entry: of its control flow, its single numbers, and its segments, for any
// number of blocks in one call.
//
// [Build] goes through the operations of an entry in their order. Single numbers, and tiles whose elements are all the
// same, are in registers. Tiles of at most sixteen elements are, too. Others lie where the caller has planned them, in an arena,
// and the segments that package nest has found work on them. Loops and branches are those of package vec.
//
// The function leaves to the caller what it has no instructions for: it suspends itself, the caller does the operation on
// the values in the arena, and the next call goes on behind it. That is how the operations that have no machine code run,
// and also those that have it where something is unusual: a tile that begins outside its tensor, memory that is in no buffer
// or in another one than last time, stores that meet loads. The function only handles the usual case, and tests for it.
// Faults are thereby the caller's, with its words.
//
// Where a call takes long the function suspends itself as well, so that the caller can look whether it is to end.
package flow
