package emit

import (
	"github.com/cutile-go/cutile/internal/graph/index"
	"github.com/cutile-go/cutile/internal/graph/loops"
	"github.com/cutile-go/cutile/tileir"
)

// Arg is an argument of a kernel: an array, and its element that the argument points to.
type Arg struct {
	Buffer *loops.Buffer
	First  int64
}

// Args gives the arguments of a kernel, the result first. Each points to the first element that the kernel may access, from where the
// kernel counts: kernels that do the same with other parts of arrays, such as the steps of a recurrent network, are the same code.
func Args(k *loops.Kernel) []Arg {
	least := map[*loops.Buffer]int64{}
	see := func(b *loops.Buffer, at index.Expr) {
		lo, _ := at.Range()
		if old, ok := least[b]; !ok || lo < old {
			least[b] = lo
		}
	}
	see(k.Into, k.At)
	k.Walk(func(x *loops.Expr) {
		if x.Kind == loops.Load {
			see(x.Buffer, x.At)
		}
	})
	args := make([]Arg, 1, 1+len(k.Reads))
	args[0].Buffer = k.Into
	for _, b := range k.Reads {
		args = append(args, Arg{Buffer: b})
	}
	for i, a := range args {
		// An element that a condition rules out may be anywhere, but an argument points into its array.
		if n := least[a.Buffer]; n > 0 && n < int64(a.Buffer.Len()) {
			args[i].First = n
		}
	}
	return args
}

// array is an argument in the code: the parameter, and the element that it points to.
type array struct {
	ptr   *tileir.Value
	first int64
}

// place gives the pointer into an array, and a place of the array as counted from there.
func (e *emitter) place(b *loops.Buffer, at index.Expr) (*tileir.Value, index.Expr) {
	a := e.arrays[b]
	return a.ptr, at.Plus(-a.first)
}
