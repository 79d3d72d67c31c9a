package emu

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// wgmma decodes wgmma.*: four warps multiply matrices, each 16 rows of them, asynchronously: the results appear, and
// shared memory is read, when a warp waits for them.
func wgmma(d *decoder) exec {
	what := d.oneOf("fence", "commit_group", "wait_group", "mma_async")
	if !d.has("sync") || !d.has("aligned") {
		return nil
	}
	var do exec
	switch what {
	case "mma_async":
		do = wgmmaBegin(d)
	case "fence":
		do = func(w *warp, _ uint32) { w.wgmma.fences++ }
	case "commit_group":
		do = func(w *warp, _ uint32) {
			w.wgmma.groups = append(w.wgmma.groups, w.wgmma.open)
			w.wgmma.open = nil
		}
	case "wait_group":
		n := int(d.op(0).Bits)
		do = func(w *warp, m uint32) { w.waitMultiplications(m, n) }
	}
	if do == nil {
		return nil
	}
	return func(w *warp, m uint32) {
		if m, ok := w.gather(m, full); ok {
			do(w, m)
		}
	}
}

// warpgroup is a form of wgmma.mma_async.
type warpgroup struct {
	name         string
	n, k         int
	a, b         *element
	c            typ
	finite       bool
	dst, regs    []int // regs: of A, nil if it is in shared memory
	adesc, bdesc int
	scale        truth
	signA, signB float64
	transA       bool
	transB       bool
}

func wgmmaBegin(d *decoder) exec {
	g := &warpgroup{name: d.in.Op, finite: d.has("satfinite"), signA: 1, signB: 1}
	tb, ta := d.typ(), d.typ()
	g.c = d.typ()
	nText, kText, ok := strings.Cut(strings.TrimPrefix(d.prefixed("m64n"), "m64n"), "k")
	var err1, err2 error
	g.n, err1 = strconv.Atoi(nText)
	g.k, err2 = strconv.Atoi(kText)
	g.a, g.b = elements[ta.name], elements[tb.name]
	if !ok || err1 != nil || err2 != nil || g.a == nil || g.b == nil {
		return nil
	}
	g.dst = d.dsts(0)
	if len(d.vector(1)) > 1 {
		g.regs = d.srcs(1, 32)
	} else {
		g.adesc = d.src(1, 64)
	}
	g.bdesc, g.scale = d.src(2, 64), d.psrc(3)
	d.wgmmaImmediates(g)
	per := 2
	if g.c.name == "f16" {
		per = 4
	}
	if len(g.dst)*per != g.n || g.regs != nil && len(g.regs)*g.a.per*2 != g.k {
		return nil
	}
	return g.begin
}

// wgmmaImmediates reads signs and transpositions: of A in registers there is no transposition.
func (d *decoder) wgmmaImmediates(g *warpgroup) {
	at := 4
	next := func(def int64) int64 {
		if at >= len(d.ops) {
			return def
		}
		at++
		return int64(d.ops[at-1].Bits)
	}
	g.signA, g.signB = float64(next(1)), float64(next(1))
	if g.regs == nil {
		g.transA = next(0) == 1
	}
	g.transB = next(0) == 1
}

// unfenced reports whether a register was written after the last fence, by another instruction than wgmma.
func (g *warpgroup) unfenced(w *warp) bool {
	late := func(r int) bool { return w.wgmma.writes[r] > w.wgmma.fences }
	return slices.ContainsFunc(g.dst, late) || slices.ContainsFunc(g.regs, late)
}

// noting notes that an instruction writes registers that multiplications use.
func (d *decoder) noting(run exec) exec {
	var regs []int
	for _, o := range d.in.Dst {
		for _, r := range append([]simt.Operand{o}, o.Vec...) {
			if r.Kind == simt.Register && d.multiplied[r.Reg] {
				regs = append(regs, int(r.Reg))
			}
		}
	}
	if regs == nil || strings.HasPrefix(d.in.Op, wgmmaBegins) {
		return run
	}
	return func(w *warp, m uint32) {
		run(w, m)
		if w.wgmma.writes == nil {
			w.wgmma.writes = map[int]int{}
		}
		for _, r := range regs {
			w.wgmma.writes[r] = w.wgmma.fences + 1
		}
	}
}

const wgmmaBegins = "wgmma.mma_async"

