package emu

import (
	"slices"
	"strings"
)

// inBytes are elements of fewer than eight bits that have a byte each, as in .kind::f8f6f4: e2m1 in its middle, the others
// in its lowest bits.
var inBytes = map[string]*element{
	"e2m1": {8, 4, func(x uint64) float64 { return formats["e2m1"].value(x >> 2) }},
	"e2m3": {8, 4, formats["e2m3"].value},
	"e3m2": {8, 4, formats["e3m2"].value},
}

// scaling multiplies the elements of mma's sources with factors. Each row of A has so many factors, one for a block of columns,
// and so has each column of B. A factor is a byte of a register of one lane of four.
type scaling struct {
	value   func(x uint64) float64
	factors int
	a, b    factorsOf
}

// factorsOf is where the factors of a matrix are: the register, the byte of the first one, and the lane among four, or of A the
// pair of lanes.
type factorsOf struct{ reg, first, lane int }

// scaled takes the modifiers of mma that say how elements lie and are scaled: nil for no scaling.
func (d *decoder) scaled(kind string) *scaling {
	n := map[string]int{"mxf8f6f4": 1, "mxf4": 2}[kind]
	if vec := d.oneOf("scale_vec::1X", "scale_vec::2X", "scale_vec::4X"); vec != "" {
		n = int(vec[len("scale_vec::")] - '0')
	}
	if !d.has("block_scale") {
		return nil
	}
	name := d.oneOf("ue8m0", "ue4m3")
	if n == 0 || name == "" {
		d.fail("block_scale needs .scale_vec and the type of the factors")
		return nil
	}
	return &scaling{value: formats[name].value, factors: n, a: d.factors(4), b: d.factors(6)}
}

// factors takes the register of factors and what chooses among them.
func (d *decoder) factors(i int) factorsOf {
	chosen := d.srcs(i+1, 16)
	if len(chosen) != 2 {
		d.fail("a byte and a lane choose the factors, not %d numbers", len(chosen))
		return factorsOf{}
	}
	return factorsOf{d.src(i, 32), chosen[0], chosen[1]}
}

// choice gives what all lanes must agree in: the byte of the first factor and the lane.
func (s *scaling) choice(w *warp, f factorsOf, lanes int) (first, lane int, ok bool) {
	for l := range w.v[f.first] {
		if w.v[f.first][l] != w.v[f.first][0] || w.v[f.lane][l] != w.v[f.lane][0] {
			w.fault(l, "%s: the lanes choose different factors", w.op())
			return 0, 0, false
		}
	}
	first, lane = int(w.v[f.first][0]), int(w.v[f.lane][0])
	if first%s.factors != 0 || first > 3 || lane >= lanes {
		w.fault(0, "%s: there are no %d factors from byte %d of lane %d on", w.op(), s.factors, first, lane)
		return 0, 0, false
	}
	return first, lane, true
}

// apply multiplies the elements of A, by row, and of B, by column, with their factors.
func (s *scaling) apply(w *warp, a, b [][]float64) bool {
	firstA, laneA, okA := s.choice(w, s.a, 2)
	if !okA {
		return false
	}
	firstB, laneB, okB := s.choice(w, s.b, 4)
	if !okB {
		return false
	}
	for row := range a {
		s.multiply(a[row], w.v[s.a.reg][row%8*4+2*laneA+row/8], firstA)
	}
	for col := range b {
		s.multiply(b[col], w.v[s.b.reg][col*4+laneB], firstB)
	}
	return true
}

// multiply multiplies the blocks of a row or column with the bytes of a register.
func (s *scaling) multiply(x []float64, factors uint64, first int) {
	for block := range slices.Chunk(x, len(x)/s.factors) {
		f := s.value(cut(factors>>(8*first), 8))
		for i := range block {
			block[i] *= f
		}
		first++
	}
}

// elementIn takes the last modifier, which must be the type of a matrix's elements of a kind: nil if it is none.
func (d *decoder) elementIn(kind string) *element {
	n := len(d.mods)
	if n == 0 {
		return nil
	}
	e := elements[d.mods[n-1]]
	if inByte := inBytes[d.mods[n-1]]; strings.HasSuffix(kind, "f8f6f4") && inByte != nil {
		e = inByte
	}
	if e != nil {
		d.mods = d.mods[:n-1]
	}
	return e
}
