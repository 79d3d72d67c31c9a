package cpu

import (
	"unsafe"

	"github.com/cutile-go/cutile/tileir"
)

// loopCode is what break and continue need to know of the loop they belong to.
type loopCode struct {
	carried []*tileir.Value // block arguments that continue sets
	results []*tileir.Value // what break sets
}

// move copies a value into the storage of another.
type move struct {
	dst, src slot
	bytes    int // of the destination
	fill     int // size of the one element that fills the destination, 0 for a copy
}

// moves plans to copy values into places at the same time. Those that are there already are left out; where a source is
// also a destination, all go through scratch.
func (c *compiler) moves(dst, src []*tileir.Value) func(f *frame) {
	var list []move
	hazard := false
	total := 0
	for i, d := range dst {
		to, from := c.plan.places[d], c.plan.places[src[i]]
		if to.storage == nil || to.storage == from.storage || to.bytes == 0 {
			continue
		}
		m := move{dst: to.off, src: from.off, bytes: to.bytes}
		if from.splat && !to.splat && to.bytes > from.bytes {
			m.fill = from.bytes
		}
		for _, other := range dst {
			hazard = hazard || c.plan.places[other].storage == from.storage
		}
		list = append(list, m)
		total += alignUp(m.bytes, 8)
	}
	if len(list) == 0 {
		return nil
	}
	if hazard {
		c.reserve(total)
		return func(f *frame) { moveThrough(f, list) }
	}
	return func(f *frame) {
		for i := range list {
			list[i].do(f, unsafe.Add(f.mem, list[i].src))
		}
	}
}

func (m *move) do(f *frame, src ptr) {
	dst := unsafe.Add(f.mem, m.dst)
	switch {
	case m.fill > 0:
		f.fillInParts(dst, src, m.fill, m.bytes/m.fill)
	case m.bytes == 4:
		*(*uint32)(dst) = *(*uint32)(src)
	case m.bytes == 8:
		*(*uint64)(dst) = *(*uint64)(src)
	default:
		f.copyInParts(dst, src, m.bytes)
	}
}

// moveThrough copies all sources to scratch before it writes any destination.
func moveThrough(f *frame, list []move) {
	at := 0
	for i := range list {
		n := list[i].bytes
		if list[i].fill > 0 {
			n = list[i].fill
		}
		f.copyInParts(unsafe.Add(f.scratch, at), unsafe.Add(f.mem, list[i].src), n)
		at += alignUp(list[i].bytes, 8)
	}
	at = 0
	for i := range list {
		list[i].do(f, unsafe.Add(f.scratch, at))
		at += alignUp(list[i].bytes, 8)
	}
}

// moveStep makes the step that moves values and ends with a signal.
func moveStep(m func(f *frame), sig signal) step {
	if m == nil {
		if sig == sigNext {
			return nil
		}
		return func(*frame) signal { return sig }
	}
	return func(f *frame) signal { m(f); return sig }
}

func generateReturn(*compiler, *tileir.Op) (step, error) {
	return func(*frame) signal { return sigReturn }, nil
}

func generateYield(c *compiler, op *tileir.Op) (step, error) {
	return moveStep(c.moves(c.yields, op.Operands), sigNext), nil
}

func generateContinue(c *compiler, op *tileir.Op) (step, error) {
	return moveStep(c.moves(c.loop.carried, op.Operands), sigContinue), nil
}

func generateBreak(c *compiler, op *tileir.Op) (step, error) {
	return moveStep(c.moves(c.loop.results, op.Operands), sigBreak), nil
}

// generateIf compiles if. Its regions yield into the storage of its results.
func generateIf(c *compiler, op *tileir.Op) (step, error) {
	outer := c.yields
	c.yields = op.Results
	defer func() { c.yields = outer }()
	var arms [2]program
	for i, r := range op.Regions {
		if r == nil {
			continue
		}
		p, err := c.block(r)
		if err != nil {
			return nil, err
		}
		arms[i] = p
	}
	cond, then, els := c.off(op.Operands[0]), arms[0], arms[1]
	return func(f *frame) signal {
		if *at[uint8](f, cond) != 0 {
			return then.run(f)
		}
		return els.run(f)
	}, nil
}

