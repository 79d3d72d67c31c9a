// Package npy reads and writes NumPy's files: .npy files of one array, and .npz files of several arrays with names.
//
// [Read] and [Array.Write] read and write a whole file; [NewReader] and [Header.WriteTo] stream one in bounded memory.
// [OpenArchive] and [NewArchiveWriter] do the same for .npz files. Tensors are written by Tensor.WriteTo and read by
// cutile.ReadTensor, which use this package.
//
// The elements are numbers and booleans: bool, integers and floats of 8 to 64 bits, and the floats of package ml_dtypes for
// Python. Files may have either byte order and either order of elements; they are written little-endian.
// Complex numbers, texts, dates, structures and Python objects are refused, and nothing of a file is ever executed.
//
// Files may come from anyone. A malformed one is an error, and no memory is allocated for elements that a header merely
// announces. A header has at most 1 MiB and 64 extents, and the elements at most 2^46 bytes.
//
// The format is a magic number, a Python dictionary as text, and the elements; versions 1.0 to 3.0 differ in the length
// and the charset of the dictionary. It is specified in the documentation of numpy.lib.format.
package npy
