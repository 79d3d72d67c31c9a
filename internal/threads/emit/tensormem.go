package emit

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/tileir"
)

// tensorMem is the block's tensor memory: where it begins for all warps, and for the lanes of the own one.
type tensorMem struct {
	columns   *ir.Buffer
	base, own ir.Value
	products  map[*plan.Product]*tensorProduct
}

// tensorProduct is a product whose sums are there. One that goes on into the next turn has two barriers, of which every other turn uses one,
// so that a phase is over before the next but one begins.
type tensorProduct struct {
	x        *plan.Product
	sums     *ir.Buffer
	scales   *ir.Buffer // factors of elements
	barriers *ir.Buffer
	count    ir.Var // how many times it was begun
}

// resident is sums in tensor memory while a loop runs. They are zeros until there has been a product, if they begin with zeros.
type resident struct {
	*tensorProduct
	zeros   bool
	started ir.Var
	reads   []*ir.Buffer
	handed  bool // products have told the producer only: nobody has waited for one
}

// beginTensor gets the tensor memory that the kernel needs.
func (e *emitter) beginTensor() {
	if e.p.TensorColumns == 0 {
		return
	}
	t := &tensorMem{columns: e.NewColumns("all", 0, e.p.TensorColumns), products: map[*plan.Product]*tensorProduct{}}
	e.tensor = t
	address := e.NewBuffer("tensor_memory", 4, 16)
	address.Pinned = true
	var barriers []*ir.Buffer
	var counts []ir.Var
	var zeros []ir.Value
	for op := range e.p.Entry.All() {
		x := e.p.Products[op]
		if x == nil || x.Unit.Kind != ir.TensorMem {
			continue
		}
		p := &tensorProduct{x: x, count: e.NewVar(vec.V32), barriers: e.NewBuffer("product", counterBytes, 16)}
		p.barriers.Pinned = true
		if x.Lags {
			p.barriers.Bytes *= 2
		}
		barriers = append(barriers, p.barriers)
		t.products[x] = p
		counts, zeros = append(counts, p.count), append(zeros, e.Int(0))
	}
	t.name(e)
	t.base = e.TensorInit(e.p.TensorColumns, address, barriers)
	// The lane stands above 16 bits of a column, and a warp has 32 lanes.
	t.own = e.add(t.base, e.DoImm(vec.ShlImm, vec.I32, 16, e.Do(vec.And, vec.I32, e.thread(), e.Int(3<<5))))
	e.Set(counts, zeros)
}

// name names the columns of products; some share theirs.
func (t *tensorMem) name(e *emitter) {
	sums, scales := 0, 0
	for x := range t.products {
		if x.Carried < 0 {
			sums, scales = max(sums, x.Columns), max(scales, x.ScaleColumns())
		}
	}
	var shared *tensorProduct
	for op := range e.p.Entry.All() {
		p := t.products[e.p.Products[op]]
		switch {
		case p == nil:
		case p.x.Carried >= 0:
			p.sums, p.scales = e.NewColumns("sums", p.x.Column, p.x.Columns), e.NewColumns("scales", p.x.Scales, p.x.ScaleColumns())
		case shared == nil:
			shared = p
			p.sums, p.scales = e.NewColumns("sums", p.x.Column, sums), e.NewColumns("scales", p.x.Scales, scales)
		default:
			p.sums, p.scales = shared.sums, shared.scales
		}
	}
}

// endTensor waits for what goes on and gives the tensor memory back.
func (e *emitter) endTensor() {
	if e.tensor == nil {
		return
	}
	for _, l := range e.loops {
		for _, c := range l.carried {
			if c != nil && c.resident != nil && c.resident.x.Lags {
				e.waitTensor(c.resident.tensorProduct, e.Int(-1), c.resident.reads)
			}
		}
	}
	e.TensorFree(e.tensor.base, e.tensor.columns)
}

// barrier is the barrier of the product with a number, and the parity of its phase: that of a phase before the first one is over.
func (e *emitter) barrier(p *tensorProduct, number ir.Value) (m ir.Access, parity ir.Value) {
	m = ir.Access{Space: ir.Shared, Buffer: p.barriers, Align: counterBytes}
	if !p.x.Lags {
		return m, e.Do(vec.And, vec.I32, number, e.Int(1))
	}
	m.At = e.DoImm(vec.ShlImm, vec.I32, 3, e.Do(vec.And, vec.I32, number, e.Int(1)))
	return m, e.Do(vec.And, vec.I32, e.DoImm(vec.ShrUImm, vec.I32, 1, number), e.Int(1))
}

// waitTensor waits for the product that began last, or for one before.
func (e *emitter) waitTensor(p *tensorProduct, which ir.Value, reads []*ir.Buffer) {
	m, parity := e.barrier(p, e.add(e.Get(p.count), which))
	e.WaitTensor(m, parity, reads...)
}