// loopBody compiles the region of a loop.
func (c *compiler) loopBody(op *tileir.Op, carried, results []*tileir.Value) (program, error) {
	outer := c.loop
	c.loop = &loopCode{carried, results}
	defer func() { c.loop = outer }()
	return c.block(op.Regions[0])
}

// generateLoop compiles loop.
func generateLoop(c *compiler, op *tileir.Op) (step, error) {
	args := op.Regions[0].Args
	start := c.moves(args, op.Operands)
	body, err := c.loopBody(op, args, op.Results)
	if err != nil {
		return nil, err
	}
	return func(f *frame) signal {
		if start != nil {
			start(f)
		}
		for {
			switch sig := body.run(f); sig {
			case sigNext, sigContinue:
				if f.stop.Load() {
					return f.fail(op, stopped)
				}
			case sigBreak:
				return sigNext
			default:
				return sig
			}
		}
	}, nil
}

// generateFor compiles for. The number of iterations is found first, so that a counter cannot overflow.
func generateFor(c *compiler, op *tileir.Op) (step, error) {
	args := op.Regions[0].Args
	start := c.moves(args[1:], op.Group(3))
	body, err := c.loopBody(op, args[1:], op.Results)
	if err != nil {
		return nil, err
	}
	bounds := op.Operands[:3]
	t := tileType(bounds[0]).Elem
	read := c.reader(bounds[0], op.Int("unsignedCmp") == 0)
	lo, hi, by := c.off(bounds[0]), c.off(bounds[1]), c.off(bounds[2])
	iv, size := c.off(args[0]), t.Bytes()
	unsigned := op.Int("unsignedCmp") != 0
	ahead, err := c.newLoopProduct(op)
	if err != nil {
		return nil, err
	}
	return func(f *frame) signal {
		first, last, stride := read(f, lo), read(f, hi), read(f, by)
		late := ahead != nil && ahead.zero && f.panels != nil // a product that begins with zeros does not read them
		if start != nil && !late {
			start(f)
		}
		if !unsigned && stride <= 0 || stride == 0 {
			return f.fail(op, "for: the step must be positive, but it is %d", stride)
		}
		trips, n := uint64(0), uint64(0)
		if first < last && !unsigned || uint64(first) < uint64(last) && unsigned {
			trips = (uint64(last)-uint64(first)-1)/uint64(stride) + 1
		}
		if ahead != nil && f.panels != nil && trips > 0 {
			n = ahead.run(f, first, stride, trips)
		}
		if start != nil && late && n == 0 {
			start(f)
		}
		i := first + int64(n)*stride
		for ; n < trips; n++ {
			writeInt(f, iv, size, i)
			if sig := body.run(f); sig > sigContinue {
				return sig
			}
			if f.stop.Load() {
				return f.fail(op, stopped)
			}
			i += stride
		}
		return sigNext
	}, nil
}

// reader gives the function that reads scalar integers of a value's type.
func (c *compiler) reader(v *tileir.Value, signed bool) func(f *frame, s slot) int64 {
	switch size := tileType(v).Elem.Bytes(); {
	case tileType(v).Elem == tileir.I1 && signed:
		return func(f *frame, s slot) int64 { return -int64(*at[uint8](f, s)) }
	case size == 1 && signed:
		return func(f *frame, s slot) int64 { return int64(*at[int8](f, s)) }
	case size == 1:
		return func(f *frame, s slot) int64 { return int64(*at[uint8](f, s)) }
	case size == 2 && signed:
		return func(f *frame, s slot) int64 { return int64(*at[int16](f, s)) }
	case size == 2:
		return func(f *frame, s slot) int64 { return int64(*at[uint16](f, s)) }
	case size == 4 && signed:
		return func(f *frame, s slot) int64 { return int64(*at[int32](f, s)) }
	case size == 4:
		return func(f *frame, s slot) int64 { return int64(*at[uint32](f, s)) }
	}
	return func(f *frame, s slot) int64 { return *at[int64](f, s) }
}

// writeInt stores an integer of a size.
func writeInt(f *frame, s slot, size int, v int64) {
	switch size {
	case 1:
		*at[int8](f, s) = int8(v)
	case 2:
		*at[int16](f, s) = int16(v)
	case 4:
		*at[int32](f, s) = int32(v)
	default:
		*at[int64](f, s) = v
	}
}
