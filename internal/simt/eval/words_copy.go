package eval

import (
	"math/bits"

	"github.com/cutile-go/cutile/internal/atom"
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt"
)

// copyWords are the words that copy between tensors.
var copyWords = map[string]intrinsic{
	"copy":    func(c *ctx) []value { c.copyVectors(false); return nil },
	"cpasync": func(c *ctx) []value { c.copyVectors(true); return nil },
	"overlay": (*ctx).overlay,
}

// atomElems are the elements as package atom calls them.
var atomElems = map[string]atom.Elem{
	"f64": atom.F64, "f32": atom.F32, "tf32": atom.TF32, "f16": atom.F16, "bf16": atom.BF16, "f8E4M3FN": atom.E4M3, "f8E5M2": atom.E5M2,
	"i64": atom.S64, "int": atom.S64, "i32": atom.S32, "i16": atom.S16, "i8": atom.S8,
	"u64": atom.U64, "uint": atom.U64, "uintptr": atom.U64, "u32": atom.U32, "u16": atom.U16, "u8": atom.U8, "i1": atom.U8,
}

// copyVectors copies all elements in accesses as wide as layouts and alignments allow.
func (c *ctx) copyVectors(async bool) {
	src, dst := c.tensor(0), c.tensor(1)
	n := c.staticSize(src.lay)
	c.must(n == c.staticSize(dst.lay), c.pos, "%s takes tensors of one size, not of shapes %s and %s", c.called(), src.lay.Shape(), dst.lay.Shape())
	pred := c.predicate(2, n, n)
	width, order := c.vectors(src, dst, n, pred)
	if async {
		c.must(src.space == global && dst.space == shared, c.pos, "CpAsync copies from global to shared memory, not from %s to %s", src.space, dst.space)
		c.must(width*src.elem.Bits >= 32, c.pos, "CpAsync copies 4, 8 or 16 bytes at once, but of tensors with layouts %s and %s and alignments of %d and %d bytes only %d are side by side",
			src.lay.text(), dst.lay.text(), c.alignment(src), c.alignment(dst), width*src.elem.Bits/8)
	}
	for i := 0; i < n; i += width {
		m := &move{ctx: c, src: src, dst: dst, n: width, at: place(order(i)), pred: c.predAt(pred, order(i))}
		switch {
		case async:
			m.cpAsync(asyncOps[width*src.elem.Bits == 128])
		case width*src.elem.Bits < 32:
			m.element()
		default:
			m.vector()
		}
	}
}

// predicate is the optional argument with predicates for n places; or for fewer, one for each of several.
func (c *ctx) predicate(i int, sizes ...int) *tensor {
	rest := c.rest(i)
	if len(rest) == 0 {
		return nil
	}
	p, ok := rest[0].(*tensor)
	c.must(ok && len(rest) == 1, c.pos, "%s takes one tensor of predicates at most", c.called())
	n := c.staticSize(p.lay)
	for _, s := range sizes {
		if s == n {
			return p
		}
	}
	c.fail(c.pos, "the tensor of predicates has shape %s, which is not %d predicates", p.lay.Shape(), sizes[0])
	return nil
}

// predAt is the predicate at a place: nil for none, or one that is known to hold.
func (c *ctx) predAt(pred *tensor, i int) *simt.Operand {
	if pred == nil {
		return nil
	}
	p := c.inReg(c.loadElem(pred, place(i)), boolElem)
	return &p
}

// alignment is what is known to divide the address of a tensor's first element, in bytes.
func (c *ctx) alignment(t *tensor) int {
	bytes := max(t.elem.Bits/8, 1)
	offs := []layout.Int{t.off}
	if t.lay.comp != nil {
		offs = append(offs, t.lay.comp.Offset)
	}
	a := uint(max(t.align, bytes))
	for _, o := range offs {
		if !o.Is(0) {
			a |= uint(o.Div() * bytes)
		}
	}
	return 1 << bits.TrailingZeros(a)
}

