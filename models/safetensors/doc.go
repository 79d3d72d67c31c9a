// Package safetensors reads and writes files of tensors in the format safetensors of Hugging Face, which most models are
// published in.
//
//	f, err := safetensors.Open("model.safetensors")
//	...
//	defer f.Close()
//	t, err := f.Tensor("lm_head.weight")
//	...
//	weights, err := safetensors.Slice[dtype.BFloat16](t) // not copied: the memory of the mapped file
//	...
//	x, err := cutile.FromSlice(dev, weights, t.Shape()...)
//
// [OpenModel] opens a model of several files by its index, model.safetensors.index.json. [Tensor.Reader] reads parts of a
// tensor, [New] reads from anything that is an io.ReaderAt, and [Write] and [Save] write files.
//
// # The format
//
// A file is a length of eight bytes, a JSON header of that length, and the data of the tensors in row-major and
// little-endian form. The header has the type, the shape and the place of each tensor, and may have texts under the name
// __metadata__. All element types of version 0.8 of the package safetensors for Python are known, with which the tests
// compare what is read, written and refused.
//
// # Limits
//
// Files are not trusted. Headers have [MaxHeader] bytes at most, and memory is bounded by the size of the header, which
// must be there. Refused are headers that are not strict JSON, gaps and overlaps, shapes that do not fit their places,
// overflows, and data beyond the last tensor. These files are refused here, but not by the reference: those that have a name
// twice, which the format forbids; extents beyond those of int; values nested deeper than 100; and descriptions that are
// JSON arrays instead of objects.
//
// The memory of a mapped file follows the file: when someone changes the file, the tensors change, and when someone makes
// it shorter, reading what is gone ends the program. [New] with an os.File has errors instead.
package safetensors
