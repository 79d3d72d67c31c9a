// Package simttest has what the tests of kernels of package cute share: it runs them on the emulator, in two forms that must
// give the same bits, and has NVIDIA's ptxas assemble them, which must find room for all registers.
package simttest

import (
	"bytes"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/dtype"
)

// Device opens the emulator for a test. It looks for races in shared memory, too.
func Device(t testing.TB) *cutile.Device {
	t.Helper()
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

// Tensor copies elements, in the order of the tensor's axes, to a device.
func Tensor[E dtype.Elem](t testing.TB, dev *cutile.Device, data []E, shape ...int) *cutile.Tensor[E] {
	t.Helper()
	x, err := cutile.FromSlice(dev, data, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// fromText is the stages of a program that is run from its PTX, read back.
const fromText = "verify,optimise,verify,ptx,read"

// Call calls what cute.Jit gave with arguments of its parameters' types, as a program would, and gives what the call left in
// out, which is one of the tensors. The same program, read back from its PTX, must leave the same bits.
func Call[E dtype.Elem](t testing.TB, out *cutile.Tensor[E], f any, args ...any) []E {
	t.Helper()
	before := contents(t, out)
	typed(t, f, args)
	got := contents(t, out)

	if err := out.Write(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	rerun(t, f, args)
	if again := contents(t, out); !bytes.Equal(bits(got), bits(again)) {
		t.Errorf("what was read back from PTX leaves other bits than the module: %v and %v", again, got)
	}
	return got
}

// typed calls a function whose last result is an error.
func typed(t testing.TB, f any, args []any) {
	t.Helper()
	var in []reflect.Value
	for _, a := range args {
		in = append(in, reflect.ValueOf(a))
	}
	out := reflect.ValueOf(f).Call(in)
	if err, _ := out[len(out)-1].Interface().(error); err != nil {
		t.Fatal(err)
	}
}

// rerun compiles the function so that it is run from its PTX, and runs it.
func rerun(t testing.TB, f any, args []any) {
	t.Helper()
	e := Compile(t, f, append(slices.Clip(args), cute.Options{Pipeline: fromText})...)
	pruned := e.Pruned()
	first := 1
	if len(pruned) > 0 && pruned[0].Index == 0 {
		first = 0 // the function has a receiver
	}
	var rest []any
	for i, a := range args {
		if !slices.ContainsFunc(pruned, func(p cute.Pruned) bool { return p.Index == i+first }) {
			rest = append(rest, a)
		}
	}
	if _, err := e.Run(t.Context(), rest...); err != nil {
		t.Fatal(err)
	}
}

// Compile is cute.Compile for a test, at whose end what was compiled is unloaded.
func Compile(t testing.TB, f any, args ...any) *cute.Executor {
	t.Helper()
	e, err := cute.Compile(t.Context(), f, args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func contents[E dtype.Elem](t testing.TB, x *cutile.Tensor[E]) []E {
	t.Helper()
	data, err := x.Slice()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// bits is the memory of numbers: it tells zeros apart, and a NaN is itself.
func bits[E dtype.Elem](data []E) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*int(unsafe.Sizeof(*new(E))))
}
