package emu

import (
	"math"
	"strconv"
	"strings"
)

// mma decodes mma.sync: D = A*B+C of small matrices that are spread over the lanes of a warp.
//
// Lane 4g+t has of A in register r the elements of row g, for odd r of row g+8 (where A has 16 rows), and of the columns
// from t*p on in the (r/2)-th block of 4p columns, p being the elements of a register; of B the elements of column g and
// of the rows t*p and after in the r-th block of 4p rows; of C and D the elements 2t and 2t+1 of row g, then of g+8.
func mma(d *decoder) exec {
	shape := d.prefixed("m")
	k, okShape := mmaShape(shape)
	kind := strings.TrimPrefix(d.prefixed("kind::"), "kind::")
	k.scale = d.scaled(kind)
	tc := d.typ()
	k.b, k.a = d.elementIn(kind), d.elementIn(kind)
	td := d.typ()
	if !okShape || !d.has("sync") || !d.has("aligned") || !d.has("row") || !d.has("col") || tc.name != td.name {
		return nil
	}
	k.c = tc
	k.finite = d.has("satfinite")
	dst, a, b, c := d.dsts(0), d.srcs(1, 64), d.srcs(2, 64), d.srcs(3, 64)
	if k.a == nil || k.b == nil || len(a)*k.a.per*lanes != k.m*k.k || len(b)*k.b.per*lanes != 8*k.k || len(c) != len(dst) {
		return nil
	}
	return func(w *warp, m uint32) {
		if _, ok := w.gather(m, full); ok {
			k.do(w, dst, a, b, c)
		}
	}
}

// multiplication is a form of mma.
type multiplication struct {
	m, k   int
	a, b   *element
	c      typ
	finite bool
	scale  *scaling // nil for none
}

func mmaShape(s string) (k multiplication, ok bool) {
	mText, rest, _ := strings.Cut(strings.TrimPrefix(s, "m"), "n8k")
	var err1, err2 error
	k.m, err1 = strconv.Atoi(mText)
	k.k, err2 = strconv.Atoi(rest)
	return k, err1 == nil && err2 == nil && (k.m == 8 || k.m == 16)
}

// element says how the elements of a matrix lie in registers.
type element struct {
	bits  int
	per   int // in one register
	value func(x uint64) float64
}

var elements = map[string]*element{
	"f16":  {16, 2, func(x uint64) float64 { return float64(half32(x)) }},
	"bf16": {16, 2, func(x uint64) float64 { return float64(f32(x << 16)) }},
	"tf32": {32, 1, func(x uint64) float64 { return float64(f32(x &^ 0x1fff)) }},
	"s8":   {8, 4, func(x uint64) float64 { return float64(int8(x)) }},
	"u8":   {8, 4, func(x uint64) float64 { return float64(uint8(x)) }},
	"s4":   {4, 8, func(x uint64) float64 { return float64(signed(x, 4)) }},
	"u4":   {4, 8, func(x uint64) float64 { return float64(cut(x, 4)) }},
	"e4m3": {8, 4, formats["e4m3"].value},
	"e5m2": {8, 4, formats["e5m2"].value},
	"e2m1": {4, 8, formats["e2m1"].value},
	"f64":  {64, 1, f64},
}

const maxK = 64

// do multiplies. Integers are exact in float64: at most 64 products of 8 bits each.
func (k *multiplication) do(w *warp, dst, a, b, c []int) {
	var ma [16][maxK]float64 // by row
	var mb [8][maxK]float64  // by column
	for l := range lanes {
		g, t := l/4, l%4
		for r, reg := range a {
			row, block := g, r
			if k.m == 16 {
				row, block = g+8*(r&1), r/2
			}
			k.a.spread(w.v[reg][l], ma[row][(4*block+t)*k.a.per:])
		}
		for r, reg := range b {
			k.b.spread(w.v[reg][l], mb[g][(4*r+t)*k.b.per:])
		}
	}
	if k.scale != nil {
		var rows, columns [][]float64
		for i := range k.m {
			rows = append(rows, ma[i][:k.k])
		}
		for i := range mb {
			columns = append(columns, mb[i][:k.k])
		}
		if !k.scale.apply(w, rows, columns) {
			return
		}
	}
	for l := range lanes {
		g, t := l/4, l%4
		put := newAccumulator(k.c, k.finite, dst, c, w, l)
		for i := range k.m / 4 { // results of a lane
			row, col := g+i/2*8, 2*t+i%2
			put.add(i, ma[row][:k.k], mb[col][:k.k])
		}
		put.flush()
	}
}

// spread writes the elements of a register one after another.
func (e *element) spread(x uint64, to []float64) {
	for i := range e.per {
		to[i] = e.value(cut(x>>(i*e.bits), e.bits))
	}
}

// accumulator reads and writes the elements of C and D of a lane.
type accumulator struct {
	t      typ
	finite bool
	w      *warp
	lane   int
	dst, c []int
	out    [4]uint64
	n      int
}

func newAccumulator(t typ, finite bool, dst, c []int, w *warp, lane int) accumulator {
	return accumulator{t: t, finite: finite, w: w, lane: lane, dst: dst, c: c}
}

// add computes element i.
func (p *accumulator) add(i int, a, b []float64) {
	v := p.w.v
	switch p.n = i + 1; p.t.name {
	case "f64":
		sum := f64(v[p.c[i]][p.lane])
		for k := range a {
			sum = math.FMA(a[k], b[k], sum)
		}
		p.out[i] = bits64(sum)
	case "f32":
		p.out[i] = bits32(float32(dotProduct(float64(f32(v[p.c[i]][p.lane])), a, b)))
	case "f16":
		old := float64(half32(v[p.c[i/2]][p.lane] >> (i % 2 * 16) & 0xffff))
		p.out[i] = fmt16.round(dotProduct(old, a, b), nearest, false)
	default:
		sum := int64(dotProduct(float64(int32(v[p.c[i]][p.lane])), a, b))
		if p.finite {
			p.out[i] = saturate32(sum)
		} else {
			p.out[i] = cut(uint64(sum), 32)
		}
	}
}

// flush writes the results: C may be in the same registers.
func (p *accumulator) flush() {
	for i := range p.n {
		if p.t.name != "f16" {
			p.w.v[p.dst[i]][p.lane] = p.out[i]
		} else if i%2 == 0 {
			p.w.v[p.dst[i/2]][p.lane] = p.out[i] | p.out[i+1]<<16
		}
	}
}

// dotProduct adds products in float64: those of at most 16 bits are exact.
func dotProduct(sum float64, a, b []float64) float64 {
	b = b[:len(a)]
	for k := range a {
		sum += a[k] * b[k]
	}
	return sum
}
