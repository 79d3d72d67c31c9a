// Package text prints and parses Tile IR. [Print] writes what NVIDIA's tileirdisasm prints for the same module, or what
// MLIR's tools for the dialect do; [Parse] reads both, MLIR's generic form of operations included. docs/bytecode.md
// describes the texts.
//
// What an operation looks like is a format of the table of operations ([tileir.Info]), which both directions follow; what
// a format cannot say is a directive with both directions side by side.
package text
