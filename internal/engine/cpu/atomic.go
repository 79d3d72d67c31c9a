package cpu

import (
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tileir"
)

// strongLoads and strongStores copy one element so that other blocks see a whole one, in order.
var strongLoads = map[int]func(dst, src ptr){
	1: moveElem[uint8], 2: moveElem[uint16],
	4: func(dst, src ptr) { *(*uint32)(dst) = atomic.LoadUint32((*uint32)(src)) },
	8: func(dst, src ptr) { *(*uint64)(dst) = atomic.LoadUint64((*uint64)(src)) },
}

var strongStores = map[int]func(dst, src ptr){
	1: moveElem[uint8], 2: moveElem[uint16],
	4: func(dst, src ptr) { atomic.StoreUint32((*uint32)(dst), *(*uint32)(src)) },
	8: func(dst, src ptr) { atomic.StoreUint64((*uint64)(dst), *(*uint64)(src)) },
}

// update changes the element at m with an argument, atomically, and puts the element that was there at old.
type update func(m, arg, old ptr)

// updateKey is a mode and an element type.
type updateKey struct {
	mode tileir.Int
	elem tileir.Elem
}

var updates = map[updateKey]update{
	{tileir.AtomicAdd, tileir.I32}: func(m, arg, old ptr) {
		*(*uint32)(old) = atomic.AddUint32((*uint32)(m), *(*uint32)(arg)) - *(*uint32)(arg)
	},
	{tileir.AtomicAnd, tileir.I32}:  update32(func(a, b uint32) uint32 { return a & b }),
	{tileir.AtomicOr, tileir.I32}:   update32(func(a, b uint32) uint32 { return a | b }),
	{tileir.AtomicXor, tileir.I32}:  update32(func(a, b uint32) uint32 { return a ^ b }),
	{tileir.AtomicMax, tileir.I32}:  update32(func(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) }),
	{tileir.AtomicMin, tileir.I32}:  update32(func(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) }),
	{tileir.AtomicUMax, tileir.I32}: update32(func(a, b uint32) uint32 { return max(a, b) }),
	{tileir.AtomicUMin, tileir.I32}: update32(func(a, b uint32) uint32 { return min(a, b) }),
	{tileir.AtomicXchg, tileir.I32}: update32(func(_, b uint32) uint32 { return b }),
	{tileir.AtomicXchg, tileir.F32}: update32(func(_, b uint32) uint32 { return b }),
	{tileir.AtomicAddF, tileir.F32}: update32(addBits32),
	{tileir.AtomicAdd, tileir.I64}: func(m, arg, old ptr) {
		*(*uint64)(old) = atomic.AddUint64((*uint64)(m), *(*uint64)(arg)) - *(*uint64)(arg)
	},
	{tileir.AtomicAnd, tileir.I64}:   update64(func(a, b uint64) uint64 { return a & b }),
	{tileir.AtomicOr, tileir.I64}:    update64(func(a, b uint64) uint64 { return a | b }),
	{tileir.AtomicXor, tileir.I64}:   update64(func(a, b uint64) uint64 { return a ^ b }),
	{tileir.AtomicMax, tileir.I64}:   update64(func(a, b uint64) uint64 { return uint64(max(int64(a), int64(b))) }),
	{tileir.AtomicMin, tileir.I64}:   update64(func(a, b uint64) uint64 { return uint64(min(int64(a), int64(b))) }),
	{tileir.AtomicUMax, tileir.I64}:  update64(func(a, b uint64) uint64 { return max(a, b) }),
	{tileir.AtomicUMin, tileir.I64}:  update64(func(a, b uint64) uint64 { return min(a, b) }),
	{tileir.AtomicXchg, tileir.I64}:  update64(func(_, b uint64) uint64 { return b }),
	{tileir.AtomicXchg, tileir.F64}:  update64(func(_, b uint64) uint64 { return b }),
	{tileir.AtomicAddF, tileir.F64}:  update64(addBits64),
	{tileir.AtomicAddF, tileir.F16}:  update16(addBitsF16),
	{tileir.AtomicAddF, tileir.BF16}: update16(addBitsBF16),
}

func addBits32(a, b uint32) uint32 {
	return math.Float32bits(math.Float32frombits(a) + math.Float32frombits(b))
}

func addBits64(a, b uint64) uint64 {
	return math.Float64bits(math.Float64frombits(a) + math.Float64frombits(b))
}

func addBitsF16(a, b uint16) uint16 {
	return uint16(dtype.Float16FromFloat32(dtype.Float16(a).Float32() + dtype.Float16(b).Float32()))
}

func addBitsBF16(a, b uint16) uint16 {
	return uint16(dtype.BFloat16FromFloat32(dtype.BFloat16(a).Float32() + dtype.BFloat16(b).Float32()))
}

func update32(next func(old, arg uint32) uint32) update {
	return func(m, arg, old ptr) {
		word, b := (*uint32)(m), *(*uint32)(arg)
		for {
			a := atomic.LoadUint32(word)
			if atomic.CompareAndSwapUint32(word, a, next(a, b)) {
				*(*uint32)(old) = a
				return
			}
		}
	}
}

func update64(next func(old, arg uint64) uint64) update {
	return func(m, arg, old ptr) {
		word, b := (*uint64)(m), *(*uint64)(arg)
		for {
			a := atomic.LoadUint64(word)
			if atomic.CompareAndSwapUint64(word, a, next(a, b)) {
				*(*uint64)(old) = a
				return
			}
		}
	}
}

