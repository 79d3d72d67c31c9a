package run

import (
	"reflect"
	"strconv"

	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simtc/eval"
)

// word binds a value of package cute.
func (b *binder) word(v reflect.Value, static bool) (eval.Arg, bool) {
	switch x := b.fn.values.Look(v.Interface()).(type) {
	case Tensor:
		return b.tensor(x, static), true
	case Tuple:
		return b.tuple(x, static), true
	case Layout:
		return b.layout(x), true
	case TensorMap:
		return b.tensorMap(x), true
	case Stream:
		return b.stream(x), true
	case Constexpr:
		return b.fields(v, true), true
	}
	if t := v.Type(); t.Kind() == reflect.Float64 || t.Kind() == reflect.Struct && t.Size() == 0 {
		b.fail("%s is a %s, which exists only in compiled code: make it there", b.argument(), bind.TypeText(t))
	}
	return nil, false
}

// tensor binds memory: its address and the symbolic leaves of its layout are dynamic.
func (b *binder) tensor(x Tensor, static bool) eval.Arg {
	switch {
	case x.Err != nil:
		b.failWith(x.Err)
	case x.Tensor == nil:
		b.fail("%s is an uninitialized tensor: make it with cute.Of", b.argument())
	case x.Memory.Closed():
		b.failWith(device.ErrClosed)
	case static:
		b.fail("%s is a tensor inside a static value: pass it as an argument of its own", b.argument())
	}
	b.note('t', x.Layout.String())
	b.note('a', strconv.Itoa(x.Align))
	b.leaves = append(b.leaves, x.Memory.Address()+uint64(x.View.Offset*x.Tensor.Elem.Size()))
	b.leaves = append(b.leaves, x.Values...)
	b.uses = append(b.uses, use{device.Use{Memory: x.Memory, Writes: true}, b.param, nil, x.Tensor})
	return eval.TensorArg{Layout: x.Layout, Align: x.Align}
}

// tuple binds a shape, stride or coordinate: its integers are dynamic.
func (b *binder) tuple(x Tuple, static bool) eval.Arg {
	if x.Err != nil {
		b.failWith(x.Err)
	}
	if static {
		b.say('u', x.Tuple.String())
		return eval.TupleArg{Tuple: x.Tuple}
	}
	t := x.Tuple.MapInts(func(n layout.Int) layout.Int {
		v, _ := n.Static()
		b.leaves = append(b.leaves, uint64(v))
		return layout.Sym(1, v != int(int32(v)) || v < 0, nil)
	})
	b.note('u', t.String())
	return eval.TupleArg{Tuple: t}
}

// layout binds a layout, which is static in the calling program.
func (b *binder) layout(x Layout) eval.Arg {
	if x.Err != nil {
		b.failWith(x.Err)
	}
	text := x.Layout.String()
	if x.Outer != nil {
		text = x.Outer.String()
	}
	b.say('l', text)
	return eval.LayoutArg{Layout: x.Layout, Outer: x.Outer}
}

// tensorMap binds the description of a tensor: its address is dynamic.
func (b *binder) tensorMap(x TensorMap) eval.Arg {
	switch {
	case x.Err != nil:
		b.failWith(x.Err)
	case x.Memory == nil:
		b.fail("%s is an uninitialized tensor map: make it with cute.TensorMapOf", b.argument())
	case x.Memory.Closed() || x.Tensor.Memory.Closed():
		b.failWith(device.ErrClosed)
	}
	b.note('m', "")
	b.leaves = append(b.leaves, x.Memory.Address())
	b.uses = append(b.uses, use{device.Use{Memory: x.Memory}, b.param, x.Tensor.Memory, nil})
	return eval.Dyn{}
}

// stream binds a queue: its number among those of the call, 0 for the device's own.
func (b *binder) stream(x Stream) eval.Arg {
	if x.Err != nil {
		b.failWith(x.Err)
	}
	b.note('q', "")
	n := 0
	if x.Stream != nil {
		b.queues = append(b.queues, x.Stream)
		n = len(b.queues)
	}
	b.leaves = append(b.leaves, uint64(n))
	return eval.Dyn{}
}