// multiplications finds the registers that they use.
func (d *decoder) multiplications(in *simt.Instr) {
	if !strings.HasPrefix(in.Op, wgmmaBegins) {
		return
	}
	for _, o := range append(slices.Clone(in.Dst), in.Src[0]) {
		for _, r := range o.Vec {
			if d.multiplied == nil {
				d.multiplied = map[simt.Reg]bool{}
			}
			d.multiplied[r.Reg] = true
		}
	}
}

// begin looks at what the multiplication will read, and puts it off.
func (g *warpgroup) begin(w *warp, m uint32) {
	switch {
	case w.wgmma.fences == 0:
		w.fault(0, "%s: wgmma.fence must come before the first one", w.op())
	case g.unfenced(w):
		w.fault(0, "%s: there is no wgmma.fence since another instruction has written a register that it uses", w.op())
	case w.index/4*4+3 >= len(w.block.warps):
		w.fault(0, "%s: warp %d is not one of a whole group of four: the block has %d warps", w.op(), w.index, len(w.block.warps))
	}
	first := w.index % 4 * 16
	p := &part{w: w, form: g, add: g.scale.get(w)&1 == 1, first: first, b: newOperandMatrix(w.v[g.bdesc][0])}
	touch := func(o *operandMatrix, rows, first int, e *element, trans bool) {
		o.each(rows, first, g.k, e, trans, func(_, _ int, off uint32) {
			if off%16 == 0 && w.event != failed {
				p.reads = append(p.reads, off)
				w.asyncSource(sharedSpace, uint64(w.block.rank)<<rankShift|uint64(off), 16, 0)
			}
		})
	}
	if g.regs == nil {
		p.a = newOperandMatrix(w.v[g.adesc][0])
		touch(&p.a, 16, first, g.a, g.transA)
	}
	touch(&p.b, g.n, 0, g.b, g.transB)
	if w.event != failed {
		w.beginMultiplication(p)
	}
}

// each gives the offset in shared memory of each element of some rows.
func (o *operandMatrix) each(rows, first, k int, e *element, trans bool, do func(row, k int, off uint32)) {
	for r := range rows {
		for i := range k {
			if trans {
				do(r, i, o.atTransposed(uint32(r+first), uint32(i)))
			} else {
				do(r, i, o.at(uint32(r+first), uint32(i*e.bits/8)))
			}
		}
	}
}

func (o *operandMatrix) read(b *block, to [][]float64, first, k int, e *element, trans bool) {
	for i := range to {
		to[i] = make([]float64, k)
	}
	n := uint32(e.bits / 8)
	o.each(len(to), first, k, e, trans, func(r, i int, off uint32) { to[r][i] = e.value(little(b.shared[off : off+n])) })
}

// fromRegisters reads A out of registers, where it lies as that of mma does.
func (g *warpgroup) fromRegisters(w *warp) (a [16][]float64) {
	for i := range a {
		a[i] = make([]float64, g.k)
	}
	for l := range lanes {
		for r, reg := range g.regs {
			g.a.spread(w.v[reg][l], a[l/4+8*(r&1)][(4*(r/2)+l%4)*g.a.per:])
		}
	}
	return a
}

// multiply adds the product to the old results, or replaces them.
func (g *warpgroup) multiply(w *warp, a [16][]float64, b [][]float64, add bool) {
	if g.signA*g.signB < 0 {
		for _, row := range a {
			for k := range row {
				row[k] = -row[k]
			}
		}
	}
	for l := range lanes {
		for i := range g.n / 2 {
			row, col := l/4+i/2%2*8, i/4*8+l%4*2+i%2
			g.put(w, l, i, a[row], b[col], add)
		}
	}
}

func (g *warpgroup) put(w *warp, l, i int, a, b []float64, add bool) {
	r, shift := i, 0
	if g.c.name == "f16" {
		r, shift = i/2, i%2*16
	}
	at := &w.v[g.dst[r]][l]
	var old float64
	if add {
		switch g.c.name {
		case "f32":
			old = float64(f32(*at))
		case "f16":
			old = float64(half32(*at >> shift & 0xffff))
		default:
			old = float64(int32(*at))
		}
	}
	sum := dotProduct(old, a, b)
	switch {
	case g.c.name == "f32":
		*at = bits32(float32(sum))
	case g.c.name == "f16":
		*at = *at&^(0xffff<<shift) | fmt16.round(sum, nearest, false)<<shift
	case g.finite:
		*at = saturate32(int64(sum))
	default:
		*at = cut(uint64(int64(sum)), 32)
	}
}