// update16 changes half of the 32-bit word around an element.
func update16(next func(old, arg uint16) uint16) update {
	return func(m, arg, old ptr) {
		odd := uintptr(m) & 2
		word, b := (*uint32)(unsafe.Add(m, -int(odd))), *(*uint16)(arg)
		shift := odd * 8
		for {
			w := atomic.LoadUint32(word)
			a := uint16(w >> shift)
			changed := w&^(0xffff<<shift) | uint32(next(a, b))<<shift
			if atomic.CompareAndSwapUint32(word, w, changed) {
				*(*uint16)(old) = a
				return
			}
		}
	}
}

// updateOf finds the update for an operation.
func updateOf(op *tileir.Op, e tileir.Elem) (update, error) {
	u, ok := updates[updateKey{tileir.Int(op.Int("mode")), e}]
	if !ok {
		return nil, unsupported(op, tileir.Tile(e), "it does not implement this atomic operation for this element type")
	}
	return u, nil
}

// generateAtomicRMW compiles atomic_rmw_tko. Elements that the mask holds back have zero as their old value: the
// specification leaves it to the implementation.
func generateAtomicRMW(c *compiler, op *tileir.Op) (step, error) {
	p := c.newPointers(op, op.Operand("pointers"), op.Operand("mask"))
	change, err := updateOf(op, p.elem)
	if err != nil {
		return nil, err
	}
	d, arg := c.off(op.Results[0]), c.need(op.Operand("arg"))
	one := func(f *frame, i int, m ptr) {
		change(m, unsafe.Add(f.mem, int(arg)+i*p.size), unsafe.Add(f.mem, int(d)+i*p.size))
	}
	if c.plan.uses[op.Results[0]] == 0 {
		one = func(f *frame, i int, m ptr) {
			var old uint64
			change(m, unsafe.Add(f.mem, int(arg)+i*p.size), ptr(&old))
		}
	}
	if s := c.newSums(p, op, one); s != nil {
		return c.watched(p, runPointers(s.run)), nil
	}
	all := c.atomically(p, op, one)
	return c.watched(p, runPointers(func(f *frame) bool {
		if p.masked {
			f.clearInParts(slice[byte](unsafe.Add(f.mem, d), p.n*p.size))
		}
		return all(f)
	})), nil
}

// runPointers makes a step of what reports false after a fault.
func runPointers(run func(f *frame) bool) step {
	return func(f *frame) signal {
		if !run(f) {
			return sigFault
		}
		return sigNext
	}
}

// atomically gives what changes all elements: machine code, if there is any.
func (c *compiler) atomically(p *pointers, op *tileir.Op, one func(f *frame, i int, m ptr)) func(f *frame) bool {
	if n := c.newAtomic(p, op, one); n != nil {
		return n.run
	}
	return func(f *frame) bool { return p.each(f, one) }
}

// generateAtomicCAS compiles atomic_cas_tko, which compares bits. Elements that the mask holds back have what they would
// have been compared with as their old value.
func generateAtomicCAS(c *compiler, op *tileir.Op) (step, error) {
	p := c.newPointers(op, op.Operand("pointers"), op.Operand("mask"))
	d, cmp, val := c.off(op.Results[0]), c.need(op.Operand("cmp")), c.need(op.Operand("val"))
	var swap func(m, cmp, val, old ptr)
	switch p.size {
	case 4:
		swap = swap32
	case 8:
		swap = swap64
	default:
		return nil, unsupported(op, tileType(op.Operand("val")), "elements must have 4 or 8 bytes")
	}
	all := c.atomically(p, op, func(f *frame, i int, m ptr) {
		at := i * p.size
		swap(m, unsafe.Add(f.mem, int(cmp)+at), unsafe.Add(f.mem, int(val)+at), unsafe.Add(f.mem, int(d)+at))
	})
	return c.watched(p, runPointers(func(f *frame) bool {
		if p.masked {
			f.copyInParts(unsafe.Add(f.mem, d), unsafe.Add(f.mem, cmp), p.n*p.size)
		}
		return all(f)
	})), nil
}

func swap32(m, cmp, val, old ptr) {
	for {
		a := atomic.LoadUint32((*uint32)(m))
		*(*uint32)(old) = a
		if a != *(*uint32)(cmp) || atomic.CompareAndSwapUint32((*uint32)(m), a, *(*uint32)(val)) {
			return
		}
	}
}

func swap64(m, cmp, val, old ptr) {
	for {
		a := atomic.LoadUint64((*uint64)(m))
		*(*uint64)(old) = a
		if a != *(*uint64)(cmp) || atomic.CompareAndSwapUint64((*uint64)(m), a, *(*uint64)(val)) {
			return
		}
	}
}

// generateAtomicRedView compiles atomic_red_view_tko.
func generateAtomicRedView(c *compiler, op *tileir.Op) (step, error) {
	a := c.newAccess(op, op.Operand("view"), op.Group(op.Info.OperandIndex("index")))
	change, err := updateOf(op, a.elem)
	if err != nil {
		return nil, err
	}
	src, native := c.need(op.Operand("value")), c.newAtomicView(a, op)
	return func(f *frame) signal {
		var r region
		if !a.locate(f, &r) {
			return sigFault
		}
		if r.empty {
			return sigNext
		}
		from, old := unsafe.Add(f.mem, src), ptr(&f.strips[0])
		a.each(f, &r, 0, 0, r.zero, func(inTile, inMemory, n, stride int) {
			if native != nil {
				native.run(f, unsafe.Add(r.memory, inMemory*a.size), unsafe.Add(from, inTile*a.size), n, stride, change)
				return
			}
			for i := range n {
				change(unsafe.Add(r.memory, (inMemory+i*stride)*a.size), unsafe.Add(from, (inTile+i)*a.size), old)
			}
		})
		return sigNext
	}, nil
}
