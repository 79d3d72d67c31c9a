package eval

import (
	"fmt"
	"math"

	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt"
)

// cluster is the shared memory of the blocks of a cluster. Addresses have 64 bits.
const clusterSpace space = "shared::cluster"

// bulkWords are the words for barriers in memory, clusters and copies of whole pieces.
var bulkWords = map[string]intrinsic{
	"memdo": func(c *ctx) []value { c.memory(nil); return nil },
	"memtest": func(c *ctx) []value {
		n := c.newNum(boolElem)
		c.memory([]simt.Operand{n.op()})
		return give(n)
	},
	"remote":       (*ctx).remote,
	"storeasync":   (*ctx).storeAsync,
	"bulkload":     (*ctx).bulkLoad,
	"bulkstore":    (*ctx).bulkStore,
	"tensorload":   (*ctx).tensorLoad,
	"tensorstore":  (*ctx).tensorStore,
	"tensorreduce": (*ctx).tensorReduce,
	"tensorprefetch": func(c *ctx) []value {
		where, rank := c.boxAt(1)
		c.b.Emit(fmt.Sprintf("cp.async.bulk.prefetch.tensor.%dd.L2.global.tile", rank), nil, c.tensorMap(0), where)
		return nil
	},
	"prefetchmap": func(c *ctx) []value { c.b.Emit("prefetch.tensormap", nil, c.tensorMap(0)); return nil },
}

// memory writes an instruction on the memory of an element. A result that nobody wants is "_".
func (c *ctx) memory(dst []simt.Operand) {
	op := c.text(0)
	src := []simt.Operand{c.elementOf(1, 2)}
	for _, v := range c.rest(3) {
		src = append(src, c.u32(v))
	}
	form, ok := simt.FormOf(op)
	if !ok {
		panic("BUG: eval: no instruction " + op)
	}
	if sig := c.signature(form, len(src)); len(sig.Dst) > len(dst) {
		dst = []simt.Operand{{Kind: simt.Sink, Reg: simt.NoReg}}
	}
	c.b.Emit(op, dst, src...)
}

// elementOf is the address of an element: arguments that are a tensor and an index.
func (c *ctx) elementOf(tensor, i int) simt.Operand {
	return c.elementAt(c.tensor(tensor), c.index(c.tensor(tensor).lay, layout.Leaf(c.int(i))))
}

// u32 is an integer as an operand of 32 bits.
func (c *ctx) u32(v value) simt.Operand {
	if n, ok := v.(*num); ok && n.class() == simt.B64 {
		return c.resize(n, n.elem, false).op()
	}
	return c.operand(v, intElem, false)
}

// remote is a tensor in another block's shared memory.
func (c *ctx) remote() []value {
	t := c.tensor(0)
	c.Must(t.space == shared, c.pos, "Remote takes a tensor in shared memory, not %s", t.describe())
	here := c.b.Value(simt.B64, "cvt.u64.u32", simt.R(c.pointerReg(t)))
	base := c.ranged(u64Elem, interval.Ints(0, math.MaxInt64))
	c.b.Emit("mapa.shared::cluster.u64", []simt.Operand{base.op()}, here, c.u32(c.arg(1)))
	r := *t
	r.space, r.base, r.at = clusterSpace, base, nil
	return give(&r)
}

func (c *ctx) storeAsync() []value {
	t := c.tensor(0)
	c.Must(t.space == clusterSpace, c.pos, "StoreAsync writes to another block's shared memory: take the tensor from Remote")
	c.Must(t.elem.Bits >= 32, c.pos, "StoreAsync takes elements of 32 or 64 bits, not %s", t.elem.Name)
	op := "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes." + t.elem.regClass(t.elem.Bits == 64).String()
	c.b.Emit(op, nil, c.elementOf(0, 2), c.inReg(c.arg(1), t.elem), c.elementOf(3, 4))
	return nil
}

