package cpu

import (
	"bytes"
	"fmt"

	"github.com/cutile-go/cutile/tileir"
)

// generateAssert compiles assert.
func generateAssert(c *compiler, op *tileir.Op) (step, error) {
	cond := c.need(op.Operands[0])
	n := tileType(op.Operands[0]).Size()
	message, _ := op.Attr("message").(tileir.String)
	return func(f *frame) signal {
		truths := tile[uint8](f, cond, n)
		if n == 1 && truths[0] == 0 {
			return f.fail(op, "assertion failed: %s", message)
		}
		holds := f.eachPart(n, func(lo, m int) bool {
			i := bytes.IndexByte(truths[lo:][:m], 0)
			if i >= 0 {
				f.fail(op, "assertion failed: %s (element %d of %d)", message, lo+i, n)
			}
			return i < 0
		})
		if !holds {
			return sigFault
		}
		return sigNext
	}, nil
}

// generateAssume compiles assume: nothing at all, or a check of the promise.
func generateAssume(c *compiler, op *tileir.Op) (step, error) {
	if !c.device.assumes || c.strides[op] {
		return nil, nil
	}
	return c.promised(op), nil
}

// promised makes the check of a promise, nil if there is nothing to check.
func (c *compiler) promised(op *tileir.Op) step {
	t, ok := op.Operands[0].Type.(*tileir.TileType)
	if !ok {
		return nil
	}
	p := promise{op: op, off: c.off(op.Operands[0]), shape: t.Shape, pick: picker(elemBytes(t)), size: t.Size()}
	if c.plan.places[op.Operands[0]].splat {
		p.shape, p.size = nil, 1
	}
	switch predicate := op.Attr("predicate").(type) {
	case tileir.DivBy:
		return p.divisible(predicate)
	case tileir.Bounded:
		return p.bounded(predicate)
	case tileir.SameElements:
		return p.same(predicate)
	}
	return nil
}

// promise is an assume that is checked.
type promise struct {
	op    *tileir.Op
	off   slot
	shape []int
	size  int
	pick  func(*frame, slot, int) int64
}

func (p promise) broken(f *frame, i int, format string, args ...any) signal {
	return f.fail(p.op, "a promise does not hold: element %d is %d, %s", i, p.pick(f, p.off, i), fmt.Sprintf(format, args...))
}

func (p promise) divisible(d tileir.DivBy) step {
	concerns := func(int) bool { return true }
	if d.Every != nil && d.Along != nil && len(p.shape) > 0 {
		every, n, stride := int(max(1, *d.Every)), p.shape[*d.Along], rowMajor(p.shape)[*d.Along]
		concerns = func(i int) bool { return i/stride%n%every == 0 }
	}
	return func(f *frame) signal {
		for i := range p.size {
			if i%pollElems == 0 {
				f.poll()
			}
			if concerns(i) && uint64(p.pick(f, p.off, i))%d.Divisor != 0 {
				return p.broken(f, i, "which %d does not divide", d.Divisor)
			}
		}
		return sigNext
	}
}

func (p promise) bounded(b tileir.Bounded) step {
	return func(f *frame) signal {
		for i := range p.size {
			if i%pollElems == 0 {
				f.poll()
			}
			switch v := p.pick(f, p.off, i); {
			case b.Lower != nil && v < *b.Lower:
				return p.broken(f, i, "which is below %d", *b.Lower)
			case b.Upper != nil && v > *b.Upper:
				return p.broken(f, i, "which is above %d", *b.Upper)
			}
		}
		return sigNext
	}
}

// same checks that elements repeat in runs: each equals the first of its run in every dimension.
func (p promise) same(runs tileir.SameElements) step {
	strides := rowMajor(p.shape)
	return func(f *frame) signal {
		for i := range p.size {
			if i%pollElems == 0 {
				f.poll()
			}
			first := 0
			for d := range p.shape {
				k := i / strides[d] % p.shape[d]
				if d < len(runs) && runs[d] > 1 {
					k -= k % int(runs[d])
				}
				first += k * strides[d]
			}
			if p.pick(f, p.off, i) != p.pick(f, p.off, first) {
				return p.broken(f, i, "but the first of its run is %d", p.pick(f, p.off, first))
			}
		}
		return sigNext
	}
}
