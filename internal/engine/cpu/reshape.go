package cpu

import (
	"unsafe"

	"github.com/cutile-go/cutile/tileir"
)

// copyOp makes the step that copies elements from one value to another.
func (c *compiler) copyOp(l layout, dst, src *tileir.Value, dstOff, srcOff int) step {
	l = l.squeeze()
	size := elemBytes(tileType(dst))
	d, s := c.off(dst)+slot(dstOff*size), c.need(src)+slot(srcOff*size)
	n := c.copiesOf(l, size)
	return func(f *frame) signal {
		n.copyLayout(f, l, unsafe.Add(f.mem, d), unsafe.Add(f.mem, s), size)
		return sigNext
	}
}

// generateBroadcast compiles broadcast; a result that one element stands for is the source itself.
func generateBroadcast(c *compiler, op *tileir.Op) (step, error) {
	src, dst := op.Operands[0], op.Results[0]
	l := spreading(op, c.plan.places[src].splat)
	if c.plan.places[dst].splat {
		l = layout{}.squeeze()
	}
	d, s, size := c.off(dst), c.off(src), elemBytes(tileType(dst))
	n := c.copiesOf(l, size)
	return func(f *frame) signal {
		n.copyLayout(f, l, unsafe.Add(f.mem, d), unsafe.Add(f.mem, s), size)
		return sigNext
	}, nil
}

// spreading is the copy that a broadcast does; one tells that one element stands for the whole source.
func spreading(op *tileir.Op, one bool) layout {
	from, shape := tileType(op.Operands[0]).Shape, tileType(op.Results[0]).Shape
	strides := rowMajor(from)
	for i, n := range from {
		if n == 1 || one {
			strides[i] = 0
		}
	}
	return layout{shape, rowMajor(shape), strides}.squeeze()
}

// generatePermute compiles permute, unless a load or store does it.
func generatePermute(c *compiler, op *tileir.Op) (step, error) {
	if c.plan.turned.renames[op] {
		return nil, nil
	}
	src, dst := op.Operands[0], op.Results[0]
	strides := rowMajor(tileType(src).Shape)
	perm := op.Attr("permutation").(tileir.Ints)
	turned := make([]int, len(perm))
	for i, p := range perm {
		turned[i] = strides[p]
	}
	shape := tileType(dst).Shape
	return c.copyOp(layout{shape, rowMajor(shape), turned}, dst, src, 0, 0), nil
}

func generateCat(c *compiler, op *tileir.Op) (step, error) {
	dst, dim := op.Results[0], int(op.Int("dim"))
	into := rowMajor(tileType(dst).Shape)
	var parts [2]step
	at := 0
	for i, src := range op.Operands[:2] {
		shape := tileType(src).Shape
		parts[i] = c.copyOp(layout{shape, into, rowMajor(shape)}, dst, src, at*into[dim], 0)
		at += shape[dim]
	}
	return func(f *frame) signal {
		parts[0](f)
		return parts[1](f)
	}, nil
}

// blockOffset makes the function that finds the first element of a sub-tile from its block coordinates, which must lie
// inside the big tile.
func (c *compiler) blockOffset(op *tileir.Op, indices []*tileir.Value, big, small []int) func(f *frame) (int, bool) {
	offs := make([]slot, len(indices))
	for i, v := range indices {
		offs[i] = c.off(v)
	}
	strides := rowMajor(big)
	return func(f *frame) (int, bool) {
		first := 0
		for i, s := range offs {
			k := int(*at[int32](f, s))
			if count := big[i] / small[i]; k < 0 || k >= count {
				f.fail(op, "%s: index %d of dimension %d is not in [0, %d)", op.Info.Mnemonic, k, i, count)
				return 0, false
			}
			first += k * small[i] * strides[i]
		}
		return first, true
	}
}

func generateExtract(c *compiler, op *tileir.Op) (step, error) {
	src, dst := op.Operands[0], op.Results[0]
	big, small := tileType(src).Shape, tileType(dst).Shape
	l := layout{small, rowMajor(small), rowMajor(big)}.squeeze()
	first := c.blockOffset(op, op.Operands[1:], big, small)
	d, s, size := c.off(dst), c.need(src), elemBytes(tileType(dst))
	n := c.copiesOf(l, size)
	return func(f *frame) signal {
		k, ok := first(f)
		if !ok {
			return sigFault
		}
		n.copyLayout(f, l, unsafe.Add(f.mem, d), unsafe.Add(f.mem, int(s)+k*size), size)
		return sigNext
	}, nil
}

func generateInsert(c *compiler, op *tileir.Op) (step, error) {
	src, into, dst := op.Operands[0], op.Operands[1], op.Results[0]
	big, small := tileType(dst).Shape, tileType(src).Shape
	l := layout{small, rowMajor(big), rowMajor(small)}.squeeze()
	first := c.blockOffset(op, op.Operands[2:], big, small)
	d, s, o, size := c.off(dst), c.need(src), c.need(into), elemBytes(tileType(dst))
	bytes, n := tileType(dst).Size()*size, c.copiesOf(l, size)
	return func(f *frame) signal {
		k, ok := first(f)
		if !ok {
			return sigFault
		}
		f.copyInParts(unsafe.Add(f.mem, d), unsafe.Add(f.mem, o), bytes)
		n.copyLayout(f, l, unsafe.Add(f.mem, int(d)+k*size), unsafe.Add(f.mem, s), size)
		return sigNext
	}, nil
}

// generateIota compiles iota as a constant: the storage is filled once.
func generateIota(c *compiler, op *tileir.Op) (step, error) {
	t, d := tileType(op.Results[0]), c.off(op.Results[0])
	n, size := t.Size(), elemBytes(t)
	return func(f *frame) signal {
		f.eachPart(n, func(lo, n int) bool {
			countFrom(unsafe.Add(f.mem, int(d)+lo*size), size, lo, n)
			return true
		})
		return sigNext
	}, nil
}

// countFrom writes n integers of a size from lo on.
func countFrom(d ptr, size, lo, n int) {
	switch size {
	case 1:
		count(slice[uint8](d, n), lo)
	case 2:
		count(slice[uint16](d, n), lo)
	case 4:
		count(slice[uint32](d, n), lo)
	default:
		count(slice[uint64](d, n), lo)
	}
}

func count[T unsigned](d []T, lo int) {
	for i := range d {
		d[i] = T(lo + i)
	}
}
