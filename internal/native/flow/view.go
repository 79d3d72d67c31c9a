package flow

import (
	"math/bits"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// view is a tensor view in registers. A scalar of it that is negative says that something is unusual, and the caller does
// what accesses the tensor.
type view struct {
	op            *tileir.Op // that makes it
	t             *tileir.TensorViewType
	data          vec.Reg // the address in memory of the first element
	usual         vec.Reg
	bytes         number // from the first element to behind the last one
	shape, stride []number
	base          vec.Reg // the address of the first element on the device
}

// number is a scalar that may be known.
type number struct {
	reg   vec.Reg // 0 if the number is known
	known int64
}

// scalar gives a number as a register.
func (b *builder) scalar(n number) vec.Reg {
	if n.reg != 0 {
		return n.reg
	}
	return b.Int(n.known)
}

// Extents and strides that are not known must lie below extentLimit, and the product of both below spanLimit elements: then
// no offset in bytes overflows, for up to eight dimensions.
const (
	extentLimit = 1 << 31
	spanLimit   = 1 << 55
)

// makeView finds the window of a tensor's memory, and what must hold for accesses by way of the view.
func (b *builder) makeView(op *tileir.Op) bool {
	t := op.Results[0].Type.(*tileir.TensorViewType)
	if t.Elem.PerByte() > 1 || !ordinary(t) {
		return false
	}
	v := &view{op: op, t: t, base: b.integer(op.Operands[0]), usual: b.Int(0)}
	v.shape = b.numbers(v, t.Shape, op.Group(1))
	v.stride = b.numbers(v, t.Strides, op.Group(2))
	for i := range v.shape {
		if span := b.product(v.shape[i], v.stride[i]); span.reg != 0 {
			b.require(v, b.sub(b.Int(spanLimit), span.reg))
		}
	}
	b.values[op.Results[0]] = &value{view: v}
	b.window(v)
	return true
}

// ordinary reports whether the extents and strides that a type tells are usual.
func ordinary(t *tileir.TensorViewType) bool {
	for i, n := range t.Shape {
		s := t.Strides[i]
		if n != tileir.Dynamic && n >= extentLimit || s != tileir.Dynamic && (s < 0 || s >= extentLimit) || n > 0 && s > 0 && n > spanLimit/s {
			return false
		}
	}
	return true
}

// numbers gives extents or strides; those that are not known must be usual.
func (b *builder) numbers(v *view, known []int64, operands []*tileir.Value) (out []number) {
	for _, n := range known {
		if n != tileir.Dynamic {
			out = append(out, number{known: n})
			continue
		}
		x := b.integer(operands[0])
		operands = operands[1:]
		b.require(v, x)
		b.require(v, b.sub(b.Int(extentLimit-1), x))
		out = append(out, number{reg: x})
	}
	return out
}

// require says that a scalar must not be negative.
func (b *builder) require(v *view, x vec.Reg) { v.usual = b.both(v.usual, x) }

// both is negative if one of two scalars is.
func (b *builder) both(x, y vec.Reg) vec.Reg { return b.Do(vec.SOr, vec.NoType, x, y) }

func (b *builder) sub(x, y vec.Reg) vec.Reg { return b.Do(vec.SSub, vec.NoType, x, y) }

func (b *builder) add(x, y vec.Reg) vec.Reg { return b.Do(vec.SAdd, vec.NoType, x, y) }

// keepView writes a view to the arena.
func (b *builder) keepView(v *view) {
	at := b.home(v.op.Results[0])
	for i, x := range append(append([]number{{reg: v.base}}, v.shape...), v.stride...) {
		b.Emit(vec.Instr{Op: vec.SStore, Type: vec.I64, Src: [3]vec.Reg{b.scalar(x)}, Mem: at.Plus(8 * i)})
	}
}

// newWindow takes windows, one after the other, and gives the number of the first one and its first word.
func (b *builder) newWindow(n int) (number, word int) {
	number = b.windows
	b.windows += n
	return number, Windows + WindowWords*number
}

// window makes sure that the first element lies in the view's window, as far as it lies in any memory at all, and requires that
// all the others do.
func (b *builder) window(v *view) {
	window, first := b.newWindow(1)
	b.If(vec.UGE, b.sub(v.base, b.Arg(first+WindowBase)), b.Arg(first+WindowSize))
	b.keepView(v)
	b.leave(Out{Op: v.op, Window: window})
	b.End()
	at := b.sub(v.base, b.Arg(first+WindowBase))
	v.data = b.add(b.Arg(first+WindowData), at)
	last := number{}
	for i := range v.shape {
		last = b.plus(last, b.product(b.plus(v.shape[i], number{known: -1}), v.stride[i]))
	}
	size := int64(v.t.Elem.Bytes())
	v.bytes = b.plus(b.times(last, size), number{known: size})
	b.require(v, at)
	b.require(v, b.sub(b.sub(b.Arg(first+WindowSize), at), b.scalar(v.bytes)))
	if size > 1 {
		b.require(v, b.sub(b.Int(0), b.Do(vec.SAnd, vec.NoType, v.base, b.Int(size-1))))
	}
}

// viewOf gives the view that an operand is, nil if the caller made it.
func (b *builder) viewOf(v *tileir.Value) *view {
	if x := b.values[v]; x != nil {
		return x.view
	}
	return nil
}

func (b *builder) tensorShape(op *tileir.Op) bool {
	v := b.viewOf(op.Operands[0])
	if v == nil {
		return false
	}
	for i, r := range op.Results {
		b.letInt(r, b.extended(r, b.scalar(v.shape[i])))
	}
	return true
}

// indexSpace counts the tiles that begin inside the tensor.
func (b *builder) indexSpace(op *tileir.Op) bool {
	v := b.viewOf(op.Operands[0])
	if v == nil {
		return false
	}
	axes := op.Operands[0].Type.(tileir.ViewType).Axes()
	for _, a := range axes {
		if a.Step&(a.Step-1) != 0 {
			return false
		}
	}
	for i, r := range op.Results {
		step := axes[i].Step
		n := b.AddInt(b.Do(vec.SMax, vec.NoType, b.scalar(v.shape[axes[i].Dim]), b.Int(0)), step-1)
		b.letInt(r, b.extended(r, b.DoImm(vec.SShrImm, vec.NoType, int64(bits.TrailingZeros64(uint64(step))), n)))
	}
	return true
}
