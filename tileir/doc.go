// Package tileir represents CUDA Tile IR, the structured form that NVIDIA's tileiras assembles: types, operations, a builder
// and a verifier. Package text prints and parses its text form; package bytecode reads and writes its files.
//
// A [Module] holds globals and entries; an [Entry] holds parameters and one [Block]; a Block holds operations and ends
// in a terminator; an [Op] holds operands, attributes, results and, where it is structured, regions of one block each.
// There are no gotos: control flow is the operations if, for, loop and their terminators.
//
// A table describes each operation (operands, attributes, flags, versions, traits, text form): see [Info] and [Lookup]. The
// verifier, the printer and parser of texts, and the writer and reader of bytecode follow the table and know no operation by
// name except structured control flow.
//
// [Builder] builds a module in Go, with a method for each operation; [Verify] checks it for a version, [VerifyTarget] for
// a GPU architecture.
package tileir

import _ "github.com/cutile-go/cutile/internal/platform" // refuses systems on which kernels would fail
