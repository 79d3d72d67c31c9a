// Package bytecode writes and reads Tile IR bytecode, versions 13.1 to 13.4. docs/bytecode.md describes the format.
//
// # Order of tables
//
// A file has tables of strings, types, constants and debug attributes, whose entries are referred to by number. [Write]
// numbers an entry when it is first used, in this order: the types i1 and i32; for each function its place, the types of
// its parameters, its own type, its name and hints, and then each of its operations: its place, the types of its results,
// its attributes, and for each region the types of block arguments and the operations; then the globals, and last the
// producer. Parts come before the whole. So the same module always gives the same bytes, and a change touches only what
// depends on it.
//
// [Read] follows that order too. What a file lists out of it, because nothing refers to it or because its writer was
// early, is in [tileir.Module.Listed], and Write lists it again: a file of this package or of cuTile Python that is read
// and written is the same byte for byte, though the module keeps no bytes of it.
//
// # Hostile files
//
// Read takes any bytes. What it allocates is bounded by the size of the file and by 512 MiB; nesting is limited, and every
// error is an [*Error] with its offset.
package bytecode