// vectors finds how many elements one access may move, and the coordinate of the i-th of all, vector by vector.
func (c *ctx) vectors(src, dst *tensor, n int, pred *tensor) (width int, order func(i int) int) {
	e := src.elem
	most := atom.VectorBits(src.lay.Layout, dst.lay.Layout, atomElems[e.Name], c.alignment(src), c.alignment(dst)) / e.Bits
	for width = most; width > 1; width /= 2 {
		common, err := layout.MaxCommon(src.lay.Layout, dst.lay.Layout)
		c.refused(err)
		v, err := layout.Compose(common, layout.TileOf(width)[0].Layout)
		c.refused(err)
		all, err := layout.Compact(place(n))
		c.refused(err)
		all, err = layout.LogicalDivide(all, v)
		c.refused(err)
		order = func(i int) int { return c.offset(&layoutVal{Layout: all}, i) }
		if c.keeps(src.lay, width) && c.keeps(dst.lay, width) && c.alike(pred, n, width, order) {
			return width, order
		}
	}
	return 1, func(i int) int { return i }
}

// offset is a layout of a place, both known.
func (c *ctx) offset(l *layoutVal, i int) int {
	n, _ := c.index(l, place(i)).Static()
	return n
}

// keeps reports whether a swizzle leaves vectors of a width together.
func (c *ctx) keeps(l *layoutVal, width int) bool {
	return l.comp == nil || 1<<l.comp.Swizzle.Base >= width
}

// alike reports whether the elements of each vector have one predicate.
func (c *ctx) alike(pred *tensor, n, width int, order func(int) int) bool {
	if pred == nil {
		return true
	}
	for i := range n {
		if c.offset(pred.lay, order(i)) != c.offset(pred.lay, order(i-i%width)) {
			return false
		}
	}
	return true
}

// move is a copy of n neighbours from a coordinate on.
type move struct {
	*ctx
	src, dst *tensor
	at       layout.Tuple
	srcAt    *layout.Tuple // where it is another one in the source
	dstAt    *layout.Tuple
	n        int
	pred     *simt.Operand
}

// guard makes an instruction depend on the predicate.
func (m *move) guard(in *simt.Instr) {
	if m.pred != nil {
		in.Guard, in.Unless = m.pred.Reg, m.pred.Not
	}
}

// element copies one.
func (m *move) element() {
	if m.pred == nil {
		m.storeElem(m.dst, m.at, m.loadElem(m.src, m.at))
		return
	}
	e := m.src.elem
	var v value
	if m.src.space == rmem {
		v = m.loadReg(m.src, m.at)
	} else {
		at := m.ctx.element(m.src, m.at)
		n := m.newNum(e)
		if e == boolElem {
			n = m.newNum(u32Elem)
		}
		m.b.Emit("mov."+n.class().String(), []simt.Operand{n.op()}, simt.I(0))
		m.guard(m.b.Emit("ld."+string(m.src.space)+"."+e.loadType(), []simt.Operand{n.op()}, at))
		v = n
		if e == boolElem {
			v = m.emit(boolElem, "setp.ne.s32", n.op(), simt.I(0))
		}
	}
	if m.dst.space == rmem {
		p := m.newNum(boolElem)
		p.reg = m.pred.Reg
		m.storeReg(m.dst, m.at, m.choose(p, v, m.loadReg(m.dst, m.at), e))
		return
	}
	at := m.ctx.element(m.dst, m.at)
	m.guard(m.b.Emit("st."+string(m.dst.space)+"."+e.storeType(), nil, at, m.stored(v, e)))
}

// vector copies words of 32 or 64 bits, up to 128 bits at once.
func (m *move) vector() {
	var regs []simt.Operand
	switch {
	case m.src.space == rmem:
		regs = m.wordsAt(m.src)
	case m.dst.space == rmem:
		m.access("ld", m.src, m.wordsAt(m.dst))
		return
	default:
		class := m.wordClass()
		for range m.words() {
			regs = append(regs, m.b.Value(class, "mov."+class.String(), simt.I(0)))
		}
		m.access("ld", m.src, regs)
	}
	if m.dst.space != rmem {
		m.access("st", m.dst, regs)
		return
	}
	for i, w := range m.wordsAt(m.dst) {
		m.guard(m.b.Emit("mov."+m.wordClass().String(), []simt.Operand{w}, regs[i]))
	}
}

