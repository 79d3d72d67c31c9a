// Package text prints and parses Tile IR. [Print] writes the same text as NVIDIA's tileirdisasm, or as MLIR's tools for the
// dialect; [Parse] reads both, including MLIR's generic form of operations. docs/bytecode.md describes the texts.
//
// The table of operations ([tileir.Info]) has a format for the text of each operation, which the printer and the parser follow.
// Directives, each with a function for printing and one for parsing, handle what a format cannot express.
package text
