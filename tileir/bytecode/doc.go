// Package bytecode writes and reads Tile IR bytecode, versions 13.1 to 13.4. docs/bytecode.md describes the format.
package bytecode