// wordClass is that of the registers that hold elements; words is how many they are.
func (m *move) wordClass() simt.Class { return wordClass(m.src.elem) }
func (m *move) words() int            { return m.n * m.src.elem.Bits / m.wordClass().Bits() }

func wordClass(e *Elem) simt.Class {
	if e.Bits == 64 {
		return simt.B64
	}
	return simt.B32
}

// wordsAt are the registers of neighbours in a tensor in registers.
func (m *move) wordsAt(t *tensor) []simt.Operand {
	first, part := m.word(t, m.where(t))
	if part != 0 {
		panic("BUG: eval: a vector begins inside of a register")
	}
	regs := make([]simt.Operand, m.words())
	for i := range regs {
		regs[i] = simt.R(t.regs.words[first+i])
	}
	return regs
}

// where is the first element's coordinate in a tensor.
func (m *move) where(t *tensor) layout.Tuple {
	switch {
	case t == m.src && m.srcAt != nil:
		return *m.srcAt
	case t == m.dst && m.dstAt != nil:
		return *m.dstAt
	}
	return m.at
}

// access loads or stores words in memory.
func (m *move) access(op string, t *tensor, regs []simt.Operand) {
	at := m.ctx.element(t, m.where(t))
	name, data := op+"."+string(t.space), regs[0]
	if len(regs) > 1 {
		name += map[int]string{2: ".v2", 4: ".v4"}[len(regs)]
		data = simt.V(regs...)
	}
	name += "." + m.wordClass().String()
	if op == "ld" {
		m.guard(m.b.Emit(name, []simt.Operand{data}, at))
		return
	}
	m.guard(m.b.Emit(name, nil, at, data))
}

// cpAsync starts an asynchronous copy; where the predicate does not hold it writes zero.
func (m *move) cpAsync(op string) {
	bytes := int64(m.n * m.src.elem.Bits / 8)
	ops := []simt.Operand{m.ctx.element(m.dst, m.at), m.ctx.element(m.src, m.at), simt.I(bytes)}
	if m.pred != nil {
		ops = append(ops, m.b.Value(simt.B32, "selp.b32", simt.I(bytes), simt.I(0), *m.pred))
	}
	m.b.Emit(op, nil, ops...)
}

// asyncOps are the asynchronous copies: those of 16 bytes go past L1.
var asyncOps = map[bool]string{true: "cp.async.cg.shared.global", false: "cp.async.ca.shared.global"}

// overlay is memory of a tensor in shared memory as another tensor.
func (c *ctx) overlay() []value {
	t, e, l := c.tensor(0), c.elemArg(0), c.layout(2)
	c.must(t.space == shared, c.pos, "Overlay takes a tensor in shared memory, not %s", t.describe())
	bytes := c.int(1)
	c.must(bytes.Is(0) || bytes.Div()%(e.Bits/8) == 0, c.pos, "the offset of an Overlay must be known to be a multiple of the %d bytes of an element", e.Bits/8)
	base := &num{}
	*base = *c.dynamic(t.base, i32Elem)
	base.reg = c.addressOf(t, t.off)
	align := t.align
	if n, ok := bytes.Static(); ok {
		align = 1 << bits.TrailingZeros(uint(align|n))
	} else {
		align = 1 << bits.TrailingZeros(uint(align|bytes.Div()))
	}
	if !t.off.Is(0) {
		align = min(align, c.alignment(t))
	}
	r := &tensor{space: shared, elem: e, typ: c.typeArg(0), base: base, off: bytes.Quo(layout.N(e.Bits / 8)), lay: l, align: align}
	return give(r)
}
