// Package bytecode writes and reads Tile IR bytecode, versions 13.1 to 13.4. docs/bytecode.md describes the format.
//
// # Order of tables
//
// A file has tables of strings, types, constants and debug attributes, whose entries are referred to by number. [Write]
// numbers an entry when it is first used, in this order: the types i1 and i32; for each function its source position, the types
// of its parameters, its own type, its name and hints, and then each of its operations: its source position, the types of its
// results, its attributes, and for each region the types of block arguments and the operations; then the globals, and last the
// producer. Parts come before the whole. The same module therefore always produces the same bytes, and a change affects only
// the bytes that depend on it.
//
// [Read] follows that order too. Entries that a file lists in another order, because nothing refers to them or because its
// writer listed them early, are in [tileir.Module.Listed], and Write lists them again: a file of this package or of cuTile
// Python is the same byte for byte after it is read and written, although the module keeps none of its bytes.
//
// # Hostile files
//
// Read accepts any bytes. Its allocations are bounded by the size of the file and by 512 MiB; nesting is limited, and every
// error is an [*Error] with an offset.
package bytecode
