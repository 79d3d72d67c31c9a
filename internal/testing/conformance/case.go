package conformance

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"slices"
	"unsafe"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/device/strided"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/tileir"
)

// Case is a kernel with arguments and what it must do.
type Case struct {
	Name   string         // area/what, unique
	Kernel any            // a Go function, or an instance that [inst] names
	Grid   []int          // blocks along x, y and z; nil where they follow from the Outs
	Since  tileir.Version // the first version of the bytecode that has its operations; 0: every one of the matrix
	Wide   bool           // compile for extents and strides that need 64 bits, whatever the arguments are
	Setup  func(r *rand.Rand) Setup
}

// instance is a kernel by name. Naming hundreds of instances, where Go would have to make each with all the methods of its
// types, keeps the package quick to build.
type instance struct {
	name string
	args []string
}

// inst names a kernel of this package and its type arguments; names of package tile need no prefix.
func inst(name string, args ...string) any { return instance{name, args} }

// resolve finds the source of a case's kernel, and its Go type where there is one.
func (c *Case) resolve() (*compile.Kernel, reflect.Type, error) {
	if n, ok := c.Kernel.(instance); ok {
		k, err := compile.ResolveNamed(path, n.name, n.args...)
		return k, nil, err
	}
	k, err := compile.Resolve(c.Kernel)
	return k, reflect.TypeOf(c.Kernel), err
}

// Setup is one run of a case: the same at each call for one seed.
type Setup struct {
	Args   []any    // *Array, number, truth value or function, as a launch takes them
	Want   []Want   // what memory holds afterwards; arrays without a Want must stay as they are
	Prints []string // lines that the blocks print, in any order of the blocks; nil: none
	Fault  *Fault   // the run must fail in this way; memory is not looked at
}

// Fault is the error that a case must end with.
type Fault struct {
	Text  string    // part of the message
	Block [3]uint32 // that failed
	Line  string    // part of the source line that it names
}

// Want is what an array holds after the run, in row-major order of its view: Exact, or within Tol of Near.
type Want struct {
	Array *Array
	Exact []byte    // elements; any NaN equals any other
	Near  []float64 // NaN and infinities must be met
	Tol   []float64 // absolute, for each element
}

// Array is a tensor argument: memory and a view of it. What the view leaves out must never change.
type Array struct {
	Name string
	Elem dtype.Type
	Data []byte // the whole memory before the run
	View strided.View
}

// Seed is the random source of a case, the same for every engine and process.
func (c *Case) Seed() *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(c.Name))
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

// bytesOf copies elements to bytes.
func bytesOf[E dtype.Elem](s []E) []byte {
	return slices.Clone(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*dtype.Of[E]().Size()))
}

// elemsOf copies bytes to elements.
func elemsOf[E dtype.Elem](b []byte) []E {
	s := make([]E, len(b)/dtype.Of[E]().Size())
	copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(b)), b)
	return s
}

// arr makes an array of a shape; without one it has rank 1.
func arr[E dtype.Elem](data []E, shape ...int) *Array {
	if shape == nil {
		shape = []int{len(data)}
	}
	v, err := strided.RowMajor(shape)
	if err != nil || v.Len() != len(data) {
		panic(fmt.Sprintf("BUG: conformance: %d elements for shape %v: %v", len(data), shape, err))
	}
	return &Array{Elem: dtype.Of[E](), Data: bytesOf(data), View: v}
}

func (a *Array) reshaped(shape ...int) *Array {
	v, err := a.View.Reshape(shape)
	return a.seen(v, err)
}

// blank makes an array whose elements are a value that no case stores.
func blank[E dtype.Elem](shape ...int) *Array {
	n := 1
	for _, e := range shape {
		n *= e
	}
	data := make([]E, n)
	for i := range data {
		data[i] = fromF64[E](93)
	}
	return arr(data, shape...)
}

// seen is the same memory seen in another way.
func (a *Array) seen(v strided.View, err error) *Array {
	if err != nil {
		panic("BUG: conformance: " + err.Error())
	}
	return &Array{Name: a.Name, Elem: a.Elem, Data: a.Data, View: v}
}

func (a *Array) t() *Array { return a.seen(a.View.Transpose()) }

func (a *Array) permuted(axes ...int) *Array { return a.seen(a.View.Permute(axes)) }

func (a *Array) narrowed(axis, from, to int) *Array { return a.seen(a.View.Narrow(axis, from, to)) }

func (a *Array) selected(axis, i int) *Array { return a.seen(a.View.Select(axis, i)) }

func (a *Array) broadcasted(shape ...int) *Array { return a.seen(a.View.Broadcast(shape)) }

// values are the elements of the view in row-major order.
func values[E dtype.Elem](a *Array) []E {
	out := make([]E, a.View.Len())
	strided.Gather(out, elemsOf[E](a.Data), a.View)
	return out
}

// exactly wants these elements.
func exactly[E dtype.Elem](a *Array, want []E) Want {
	if len(want) != a.View.Len() || dtype.Of[E]() != a.Elem {
		panic(fmt.Sprintf("BUG: conformance: %d wanted elements of %v for %d of %v", len(want), dtype.Of[E](), a.View.Len(), a.Elem))
	}
	return Want{Array: a, Exact: bytesOf(want)}
}

// within wants these elements up to a number of units in the last place of the array's element type.
func within(a *Array, want []float64, ulps float64) Want {
	w := Want{Array: a, Near: want, Tol: make([]float64, len(want))}
	for i, v := range want {
		w.Tol[i] = ulps * formats[a.Elem].ulp(v)
	}
	return w
}

// mapped applies a function to each element.
func mapped[A, B any](f func(A) B, x []A) []B {
	out := make([]B, len(x))
	for i := range x {
		out[i] = f(x[i])
	}
	return out
}

// mapped2 applies a function to each pair of elements.
func mapped2[A, B, C any](f func(A, B) C, x []A, y []B) []C {
	out := make([]C, len(x))
	for i := range x {
		out[i] = f(x[i], y[i])
	}
	return out
}
