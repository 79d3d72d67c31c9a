// Package races finds data races between the blocks of a launch: accesses to the same bytes by two blocks, of which at
// least one writes and which nothing orders. It knows no kernels and no values, only who touches which bytes when, and so
// serves every engine of this module that runs kernels on the CPU.
//
// # What orders
//
// A block's own accesses are in order. A release at a location publishes what its block did and knew until then, and an
// acquire at the same location takes that over: accesses before the one come before accesses after the other. Nothing else
// orders blocks, the order in which they happen to run included. So one run finds every race between blocks that do not
// synchronise, whatever the order of blocks; where they do, another order may show what this one hides. An acquire takes
// over every release at its location that came before it in time, as if it had read it or a later one of the same chain: that
// never reports a kernel that is right.
//
// # What races
//
// Two accesses race unless both are reads or both are atomic for both blocks, see [Kind]. Writes of equal values race, too.
//
// # Memory
//
// Each cell, as many bytes as the smallest access of the launch, remembers two accesses, 24 bytes, and has room elsewhere
// for more where blocks synchronise. A cell that many blocks touched has a crowd: a tree of the last access of each, which
// cells with the same past share, and which remembers a clock that knows all of it, so that the work grows with the number
// of accesses, not with its square. Cells are made by the page when they are first touched. At most [Limit] bytes of them
// exist: what is touched beyond is not watched, and [Detector.Unwatched] says how many bytes that were.
package races
