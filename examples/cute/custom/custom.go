// Package custom applies any Go function to the elements of tensors of any shape, and shows how a program's own types
// become arguments of compiled code: a type with the methods of the protocol, and a type of another package with an
// adapter.
package custom

import (
	"embed"
	"math/big"
	"reflect"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

// Function computes an element of the result. It is known when the kernel is compiled, and is inlined.
type Function = func(x, y, factor float32) float32

// ScaledSum returns (x + y) * factor.
func ScaledSum(x, y, factor float32) float32 { return (x + y) * factor }

// Clip returns x - y, limited to the range from -limit to limit.
func Clip(x, y, limit float32) float32 {
	switch d := x - y; {
	case d > limit:
		return limit
	case d < -limit:
		return -limit
	default:
		return d
	}
}

// Quantized represents numbers that are stored as integers: Scale * (q - Zero). Compiled code uses only its method At.
type Quantized struct {
	Data  *cutile.Tensor[int8]
	Scale float64
	Zero  int

	data  cute.Tensor[int8] // the tensor in compiled code
	scale float32
	zero  int32
}

// At returns an element; i counts along the rows.
func (q Quantized) At(i int) float32 { return q.scale * float32(int32(rowMajor(q.data).At(i))-q.zero) }

// CuteTypes and CuteArgs describe the values that are passed in its place: three values with their types.
func (q Quantized) CuteTypes() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[cute.Tensor[int8]](), reflect.TypeFor[float32](), reflect.TypeFor[int32]()}
}

// CuteArgs returns the values.
func (q Quantized) CuteArgs() []any { return []any{q.Data, q.Scale, q.Zero} }

// CuteValues returns the values that are passed to a kernel in its place. It is compiled.
func (q Quantized) CuteValues() []any { return []any{q.data, q.scale, q.zero} }

// CuteFromValues makes a Quantized from the values, in a host function and in a kernel. It is compiled.
func (q Quantized) CuteFromValues(v []any) Quantized {
	return Quantized{data: v[0].(cute.Tensor[int8]), scale: v[1].(float32), zero: v[2].(int32)}
}

// An exact fraction of package math/big is passed as the nearest float32.
func init() {
	err := cute.RegisterAdapter(func(r *big.Rat) float32 {
		f, _ := r.Float32()
		return f
	})
	if err != nil {
		panic(err) // another package has registered an adapter for this type
	}
}

const threads = 128 // of a block

func apply(x cute.Tensor[float32], y Quantized, factor float32, out cute.Tensor[float32], f cute.Constexpr[Function]) error {
	applyOne(x, y, factor, out, f).Launch(cute.Launch{
		Grid:  cute.D3(cute.CeilDiv(out.Size(), threads), 1, 1),
		Block: cute.D3(threads, 1, 1),
	})
	return nil
}

func applyOne(x cute.Tensor[float32], y Quantized, factor float32, out cute.Tensor[float32], f cute.Constexpr[Function]) (_ cute.Kernel) {
	i := cute.BlockIdx().X*threads + cute.ThreadIdx().X
	if i < out.Size() {
		rowMajor(out).Set(f.V(rowMajor(x).At(i), y.At(i), factor), i)
	}
	return
}

// rowMajor reverses the modes. A single number for all modes counts the first mode fastest, but the last mode is
// contiguous in memory.
func rowMajor[T cute.Elem](t cute.Tensor[T]) cute.Tensor[T] {
	var modes []int
	for i := range cute.Unroll(t.Rank()) {
		modes = append(modes, t.Rank()-1-i)
	}
	return cute.SelectModes(t, modes...)
}

// Apply computes out = f(x, y, factor), element by element.
var Apply = cute.Jit(apply)
