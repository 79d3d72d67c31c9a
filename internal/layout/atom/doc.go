// Package atom has the instructions of CuTe that work on tiles, as data, and the arithmetic of the operations built on them.
//
// # Atoms
//
// An atom is one instruction with the threads that take part in it. A layout of its operand maps (thread, value) to a
// place in the operand's tile, counted first mode fastest: that is a thread-value layout, TV for short. [Mma] multiplies
// tiles of A (M,K) and B (N,K) and adds to C (M,N); [Copy] moves values, with a TV layout for the source and one for the
// destination. Fragments are the same for all instructions of a kind and width, so the tables in mmasync.go, wgmma.go,
// tensorcore.go and copies.go are short.
//
// # Tiled operations
//
// [TiledMma] repeats an Mma over more threads, by a layout of atoms in M, N and K, and over more values, by a
// permutation: a tiler of M, N and K. [TiledCopy] repeats a Copy by a TV layout over a tile. Both say what a thread has
// of a tensor's layout: its partition, a layout and the offset of its first value, which may be computed from a thread
// index that is known at run time.
//
// Layouts are printed as NVIDIA's CuTe DSL 4.2.1 prints them; testdata/README.md names the few places where this package
// deliberately differs. A refused operation is a [layout.Error].
package atom
