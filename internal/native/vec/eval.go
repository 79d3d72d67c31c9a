package vec

import (
	"fmt"
	"unsafe"
)

// do runs an instruction that is no control flow.
func (m *Run) do(in *Instr) {
	row := &Table[in.Op]
	switch {
	case row.mem:
		m.access(in)
	case row.dst == scalar:
		m.scalars[in.Dst] = m.scalar(in)
	case row.dst == mask:
		m.masks[in.Dst] = m.mask(in)
	default:
		m.vector(in)
	}
}

func (m *Run) scalar(in *Instr) int64 {
	switch in.Op {
	case Arg:
		return int64(m.frame[in.Imm])
	case SFirst:
		return signed(m.lanes[in.Src[0]][0], in.Type)
	}
	n, ok := in.scalar(m.scalars[in.Src[0]], m.scalars[in.Src[1]])
	if !ok {
		panic(fmt.Sprintf("BUG: vec: %s is not evaluated", in.Op))
	}
	return n
}

// scalar gives the result of an operation on scalars alone.
func (in *Instr) scalar(a, b int64) (n int64, ok bool) {
	switch in.Op {
	case SConst:
		return in.Imm, true
	case SMove:
		return a, true
	case SAdd:
		return a + b, true
	case SSub:
		return a - b, true
	case SMul:
		return a * b, true
	case SAnd:
		return a & b, true
	case SOr:
		return a | b, true
	case SXor:
		return a ^ b, true
	case SAddImm:
		return a + in.Imm, true
	case SShlImm:
		return a << in.Imm, true
	case SShrImm:
		return a >> in.Imm, true
	case SExtend:
		return signed(uint64(a), in.Type), true
	case SMin:
		return min(a, b), true
	case SMax:
		return max(a, b), true
	}
	return 0, false
}

func (m *Run) mask(in *Instr) (out uint16) {
	a, b := m.masks[in.Src[0]], m.masks[in.Src[1]]
	switch in.Op {
	case MConst:
		if in.Imm != 0 {
			return 1<<Lanes - 1
		}
		return 0
	case MBits:
		return uint16(in.Imm)
	case MMove:
		return a
	case MAnd:
		return a & b
	case MOr:
		return a | b
	case MXor:
		return a ^ b
	case MAndNot:
		return a &^ b
	case MFirst:
		return uint16(1<<min(Lanes, max(0, m.scalars[in.Src[0]])) - 1)
	}
	x, y := &m.lanes[in.Src[0]], &m.lanes[in.Src[1]]
	for i := range Lanes {
		if in.compare(x[i], y[i]) {
			out |= 1 << i
		}
	}
	return out
}

// compare is a comparison of two lanes.
func (in *Instr) compare(x, y uint64) bool {
	switch {
	case in.Op == FCmp:
		return in.Cond.floats(toFloat(x, in.Type), toFloat(y, in.Type))
	case in.Cond >= ULT:
		return (in.Cond - ULT + LT).holds(int64(x^1<<63), int64(y^1<<63))
	}
	return in.Cond.holds(signed(x, in.Type), signed(y, in.Type))
}

// holds compares integers.
func (c Cond) holds(a, b int64) bool {
	if c >= ULT {
		return ordered(c-ULT+LT, a^-1<<63, b^-1<<63)
	}
	return ordered(c, a, b)
}

// floats compares floats.
func (c Cond) floats(a, b float64) bool {
	switch c {
	case Unordered:
		return a != a || b != b
	case Ordered:
		return a == a && b == b
	}
	return ordered(c, a, b)
}

// ordered compares by one of the first six conditions.
func ordered[T int64 | float64](c Cond, a, b T) bool {
	switch c {
	case EQ:
		return a == b
	case NE:
		return a != b
	case LT:
		return a < b
	case LE:
		return a <= b
	case GT:
		return a > b
	}
	return a >= b
}

// access is an instruction that reads or writes memory.
func (m *Run) access(in *Instr) {
	at := uintptr(m.scalars[in.Mem.Base] + int64(in.Mem.Disp))
	if in.Mem.Index != 0 {
		at += uintptr(m.scalars[in.Mem.Index] * int64(in.Mem.Scale))
	}
	size := in.Type.Bytes()
	switch in.Op {
	case SLoad:
		m.scalars[in.Dst] = signed(peek(at, size), in.Type)
		return
	case SLoadU:
		m.scalars[in.Dst] = int64(peek(at, size))
		return
	case SStore:
		poke(at, size, uint64(m.scalars[in.Src[0]]))
		return
	case SSwap:
		old := signed(peek(at, size), in.Type)
		if old == signed(cut(uint64(m.scalars[in.Src[0]]), in.Type), in.Type) {
			poke(at, size, uint64(m.scalars[in.Src[1]]))
		}
		m.scalars[in.Dst] = old
		return
	case Prefetch:
		return
	case StoreOne:
		poke(at, size, m.lanes[in.Src[0]][0])
		return
	}
	m.each(in, at, size)
}

// each is an access of many lanes.
func (m *Run) each(in *Instr, at uintptr, size int) {
	on := uint16(1<<Lanes - 1)
	if in.Mask != 0 {
		on = m.masks[in.Mask]
	}
	var got [Lanes]uint64
	for i := range Lanes {
		p := at + uintptr(i*size)
		if in.Op == Gather || in.Op == Scatter {
			p = at + uintptr(signed(m.lanes[in.Src[0]][i], in.From)*in.Imm)
		}
		if in.Op == LoadFirst {
			p = at
		}
		switch {
		case on>>i&1 == 0:
		case in.Op == Store || in.Op == StoreStream:
			poke(p, size, m.lanes[in.Src[0]][i])
		case in.Op == Scatter:
			poke(p, size, m.lanes[in.Src[1]][i])
		default:
			got[i] = peek(p, size)
		}
	}
	if in.Dst != 0 {
		m.lanes[in.Dst] = got
	}
}

// memory gives the place that an address of [Eval] stands for.
func memory(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

func peek(at uintptr, size int) (x uint64) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&x)), size), unsafe.Slice((*byte)(memory(at)), size))
	return x
}

func poke(at uintptr, size int, x uint64) {
	copy(unsafe.Slice((*byte)(memory(at)), size), unsafe.Slice((*byte)(unsafe.Pointer(&x)), size))
}

// signed is the integer that the bits of a lane stand for.
func signed(x uint64, t Type) int64 {
	n := 64 - 8*t.Bytes()
	return int64(x<<n) >> n
}

// cut drops the bits that a lane does not have.
func cut(x uint64, t Type) uint64 {
	n := 64 - 8*t.Bytes()
	return x << n >> n
}
