// Package gguf reads and writes files of tensors and metadata in the format GGUF of llama.cpp, versions 2 and 3, and turns
// blocks of its quantized types into numbers.
//
//	f, err := gguf.Open("model.gguf")
//	...
//	defer f.Close()
//	arch, err := gguf.Get[string](f, "general.architecture")
//	t, err := f.Tensor("blk.0.attn_q.weight")
//	...
//	weights, err := t.Float32s()
//	...
//	x, err := cutile.FromSlice(dev, weights, t.Shape()...)
//
// [Tensor.Bytes] gives blocks as they are, without a copy, and [Type.Dequantize] turns some of them into numbers.
// [Type.Quantize] makes Q4_0, Q4_1, Q5_0, Q5_1 and Q8_0, and [Write] writes files.
//
// # Types
//
// All types of version 0.19 of the package gguf for Python are dequantized, with equal bits, which the tests compare; NaN
// stays NaN. There are these exceptions:
//
//   - Q1_0, whose blocks that version cannot dequantize either, has bytes only;
//   - Q8_1 and Q8_K, which no files have and that package does not dequantize, follow the structures of ggml. A block of Q8_1
//     has 36 bytes there, while the package says 40.
//
// Quantizing gives the bits of the reference, where the reference is defined: where 1/scale overflows to infinity, the levels
// here are those of zero.
//
// # Limits
//
// Files are not trusted. What stands before the data has [MaxHeader] bytes at most, and takes memory in proportion. A count
// is checked against the bytes that are left, before memory is taken. Refused are big-endian files, version 1, names that
// come twice or are not UTF-8, alignments above 1048576, bools that are not 0 or 1, arrays nested deeper than 8, tensors of more than 4 extents, types
// that were removed, and, as in llama.cpp, tensors that do not follow each other without gaps. Padding after the last
// tensor may be missing.
//
// The memory of a mapped file follows the file: when someone makes it shorter, reading what is gone ends the program. [New]
// with an os.File has errors instead.
package gguf
