package emu

import (
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// tensorMma is a form of tcgen05.mma.
type tensorMma struct {
	kind      string
	vec       int // scale factors of a row: 0 for none
	ws, pair  bool
	collector string // "a::fill"
	d, atmem  address
	inTensor  bool // A
	adesc     int
	bdesc     int
	idesc     int
	add       truth
	disable   []int
	divide    int // the power of two by which the old result is divided
	sfa, sfb  address
	zeros     int // the descriptor of columns that are zeros, or -1
}

// scaleVectors are the scale factors of a row by kind and modifier.
var scaleVectors = map[string]int{
	"mxf8f6f4": 1, "mxf8f6f4 scale_vec::1X": 1, "mxf8f6f4 block32": 1,
	"mxf4": 2, "mxf4 scale_vec::2X": 2, "mxf4 block32": 2,
	"mxf4nvf4 scale_vec::2X": 2, "mxf4nvf4 block32": 2, "mxf4nvf4 scale_vec::4X": 4, "mxf4nvf4 block16": 4,
}

// tensorMultiply decodes mma: one thread multiplies matrices in shared memory, of which A may lie in tensor memory.
func tensorMultiply(d *decoder) exec {
	g := &tensorMma{ws: d.has("ws"), pair: d.pair(), zeros: -1}
	g.kind = strings.TrimPrefix(d.prefixed("kind::"), "kind::")
	if d.has("block_scale") {
		name := strings.TrimSpace(g.kind + " " + d.oneOf("scale_vec::1X", "scale_vec::2X", "scale_vec::4X", "block16", "block32"))
		if g.vec = scaleVectors[name]; g.vec == 0 {
			return nil
		}
	}
	g.collector = strings.TrimPrefix(d.prefixed("collector::"), "collector::")
	if multiplicands[g.kind] == nil || strings.HasPrefix(g.kind, "mx") != (g.vec > 0) {
		return nil
	}
	g.d, g.bdesc, g.idesc = d.addr(0), d.src(2, 64), d.src(3, 32)
	if g.inTensor = d.op(1).Kind == simt.Address; g.inTensor {
		g.atmem = d.addr(1)
	} else {
		g.adesc = d.src(1, 64)
	}
	d.tensorRest(g)
	if n := len(g.disable); n != 0 && n != 4 && !(n == 8 && g.pair) {
		d.fail("%d numbers for the lanes of D: expected 4, or 8 for a pair of blocks", n)
	}
	return func(w *warp, m uint32) { w.each(m, func(l int) { g.begin(w, l) }) }
}

// tensorRest reads the operands after the instruction descriptor.
func (d *decoder) tensorRest(g *tensorMma) {
	at := 4
	switch {
	case g.vec > 0:
		g.sfa, g.sfb = d.addr(4), d.addr(5)
		at = 6
	case d.op(4).Kind == simt.Vector:
		g.disable = d.srcs(4, 32)
		at = 5
	}
	g.add = d.psrc(at)
	switch {
	case at+1 >= len(d.ops):
	case g.ws:
		g.zeros = d.src(at+1, 64)
	default:
		g.divide = int(d.op(at+1).Bits & 15)
	}
}

// tensorProduct is a multiplication under way.
type tensorProduct struct {
	g *tensorMma
	*tensorForm
	op     *tensorOp
	w      *warp
	lane   int
	blocks []*block
	adds   bool
	skip   [2]laneSet // by block: lanes of D to leave alone
	row    int        // of D
	col    int
	arow   int // of A in tensor memory
	acol   int
	sa, sb int // columns of the scale factors
	pa, pb []uint32
	zero   []bool
	shift  int // of the columns of B
}

// begin reads descriptors and addresses, and puts the multiplication off.
func (g *tensorMma) begin(w *warp, l int) {
	form, err := newTensorForm(g.kind, g.vec, g.ws, g.pair, uint32(w.v[g.idesc][l]))
	if err != nil {
		w.fault(l, "%s: %v", w.op(), err)
		return
	}
	p := &tensorProduct{g: g, tensorForm: form, w: w, lane: l, blocks: w.peers(g.pair, l), adds: g.add.get(w)>>l&1 == 1}
	p.op = &tensorOp{kind: "mma", lane: l, run: p.run}
	if p.blocks == nil || !p.result() || !p.matrixA() || !p.matrixB() || !p.scaleFactors() || !p.collected() {
		return
	}
	for i, reg := range g.disable {
		word := i * 32
		p.skip[word/128][word%128/64] |= w.v[reg][l] << (word % 64)
	}
	w.issue(p.op)
	w.multiplied = p.work()
}

// work is what the multiplication does, for the account: of two blocks each does a half.
func (p *tensorProduct) work() (work matrixWork) {
	rows := int64(p.m)
	if p.pair {
		rows /= 2
	}
	work.multiplyAdds = rows * int64(p.n*p.k)
	work.operand = int64(p.n*p.k*p.b.bits) / 8
	if !p.g.inTensor {
		work.operand += rows * int64(p.k*p.a.bits) / 8
	}
	return work
}

// result finds the place of D.
func (p *tensorProduct) result() bool {
	p.row, p.col = tensorAddress(p.g.d.at(p.w, p.lane))
	set, last, cols := p.lanesOf()
	if p.row != 0 && !(p.row == 16 && last == 111) {
		p.w.fault(p.lane, "%s: D begins at lane %d of tensor memory: expected 0%s", p.w.op(), p.row,
			map[bool]string{true: " or 16"}[last == 111])
		return false
	}
	set, ok := p.w.lanesAt(set, p.row, last, p.lane)
	for _, b := range p.blocks {
		p.op.regions = append(p.op.regions, tensorRegion{b, set, p.col, cols, true})
	}
	p.op.form = fmt.Sprint(p.m, p.n, p.row, p.col, p.ws)
	return ok
}

// matrixA finds the place of A.
func (p *tensorProduct) matrixA() bool {
	if !p.g.inTensor {
		var ok bool
		p.pa, ok = p.pieces("A", p.g.adesc, p.rows(), p.a, p.transA)
		for _, b := range p.blocks {
			p.op.shared = append(p.op.shared, inPieces(b, p.pa)...)
		}
		return ok
	}
	p.arow, p.acol = tensorAddress(p.g.atmem.at(p.w, p.lane))
	set, last, _ := p.lanesOf()
	switch {
	case p.a.holds == 0:
		p.w.fault(p.lane, "%s: in which bits of tensor memory 4-bit elements of A lie is not known here: run the kernel on a GPU", p.w.op())
	case p.transA:
		p.w.fault(p.lane, "%s: A in tensor memory cannot be transposed", p.w.op())
	case p.rows() < 128 && (p.ws || p.pair):
		p.w.fault(p.lane, "%s: how %d rows of A lie in tensor memory is not known here: run the kernel on a GPU", p.w.op(), p.rows())
	case p.arow != p.row:
		p.w.fault(p.lane, "%s: A begins at lane %d of tensor memory, and D at lane %d: expected the same", p.w.op(), p.arow, p.row)
	}
	if p.w.event == failed {
		return false
	}
	set, ok := p.w.lanesAt(set, p.arow, last, p.lane)
	for _, b := range p.blocks {
		p.op.regions = append(p.op.regions, tensorRegion{b, set, p.acol, 8, false})
	}
	return ok
}

// matrixB finds the place of B, of which each of two blocks has one half of the columns.
func (p *tensorProduct) matrixB() bool {
	if !p.zeroColumns() {
		return false
	}
	rows := p.n/len(p.blocks) + p.shift
	var ok bool
	p.pb, ok = p.pieces("B", p.g.bdesc, rows, p.b, p.transB)
	for _, b := range p.blocks {
		p.op.shared = append(p.op.shared, inPieces(b, p.pb)...)
	}
	return ok
}

// pieces reads the descriptor of a matrix in shared memory and gives the pieces of 16 bytes.
func (p *tensorProduct) pieces(name string, desc, rows int, e *tensorElement, trans bool) ([]uint32, bool) {
	o, err := newSharedMatrix(p.w.v[desc][p.lane])
	switch {
	case err != nil:
	case o.wide && !(trans && e.bits == 32), trans && e.bits == 32 && !o.wide:
		err = errWide
	}
	if err != nil {
		p.w.fault(p.lane, "%s: %s: %v", p.w.op(), name, err)
		return nil, false
	}
	return o.pieces(rows, p.k, e.per, trans), true
}

// collected follows what is in the collector buffers: a use must be of the matrix that was filled in.
func (p *tensorProduct) collected() bool {
	buffer, use, ok := strings.Cut(p.g.collector, "::")
	if !ok {
		buffer, use = map[bool]string{false: "a", true: "b0"}[p.ws], "discard"
	}
	kept := p.blocks[0].tensorMem().kept
	matrix := fmt.Sprintf("the descriptor 0x%016x", p.w.v[p.g.bdesc][p.lane])
	if buffer == "a" {
		matrix = fmt.Sprintf("the descriptor 0x%016x", p.w.v[p.g.adesc][p.lane])
		if p.g.inTensor {
			matrix = fmt.Sprintf("the matrix in tensor memory at 0x%08x", p.g.atmem.at(p.w, p.lane))
		}
	}
	if (use == "use" || use == "lastuse") && kept[buffer] != matrix {
		found := kept[buffer]
		if found == "" {
			found = "nothing"
		}
		p.w.fault(p.lane, "%s of %s, and the collector buffer has %s", p.w.op(), matrix, found)
		return false
	}
	switch use {
	case "fill":
		kept[buffer] = matrix
	case "lastuse", "discard":
		delete(kept, buffer)
	}
	return true
}