// multiplyTensor computes a product whose sums are in tensor memory, where they stay if the loop around leaves them there.
func (e *emitter) multiplyTensor(x *plan.Product) {
	op, p := x.Op, e.tensor.products[x]
	m := &multiplier{emitter: e, x: x, width: x.Width()}
	_, _, m.sums = e.p.Fragments(x)
	var stays *resident
	adds := e.Bool(true)
	switch acc := op.Operand("acc"); {
	case x.Carried >= 0:
		stays = e.loops[len(e.loops)-1].carried[x.Carried].resident
		adds = e.Get(stays.started)
	case plan.Zero(acc):
		adds = e.Bool(false)
	default:
		e.storeTensor(p, m, acc)
	}
	left, leftAt := m.matrix(op.Operands[0], true)
	right, rightAt := m.matrix(op.Operands[1], false)
	number := e.Get(p.count)
	scales := e.storeScales(p, m, number)
	barrier, _ := e.barrier(p, number)
	reads := []*ir.Buffer{left.Buffer, right.Buffer}
	begin := func(tell ir.Access, ready *ir.Turning) {
		e.MultiplyTensor(&x.Unit, p.sums, e.add(e.tensor.base, e.Int(x.Column)), adds, left, right, scales, m.steps(leftAt, rightAt), tell, ready)
	}
	if h := e.handover(op); h != nil {
		begin(h.empty, &h.full)
		e.Set([]ir.Var{stays.started}, []ir.Value{e.Bool(true)})
		stays.reads, stays.handed = reads, scales == nil
		if stays.handed {
			return
		}
		e.CommitTensor(barrier) // for those who put other factors of elements in their place
	} else {
		begin(barrier, nil)
	}
	e.Set([]ir.Var{p.count}, []ir.Value{e.add(number, e.Int(1))})
	before := e.Int(-1)
	if x.Lags {
		before = e.Int(-2)
	}
	e.waitTensor(p, before, reads)
	if stays != nil {
		e.Set([]ir.Var{stays.started}, []ir.Value{e.Bool(true)})
		stays.reads = reads
		return
	}
	e.set(op.Results[0], m.sums, e.loadTensor(p, m))
}

// handover is how a product deals with the producer of its factors; nil for not at all.
func (e *emitter) handover(op *tileir.Op) *handover {
	for _, v := range op.Operands[:2] {
		if s := e.known(v).stage; s != nil && s.handover != nil {
			return s.handover
		}
	}
	return nil
}

// storeTensor puts a tile where a product adds to it.
func (e *emitter) storeTensor(p *tensorProduct, m *multiplier, acc *tileir.Value) {
	var regs []ir.Value
	for _, v := range e.get(acc, m.sums) {
		regs = append(regs, e.converted(v, typeOf(acc).Elem, p.x.Unit.Acc, 0))
	}
	e.TensorStore(&p.x.Unit, p.sums, e.add(e.tensor.own, e.Int(p.x.Column)), regs)
}

// tensorRegs is how many registers of sums are loaded at once where there are many: what comes of them is gone before the next ones come.
const tensorRegs = 32

// loadTensor gets the result of a product.
func (e *emitter) loadTensor(p *tensorProduct, m *multiplier) []ir.Value {
	n := m.sums.Regs()
	part := n
	if n > plan.MostSums {
		part = tensorRegs
	}
	var regs []ir.Value
	for i := 0; i < n; i += part {
		at := e.add(e.tensor.own, e.Int(p.x.Column+i*p.x.Columns/n))
		regs = append(regs, e.TensorLoad(&p.x.Unit, p.sums, at, part)...)
	}
	for i, v := range regs {
		regs[i] = e.converted(v, p.x.Unit.Acc, typeOf(p.x.Op.Results[0]).Elem, 0)
	}
	return regs
}

// enterTensor puts what a loop carries into tensor memory where it stays there.
func (e *emitter) enterTensor(l *loop, initial []*tileir.Value) {
	for _, op := range l.body.Ops {
		x := e.p.Products[op]
		if x == nil || x.Unit.Kind != ir.TensorMem || x.Carried < 0 {
			continue
		}
		c, v := l.carried[x.Carried], initial[x.Carried]
		c.busy = true
		c.resident = &resident{tensorProduct: e.tensor.products[x], zeros: plan.Zero(v), started: e.NewVar(vec.Mask)}
		if !c.resident.zeros {
			m := &multiplier{emitter: e, x: x, sums: c.lay}
			e.storeTensor(c.resident.tensorProduct, m, v)
		}
		e.Set([]ir.Var{c.resident.started}, []ir.Value{e.Bool(!c.resident.zeros)})
	}
}

// leaveTensor gets what a loop carried in tensor memory, behind it: zeros if there was no product.
func (e *emitter) leaveTensor(c *carried, result *tileir.Value) {
	r := c.resident
	if r.handed {
		number := e.Get(r.count)
		m, _ := e.barrier(r.tensorProduct, number)
		e.CommitTensor(m)
		e.Set([]ir.Var{r.count}, []ir.Value{e.add(number, e.Int(1))})
	}
	if r.x.Lags {
		e.waitTensor(r.tensorProduct, e.Int(-1), r.reads)
	}
	at := e.add(e.tensor.own, e.Int(r.x.Column))
	if r.zeros {
		e.If(e.Get(r.started), true, nil, func() {
			e.TensorStore(&r.x.Unit, r.sums, at, slices.Repeat([]ir.Value{e.Const(vec.I32, 0)}, c.lay.Regs()))
		})
	}
	e.set(result, c.lay, e.loadTensor(r.tensorProduct, &multiplier{emitter: e, x: r.x, sums: c.lay}))
}
