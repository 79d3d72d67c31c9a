package graph

import (
	"fmt"
	"unsafe"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// Parameter adds an array that each run of the program is given. The name is for messages. Programs take parameters in the order
// in which they were added.
func (g *Graph) Parameter(name string, elem dtype.Type, shape ...int) *Value {
	v := g.value(g.ir.Parameter(name, elem, shape))
	g.params = append(g.params, v)
	return v
}

// Constant adds an array with the given elements in row-major order, which it copies. Without a shape the array has rank 1 and the
// length of data.
func Constant[E dtype.Elem](g *Graph, data []E, shape ...int) *Value {
	if len(shape) == 0 {
		shape = []int{len(data)}
	}
	return constant(g, data, shape)
}

// Scalar adds an array of rank 0 with one element.
func Scalar[E dtype.Elem](g *Graph, value E) *Value { return constant(g, []E{value}, nil) }

// Full adds an array that is filled with one element.
func Full[E dtype.Elem](g *Graph, value E, shape ...int) *Value {
	n, err := g.ir.Constant(dtype.Of[E](), bytesOf([]E{value}), nil)
	if err == nil {
		n, err = expanded(&g.ir, n, shape)
	}
	return g.value(n, err)
}

func constant[E dtype.Elem](g *Graph, data []E, shape []int) *Value {
	n := 1
	for _, d := range shape {
		n *= d
	}
	if n != len(data) {
		return g.fail(fmt.Errorf("an array of shape %v has %d elements, but the slice has %d", shape, n, len(data)))
	}
	return g.value(g.ir.Constant(dtype.Of[E](), bytesOf(data), shape))
}

// bytesOf copies the memory of elements.
func bytesOf[E dtype.Elem](data []E) []byte {
	if len(data) == 0 {
		return nil
	}
	return append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(&data[0])), len(data)*int(unsafe.Sizeof(data[0])))...)
}

// Raw adds an array of any element type with the given elements as they lie in memory: in row-major order, little-endian, a bool
// as one byte. It keeps data, which must not be changed.
func Raw(g *Graph, elem dtype.Type, data []byte, shape ...int) *Value {
	return g.value(g.ir.Constant(elem, data, shape))
}

// Number adds an array of rank 0 with a number of any element type: floats are rounded to nearest, integers must be whole and fit.
func Number(g *Graph, elem dtype.Type, x float64) *Value {
	bits, err := ir.NumberBits(elem, x)
	if err != nil {
		return g.fail(err)
	}
	data := make([]byte, elem.Size())
	for i := range data {
		data[i] = byte(bits >> (8 * i))
	}
	return g.value(g.ir.Constant(elem, data, nil))
}

// numbers adds an array of floats of any type that are rounded to nearest.
func numbers(g *Graph, elem dtype.Type, data []float64, shape ...int) *Value {
	n := elem.Size()
	bytes := make([]byte, 0, n*len(data))
	for _, x := range data {
		bits := elem.FloatBits(x)
		for i := range n {
			bytes = append(bytes, byte(bits>>(8*i)))
		}
	}
	return Raw(g, elem, bytes, shape...)
}

// Iota adds an array whose elements are their index along an axis.
func Iota(g *Graph, elem dtype.Type, axis int, shape ...int) *Value {
	return g.value(g.ir.Iota(elem, shape, axis))
}
