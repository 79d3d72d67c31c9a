// Package npy reads and writes NumPy's .npy files of the element types that Tile IR has. The format is a magic number, a
// Python dictionary as text, and the elements; versions 1.0 to 3.0 differ in the length and the charset of the
// dictionary.
package npy
