// Package custom applies any Go function to the elements of tensors of any shape, and shows how a program's own types become
// arguments of compiled code: a type that says itself what it is, and a type of somebody else that an adapter explains.
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

// Function computes an element of the result. It is known when the kernel is compiled, and leaves no call behind.
type Function = func(x, y, factor float32) float32

// ScaledSum is (x + y) * factor.
func ScaledSum(x, y, factor float32) float32 { return (x + y) * factor }

// Clip is x - y, but no further from zero than the limit.
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

// Quantized is numbers that are stored as integers: Scale * (q - Zero). For compiled code it is something with a method At;
// what it is made of is nobody's business.
type Quantized struct {
	Data  *cutile.Tensor[int8]
	Scale float64
	Zero  int

	data  cute.Tensor[int8] // what compiled code has of it
	scale float32
	zero  int32
}

// At is an element, counted along the rows.
func (q Quantized) At(i int) float32 { return q.scale * float32(int32(rowMajor(q.data).At(i))-q.zero) }

// CuteTypes and CuteArgs say what stands for it in a call: three values with their types.
func (q Quantized) CuteTypes() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[cute.Tensor[int8]](), reflect.TypeFor[float32](), reflect.TypeFor[int32]()}
}

// CuteArgs gives the values.
func (q Quantized) CuteArgs() []any { return []any{q.Data, q.Scale, q.Zero} }

// CuteValues gives the values that a kernel gets for it. It is compiled.
func (q Quantized) CuteValues() []any { return []any{q.data, q.scale, q.zero} }

// CuteFromValues makes it of the values, in a host function and in a kernel. It is compiled.
func (q Quantized) CuteFromValues(v []any) Quantized {
	return Quantized{data: v[0].(cute.Tensor[int8]), scale: v[1].(float32), zero: v[2].(int32)}
}

// An exact fraction of package math/big is the float32 nearest to it.
func init() {
	err := cute.RegisterAdapter(func(r *big.Rat) float32 {
		f, _ := r.Float32()
		return f
	})
	if err != nil {
		panic(err) // another package explains this type, too
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

// rowMajor turns the modes round. One number for all modes counts the first mode fastest, but neighbours in memory are along
// the last one.
func rowMajor[T cute.Elem](t cute.Tensor[T]) cute.Tensor[T] {
	var modes []int
	for i := range cute.Unroll(t.Rank()) {
		modes = append(modes, t.Rank()-1-i)
	}
	return cute.SelectModes(t, modes...)
}

// Apply computes out = f(x, y, factor), element by element.
var Apply = cute.Jit(apply)