// piece is a tensor that lies side by side: the address of its first element, and its bytes.
func (c *ctx) piece(i int, in space) (simt.Operand, int64) {
	t := c.tensor(i)
	c.Must(t.space == in, c.pos, "%s takes a tensor in %s memory here, not %s", c.called(), in, t.describe())
	n := c.staticSize(t.lay)
	size, err := t.lay.Cosize()
	c.refused(err)
	bytes := int64(n * t.elem.Bits / 8)
	c.Must(t.lay.comp == nil && size.Is(n) && bytes%16 == 0 && c.alignment(t)%16 == 0, c.pos,
		"%s copies a multiple of 16 bytes that lie side by side, at a multiple of 16 bytes, not a tensor with layout %s at a multiple of %d bytes", c.called(), t.lay.text(), c.alignment(t))
	return c.elementAt(t, layout.N(0)), bytes
}

func (c *ctx) bulkLoad() []value {
	src, n := c.piece(0, global)
	dst, m := c.piece(1, shared)
	c.Must(n == m, c.pos, "%s copies %d bytes to a tensor of %d", c.called(), n, m)
	c.b.Emit("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", nil, dst, src, simt.I(n), c.elementOf(2, 3))
	return nil
}

func (c *ctx) bulkStore() []value {
	src, n := c.piece(0, shared)
	dst, m := c.piece(1, global)
	c.Must(n == m, c.pos, "BulkStore copies %d bytes to a tensor of %d", n, m)
	c.b.Emit("cp.async.bulk.global.shared::cta.bulk_group", nil, dst, src, simt.I(n))
	return nil
}

// tensorMap is the address of a description.
func (c *ctx) tensorMap(i int) simt.Operand {
	n, ok := c.arg(i).(*num)
	c.Must(ok, c.pos, "this TensorMap describes nothing: it is an argument of the host function")
	c.own(n)
	return simt.At(n.reg, 0)
}

// box is the address of a box in shared memory.
func (c *ctx) box(tensor int) simt.Operand {
	t := c.tensor(tensor)
	c.Must(t.space == shared && c.alignment(t)%128 == 0, c.pos, "%s takes a tensor in shared memory at a multiple of 128 bytes, not %s at a multiple of %d",
		c.called(), t.describe(), c.alignment(t))
	return simt.At(c.begin(t, 0).Reg, 0)
}

// boxAt is the place of a box in its tensor, and the rank of that.
func (c *ctx) boxAt(i int) (where simt.Operand, rank int) {
	var crd []simt.Operand
	for _, v := range c.rest(i) {
		o := c.u32(v)
		if o.Kind != simt.Register {
			o = c.immediate(simt.B32, o)
		}
		crd = append(crd, o)
	}
	c.Must(len(crd) >= 1 && len(crd) <= 5, c.pos, "a tensor that is copied by boxes has 1 to 5 dimensions, not %d", len(crd))
	return simt.V(crd...), len(crd)
}

func (c *ctx) tensorLoad() []value {
	where, rank := c.boxAt(5)
	op := fmt.Sprintf("cp.async.bulk.tensor.%dd.shared::cluster.global.tile.mbarrier::complete_tx::bytes", rank)
	ops := []simt.Operand{c.box(1), c.tensorMap(0), where, c.elementOf(2, 3)}
	if n, known := intConst(c.arg(4)); !known || n != 0 {
		op += ".multicast::cluster"
		ops = append(ops, c.b.Value(simt.B16, "cvt.u16.u32", c.inReg(c.arg(4), elemOfGo["uint16"])))
	}
	c.b.Emit(op, nil, ops...)
	return nil
}

func (c *ctx) tensorStore() []value {
	where, rank := c.boxAt(2)
	c.b.Emit(fmt.Sprintf("cp.async.bulk.tensor.%dd.global.shared::cta.tile.bulk_group", rank), nil, c.tensorMap(0), where, c.box(1))
	return nil
}

func (c *ctx) tensorReduce() []value {
	where, rank := c.boxAt(3)
	op := fmt.Sprintf("cp.reduce.async.bulk.tensor.%dd.global.shared::cta.%s.tile.bulk_group", rank, c.text(0))
	_, ok := simt.FormOf(op)
	c.Must(ok, c.pos, "TensorReduce does not do %q: it takes OpAdd, OpMin, OpMax, OpAnd, OpOr and OpXor", c.text(0))
	c.b.Emit(op, nil, c.tensorMap(1), where, c.box(2))
	return nil
}
