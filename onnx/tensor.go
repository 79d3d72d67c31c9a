package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/onnx/internal/wire"
)

// maxElements is the greatest number of elements of an array.
const maxElements = 1<<31 - 1

// tensor is the array of a TensorProto: its elements in row-major order, little-endian.
type tensor struct {
	elem  dtype.Type
	shape []int
	data  []byte
}

// tensorOf takes the elements of a TensorProto from where they are: in one of its fields, or in a file of the model's folder,
// which is nil if there is none.
func tensorOf(t *wire.Tensor, folder fs.FS) (*tensor, error) {
	elem, err := typeOf(t.Type)
	if err != nil {
		return nil, err
	}
	if t.Segment {
		return nil, errors.New("tensors in segments are not supported")
	}
	out := &tensor{elem: elem, shape: make([]int, len(t.Dims))}
	n := int64(1)
	for i, d := range t.Dims {
		if d < 0 || d > maxElements {
			return nil, fmt.Errorf("axis %d has extent %d, expected 0 to %d", i, d, maxElements)
		}
		if n *= d; n > maxElements {
			return nil, fmt.Errorf("the shape %v has more than %d elements", t.Dims, maxElements)
		}
		out.shape[i] = int(d)
	}
	if len(t.Dims) > maxRank {
		return nil, fmt.Errorf("the shape %v has more than %d axes", t.Dims, maxRank)
	}
	size := n * int64(elem.Size())
	switch {
	case t.Location == 1:
		out.data, err = external(t, folder, size)
	case t.Location != 0:
		err = fmt.Errorf("data location %d is unknown", t.Location)
	case t.Raw != nil:
		out.data = t.Raw
	default:
		out.data, err = typedData(t, elem, n)
	}
	switch {
	case err != nil:
		return nil, err
	case int64(len(out.data)) != size:
		return nil, fmt.Errorf("%d bytes of elements, expected %d for %v%v", len(out.data), size, elem, out.shape)
	}
	if elem == dtype.Bool {
		for i, b := range out.data {
			if b > 1 {
				return nil, fmt.Errorf("byte %d of the bools is %d, expected 0 or 1", i, b)
			}
		}
	}
	return out, nil
}

// typedData packs the elements that are in the field for their type.
func typedData(t *wire.Tensor, elem dtype.Type, n int64) ([]byte, error) {
	count := map[dtype.Type]int{dtype.F32: len(t.Floats), dtype.F64: len(t.Doubles), dtype.I64: len(t.Int64s), dtype.U32: len(t.Uint64s), dtype.U64: len(t.Uint64s)}
	have, ok := count[elem]
	if !ok {
		have = len(t.Int32s)
	}
	if int64(have) != n {
		return nil, fmt.Errorf("%d elements, expected %d for %v%v", have, n, elem, t.Dims)
	}
	out := make([]byte, 0, have*elem.Size())
	for i := range have {
		var bits uint64
		switch elem {
		case dtype.F32:
			bits = uint64(math.Float32bits(t.Floats[i]))
		case dtype.F64:
			bits = math.Float64bits(t.Doubles[i])
		case dtype.I64:
			bits = uint64(t.Int64s[i])
		case dtype.U32, dtype.U64:
			bits = t.Uint64s[i]
		default: // smaller integers, bools, and the bits of small floats
			bits = uint64(t.Int32s[i])
			if size := 8 * elem.Size(); size < 64 && int64(bits) != int64(bits<<(64-size))>>(64-size) && bits>>size != 0 {
				return nil, fmt.Errorf("element %d is %d, which %v cannot hold", i, t.Int32s[i], elem)
			}
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], bits)
		out = append(out, b[:elem.Size()]...)
	}
	return out, nil
}

// external reads the elements from a file. The file's path must be local to the folder, and the file as long as the tensor says.
func external(t *wire.Tensor, folder fs.FS, size int64) ([]byte, error) {
	name, offset, length := "", int64(0), size
	for _, e := range t.External {
		var err error
		switch e.Key {
		case "location":
			name = e.Value
		case "offset":
			offset, err = strconv.ParseInt(e.Value, 10, 64)
		case "length":
			length, err = strconv.ParseInt(e.Value, 10, 64)
		}
		if err != nil || offset < 0 || length < 0 {
			return nil, fmt.Errorf("external data: %s is %q, expected a number, 0 or more", e.Key, e.Value)
		}
	}
	switch clean := path.Clean(name); {
	case folder == nil:
		return nil, fmt.Errorf("the elements are in a file %q beside the model: read the model with ReadFile or ReadFS", name)
	case name == "" || strings.Contains(name, `\`) || !fs.ValidPath(clean) || clean == ".":
		return nil, fmt.Errorf("external data: the path %q leaves the model's folder, or is no path", name)
	case length != size:
		return nil, fmt.Errorf("external data: %d bytes of file %q, expected %d", length, name, size)
	default:
		name = clean
	}
	f, err := folder.Open(name)
	if err != nil {
		return nil, fmt.Errorf("external data: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("external data: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("external data: %q is no regular file", name)
	case info.Size() < offset || info.Size()-offset < length:
		return nil, fmt.Errorf("external data: file %q has %d bytes, expected %d behind byte %d", name, info.Size(), length, offset)
	}
	data := make([]byte, length)
	at, ok := f.(io.ReaderAt)
	if !ok {
		return nil, fmt.Errorf("external data: file %q cannot be read at an offset", name)
	}
	if _, err := at.ReadAt(data, offset); err != nil && !(errors.Is(err, io.EOF) && length == 0) {
		return nil, fmt.Errorf("external data: %w", err)
	}
	return data, nil
}
