package words

import (
	"fmt"
	"math"

	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// clusterSpace is the shared memory of all blocks of a cluster. Its addresses have 64 bits, unlike
// those of a block's own shared memory.
const clusterSpace emit.Space = "shared::cluster"

// bulkWords lists the words for barriers in memory, for clusters and for bulk copies.
var bulkWords = map[string]intrinsic{
	"memdo": func(c *call) []emit.Value { c.memory(nil); return nil },
	"memtest": func(c *call) []emit.Value {
		n := c.NewNum(emit.Bool)
		c.memory([]simt.Operand{n.Op()})
		return give(n)
	},
	"remote":       (*call).remote,
	"storeasync":   (*call).storeAsync,
	"bulkload":     (*call).bulkLoad,
	"bulkstore":    (*call).bulkStore,
	"tensorload":   (*call).tensorLoad,
	"tensorstore":  (*call).tensorStore,
	"tensorreduce": (*call).tensorReduce,
	"tensorprefetch": func(c *call) []emit.Value {
		at, rank := c.boxAt(1)
		c.B.Emit(fmt.Sprintf("cp.async.bulk.prefetch.tensor.%dd.L2.global.tile", rank), nil, c.tensorMap(0), at)
		return nil
	},
	"prefetchmap": func(c *call) []emit.Value { c.B.Emit("prefetch.tensormap", nil, c.tensorMap(0)); return nil },
}

// memory writes an instruction on an element in memory. If the instruction has a result that the
// word does not give, the result is dropped.
func (c *call) memory(dst []simt.Operand) {
	op := c.text(0)
	// The element is the barrier that the instruction works on; the other arguments are numbers.
	src := []simt.Operand{c.elementOf(1, 2)}
	for _, v := range c.rest(3) {
		src = append(src, c.u32(v))
	}
	form, ok := simt.FormOf(op)
	if !ok {
		panic("BUG: words: no instruction " + op)
	}
	if sig := c.signature(form, len(src)); len(sig.Dst) > len(dst) {
		dst = []simt.Operand{{Kind: simt.Sink, Reg: simt.NoReg}}
	}
	c.B.Emit(op, dst, src...)
}

// elementOf gives the address of the element of a tensor at an index. Both are arguments.
func (c *call) elementOf(tensor, i int) simt.Operand {
	return c.ElementAt(c.tensor(tensor), c.Index(c.tensor(tensor).Layout, layout.Leaf(c.int(i))))
}

// u32 gives an integer as an operand of 32 bits.
func (c *call) u32(v emit.Value) simt.Operand {
	if n, ok := v.(*emit.Num); ok && n.Class() == simt.B64 {
		return c.Resize(n, n.Elem, false).Op()
	}
	return c.Operand(v, emit.Int, false)
}

// remote gives a tensor in another block's shared memory, at the same offset as in this block's
// own.
func (c *call) remote() []emit.Value {
	t := c.tensor(0)
	c.Must(t.Space == emit.Shared, c.pos, "Remote takes a tensor in shared memory, not %s", t.Describe())
	// The instruction maps an address of this block to one of the other block, and both have 64
	// bits.
	here := c.B.Value(simt.B64, "cvt.u64.u32", simt.R(c.PointerReg(t)))
	base := c.Ranged(emit.U64, interval.Ints(0, math.MaxInt64))
	c.B.Emit("mapa.shared::cluster.u64", []simt.Operand{base.Op()}, here, c.u32(c.arg(1)))
	r := *t
	r.Space, r.Base, r.At = clusterSpace, base, nil
	return give(&r)
}

// storeAsync stores an element to another block's shared memory and counts its bytes at a barrier
// there.
func (c *call) storeAsync() []emit.Value {
	t := c.tensor(0)
	// The instruction takes an address of 64 bits in the shared memory of the cluster.
	c.Must(t.Space == clusterSpace, c.pos, "StoreAsync writes to another block's shared memory: take the tensor from Remote")
	c.Must(t.Elem.Bits >= 32, c.pos, "StoreAsync takes elements of 32 or 64 bits, not %s", t.Elem.Name)
	// The store counts its bytes at the barrier, so that the other block knows when they are there.
	op := "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes." + t.Elem.RegClass(t.Elem.Bits == 64).String()
	c.B.Emit(op, nil, c.elementOf(0, 2), c.InReg(c.arg(1), t.Elem), c.elementOf(3, 4))
	return nil
}

// piece gives the address and the number of bytes of a contiguous tensor. The hardware copies whole
// units of 16 bytes between multiples of 16.
func (c *call) piece(i int, in emit.Space) (simt.Operand, int64) {
	t := c.tensor(i)
	c.Must(t.Space == in, c.pos, "%s takes a tensor in %s memory here, not %s", c.called(), in, t.Describe())
	n := c.staticSize(t.Layout)
	size, err := t.Layout.Cosize()
	c.Refused(err)
	bytes := int64(n * t.Elem.Bits / 8)
	// A layout without gaps has as many elements as the distance from its first to its last.
	c.Must(t.Layout.Composed == nil && size.Is(n) && bytes%16 == 0 && c.alignment(t)%16 == 0, c.pos,
		"%s copies contiguous memory, a multiple of 16 bytes at a multiple of 16 bytes, not a tensor with layout %s at a multiple of %d bytes", c.called(), t.Layout.Text(), c.alignment(t))
	return c.ElementAt(t, layout.N(0)), bytes
}

// bulkLoad copies from global to shared memory. The bytes count at a barrier when they arrive.
func (c *call) bulkLoad() []emit.Value {
	src, n := c.piece(0, emit.Global)
	dst, m := c.piece(1, emit.Shared)
	c.Must(n == m, c.pos, "%s cannot copy %d bytes to a tensor of %d bytes", c.called(), n, m)
	c.B.Emit("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", nil, dst, src, simt.I(n), c.elementOf(2, 3))
	return nil
}

// bulkStore copies from shared to global memory, as part of the thread's current group of bulk
// copies.
func (c *call) bulkStore() []emit.Value {
	src, n := c.piece(0, emit.Shared)
	dst, m := c.piece(1, emit.Global)
	c.Must(n == m, c.pos, "BulkStore cannot copy %d bytes to a tensor of %d bytes", n, m)
	c.B.Emit("cp.async.bulk.global.shared::cta.bulk_group", nil, dst, src, simt.I(n))
	return nil
}

// tensorMap gives the address of a tensor map, which the driver made of a tensor before the launch.
func (c *call) tensorMap(i int) simt.Operand {
	n, ok := c.arg(i).(*emit.Num)
	c.Must(ok, c.pos, "this TensorMap is empty: pass one to the host function as an argument")
	c.Own(n)
	return simt.At(n.Reg, 0)
}

// box gives the address of a box in shared memory, as if it were not swizzled: the hardware
// swizzles the box itself, as the tensor map says.
func (c *call) box(tensor int) simt.Operand {
	t := c.tensor(tensor)
	c.Must(t.Space == emit.Shared && c.alignment(t)%128 == 0, c.pos, "%s takes a tensor in shared memory at a multiple of 128 bytes, not %s at a multiple of %d",
		c.called(), t.Describe(), c.alignment(t))
	return simt.At(c.begin(t, 0).Reg, 0)
}

// boxAt gives the coordinate of a box in its tensor, and the tensor's rank.
func (c *call) boxAt(i int) (at simt.Operand, rank int) {
	var crd []simt.Operand
	for _, v := range c.rest(i) {
		o := c.u32(v)
		if o.Kind != simt.Register {
			// The instruction takes coordinates in registers only.
			o = c.Immediate(simt.B32, o)
		}
		crd = append(crd, o)
	}
	// Tensor maps have at most five dimensions.
	c.Must(len(crd) >= 1 && len(crd) <= 5, c.pos, "a tensor that is copied by boxes has 1 to 5 dimensions, not %d", len(crd))
	return simt.V(crd...), len(crd)
}

// tensorLoad copies a box from global to shared memory, of several blocks of a cluster if the mask
// is not 0.
func (c *call) tensorLoad() []emit.Value {
	at, rank := c.boxAt(5)
	op := fmt.Sprintf("cp.async.bulk.tensor.%dd.shared::cluster.global.tile.mbarrier::complete_tx::bytes", rank)
	ops := []simt.Operand{c.box(1), c.tensorMap(0), at, c.elementOf(2, 3)}
	// A mask of 0 means that only this block gets the box.
	if n, known := emit.IntConst(c.arg(4)); !known || n != 0 {
		op += ".multicast::cluster"
		ops = append(ops, c.B.Value(simt.B16, "cvt.u16.u32", c.InReg(c.arg(4), emit.ElemOfGo["uint16"])))
	}
	c.B.Emit(op, nil, ops...)
	return nil
}

// tensorStore copies a box from shared to global memory.
func (c *call) tensorStore() []emit.Value {
	at, rank := c.boxAt(2)
	c.B.Emit(fmt.Sprintf("cp.async.bulk.tensor.%dd.global.shared::cta.tile.bulk_group", rank), nil, c.tensorMap(0), at, c.box(1))
	return nil
}

// tensorReduce combines a box in shared memory with the elements of global memory, by the operation
// that the first argument names.
func (c *call) tensorReduce() []emit.Value {
	at, rank := c.boxAt(3)
	op := fmt.Sprintf("cp.reduce.async.bulk.tensor.%dd.global.shared::cta.%s.tile.bulk_group", rank, c.text(0))
	_, ok := simt.FormOf(op)
	c.Must(ok, c.pos, "TensorReduce has no operation %q: it takes OpAdd, OpMin, OpMax, OpAnd, OpOr and OpXor", c.text(0))
	c.B.Emit(op, nil, c.tensorMap(1), at, c.box(2))
	return nil
}
