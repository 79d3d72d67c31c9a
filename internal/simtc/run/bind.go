package run

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/simtc/eval"
)

// binder walks the arguments of a call. What decides the program goes into key, what is dynamic into leaves. In a world it
// also makes what the evaluator takes.
type binder struct {
	fn     *Function
	key    []byte
	ends   []int // of the parts of key, by parameter
	leaves []uint64
	counts []int    // of leaves, by parameter
	names  []string // of what is static, for the symbol
	uses   []use
	queues []*device.Stream
	funcs  []reflect.Value
	types  []reflect.Type // of values in interfaces

	param int // the parameter that is being bound
	path  []string
	depth int // of adapters
	world *world.World
}

// use is memory that is an argument.
type use struct {
	device.Use
	param  int
	tells  *device.Memory // where it is a tensor map: the tensor's
	tensor *device.Tensor // nil for a tensor map
}

// mismatch is a panic with what is wrong about an argument.
type mismatch struct{ err error }

// bind walks all arguments. Mistakes are about the first argument that has one.
func (b *binder) bind(args []reflect.Value) (out []eval.Arg, err error) {
	defer func() {
		if r := recover(); r != nil {
			m, ok := r.(mismatch)
			if !ok {
				panic(r)
			}
			err = m.err
		}
	}()
	for i, v := range args {
		b.param, b.path = i, b.path[:0]
		before := len(b.leaves)
		out = append(out, b.value(addressable(v), b.fn.static(i)))
		b.ends = append(b.ends, len(b.key))
		b.counts = append(b.counts, len(b.leaves)-before)
	}
	return out, nil
}

// addressable is a copy whose fields, also those that are not exported, can be read.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	p := reflect.New(v.Type()).Elem()
	p.Set(v)
	return p
}

// build is bind in a world, without recording anything for the call.
func (b *binder) build(w *world.World, args []reflect.Value) ([]eval.Arg, error) {
	return (&binder{fn: b.fn, world: w}).bind(args)
}

// argument names what is being bound: argument #2 (b.offset).
func (b *binder) argument() string {
	return bind.Argument(b.fn.number(b.param), b.fn.paramName(b.param)+strings.Join(b.path, ""))
}

// fail ends the binding with a mistake about the present argument.
func (b *binder) fail(format string, args ...any) {
	panic(mismatch{b.fn.mistake(format, args...)})
}

// failWith is fail for an argument that carries an error.
func (b *binder) failWith(err error) {
	panic(mismatch{&ArgumentError{b.fn.Name(), bind.Failed(b.argument(), err)}})
}

// note appends to the key.
func (b *binder) note(tag byte, text string) {
	b.key = append(append(append(b.key, tag), text...), 0)
}

// say notes a static value, which also becomes part of the symbol.
func (b *binder) say(tag byte, text string) {
	b.note(tag, text)
	b.names = append(b.names, text)
}

// within binds a part of the present argument.
func (b *binder) within(step string, v reflect.Value, static bool) eval.Arg {
	b.path = append(b.path, step)
	a := b.value(v, static)
	b.path = b.path[:len(b.path)-1]
	return a
}

// ArgumentError is the error of a call whose arguments do not fit the function.
type ArgumentError struct {
	Function string
	bind.Mistake
}

// mistake is the error of a call whose arguments do not fit.
func (f *Function) mistake(format string, args ...any) error {
	return &ArgumentError{f.Name(), bind.Mistake{Text: fmt.Sprintf(format, args...)}}
}

// Error names the function.
func (e *ArgumentError) Error() string { return "function " + e.Function + ": " + e.Text }

// Unwrap gives the error behind it.
func (e *ArgumentError) Unwrap() error { return e.Cause }
