package cute_test

import (
	"reflect"

	"github.com/cutile-go/cutile/cute"
)

// held is an argument by protocol: what it holds is not for compiled code.
type held struct {
	secret map[string]int
	n      int
}

func (h held) CuteTypes() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[int32](), reflect.TypeFor[float32]()}
}

func (h held) CuteArgs() []any { return []any{h.secret["n"] + h.n, 0.5} }

func (h held) CuteFromValues(values []any) held {
	return held{n: int(values[0].(int32)) + int(values[1].(float32)*2)}
}

func (h held) CuteValues() []any { return []any{h.n} }

func useHandle(h held) error {
	cute.Printf("%d\n", h.n)
	return nil
}

// hostOnly lacks what kernels need.
type hostOnly struct{ n int }

func (h hostOnly) CuteTypes() []reflect.Type { return []reflect.Type{reflect.TypeFor[int]()} }

func (h hostOnly) CuteArgs() []any { return []any{h.n} }

func (h hostOnly) CuteFromValues(values []any) hostOnly { return hostOnly{values[0].(int)} }

func hostOnlyKernel(h hostOnly) (_ cute.Kernel) {
	cute.Printf("%d\n", h.n)
	return
}

func useHostOnly(h hostOnly, inKernel cute.Constexpr[bool]) error {
	if inKernel.V {
		hostOnlyKernel(h).Launch(one())
	}
	cute.Printf("%d\n", h.n)
	return nil
}

// listed is an argument by protocol whose lists a test chooses.
type listed struct {
	types []reflect.Type
	args  []any
}

func (l listed) CuteTypes() []reflect.Type { return l.types }

func (l listed) CuteArgs() []any { return l.args }

func (l listed) CuteFromValues([]any) listed { return listed{} }

// panicking is a type of a user who makes mistakes.
type panicking struct{ where string }

func (p panicking) CuteTypes() []reflect.Type {
	if p.where == "types" {
		panic("no types")
	}
	return []reflect.Type{reflect.TypeFor[int]()}
}

func (p panicking) CuteArgs() []any {
	if p.where == "args" {
		panic("no arguments")
	}
	return []any{1}
}

func (p panicking) CuteFromValues([]any) panicking { return p }

// deviceOnly is the listing of the seed: a tensor with an offset, for kernels.
type deviceOnly struct {
	tensor cute.Tensor[float32]
	offset int
}

func (d deviceOnly) CuteValues() []any { return []any{d.tensor, d.offset + 1} }

func (d deviceOnly) CuteFromValues(values []any) deviceOnly {
	return deviceOnly{values[0].(cute.Tensor[float32]), values[1].(int) + 10}
}

// nested holds two of them: each gives its own values.
type nested struct {
	a, b deviceOnly
	c    float32
}

func (n nested) CuteValues() []any {
	return append(append(n.a.CuteValues(), n.b.CuteValues()...), n.c)
}

func (n nested) CuteFromValues(v []any) nested {
	return nested{n.a.CuteFromValues(v[:2]), n.b.CuteFromValues(v[2:4]), v[4].(float32)}
}

func deviceKernel(other, d deviceOnly) (_ cute.Kernel) {
	i := cute.ThreadIdx().X
	d.tensor.Set(float32(d.offset), i)
	return
}

func nestedKernel(n nested) (_ cute.Kernel) {
	i := cute.ThreadIdx().X
	n.a.tensor.Set(n.a.tensor.At(i)+float32(n.a.offset)+n.c, i)
	n.b.tensor.Set(float32(n.b.offset)-n.c, i)
	return
}

func useDevice(x, y cute.Tensor[float32], offset int) error {
	l := cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(4, 1, 1)}
	deviceKernel(deviceOnly{y, 0}, deviceOnly{x, offset}).Launch(l)
	nestedKernel(nested{deviceOnly{x, offset}, deviceOnly{y, 2 * offset}, 0.5}).Launch(l)
	return nil
}

func takeDevice(d deviceOnly) error { return nil }

// framework stands for a type of others, which an adapter knows.
type framework struct{ data any }

func useFramework(x cute.Tensor[float32], f float32) error { return runScale(x, f) }

// opaque is known through an adapter that gives an argument by protocol.
type opaque struct{ n int }

type opaqueAdapter struct{ n int }

func (a opaqueAdapter) CuteTypes() []reflect.Type { return []reflect.Type{reflect.TypeFor[int]()} }

func (a opaqueAdapter) CuteArgs() []any { return []any{a.n} }

func (a opaqueAdapter) CuteFromValues(values []any) opaque { return opaque{values[0].(int) * 2} }

func useOpaque(x opaque, y any) error {
	cute.Printf("%d\n", x.n)
	if y, ok := y.(opaque); ok {
		cute.Printf("%d\n", y.n)
	}
	return nil
}

func useChannel(c chan int) error { return nil }
