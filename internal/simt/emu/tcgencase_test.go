package emu_test

import (
	"math/rand/v2"
	"strings"
)

// tensorMmaCase is one multiplication.
type tensorMmaCase struct {
	op        string
	kind      string
	ws        bool
	blocks    int
	vec       int // scale factors of a row
	m, n      int
	d         string
	a, b      tensorType
	la, lb    sharedLayout
	inTensor  bool // A
	negate    uint32
	add       bool
	divide    int
	disable   []uint32
	saturate  bool
	exponents bool // of scale factors
	idA, idB  int
	inAddress bool   // these stand in the addresses of the scale factors, too
	row       int    // of D: 16 where M is 64
	prefill   string // a form that fills the collector buffer before
	zeros     uint64 // the descriptor of columns that are zeros
	shift     int
	zero      func(col int) bool
}

// newTensorMma makes the n-th variant of a form.
func newTensorMma(op string, n int) *tensorMmaCase {
	rng := rand.New(rand.NewPCG(uint64(n), 5))
	c := &tensorMmaCase{op: op, ws: strings.Contains(op, ".ws."), blocks: 1, d: "f32", add: rng.IntN(3) > 0, n: 16 * (1 + rng.IntN(3))}
	for _, w := range strings.Split(op, ".") {
		switch {
		case w == "cta_group::2":
			c.blocks = 2
		case strings.HasPrefix(w, "kind::"):
			c.kind = strings.TrimPrefix(w, "kind::")
		}
	}
	types := tensorKinds[c.kind]
	c.a, c.b = types[rng.IntN(len(types))], types[rng.IntN(len(types))]
	c.m = []int{64, 128}[rng.IntN(2)] * c.blocks
	switch {
	case c.ws:
		c.m, c.n = []int{32, 64, 128}[rng.IntN(3)], 64
	case strings.Contains(op, "block_scale"):
		c.scaled(rng)
	}
	if c.blocks == 2 {
		c.n = 32 * (1 + rng.IntN(2))
	}
	if strings.Contains(op, "use") {
		c.prefill = strings.NewReplacer("::lastuse", "::fill", "::use", "::fill").Replace(op)
	}
	c.inTensor = rng.IntN(3) == 0 && !(c.a.bits == 4 && c.a.per == 16) && c.m/c.blocks == 128
	if c.m == 64 && !c.ws && c.blocks == 1 && rng.IntN(2) == 0 {
		c.row = 16
		c.inTensor = rng.IntN(2) == 0 && c.a.bits != 4
	}
	c.la, c.lb = c.layout(rng, c.a, c.inTensor), c.layout(rng, c.b, false)
	c.options(rng)
	return c
}

// scaled chooses scale factors.
func (c *tensorMmaCase) scaled(rng *rand.Rand) {
	c.vec = map[string]int{"mxf8f6f4": 1, "mxf4": 2, "mxf4nvf4": 2}[c.kind]
	if strings.Contains(c.op, "4X") || strings.Contains(c.op, "block16") {
		c.vec = 4
	}
	c.m = 128 * (1 + rng.IntN(c.blocks))
	c.exponents = c.vec < 4 || rng.IntN(2) == 0
	c.idA, c.idB, c.inAddress = rng.IntN(4)/c.vec*c.vec, rng.IntN(4)/c.vec*c.vec, rng.IntN(2) == 0
}

// layout chooses a layout that the type can have.
func (c *tensorMmaCase) layout(rng *rand.Rand, y tensorType, inTensor bool) sharedLayout {
	for {
		l := sharedLayouts[rng.IntN(len(sharedLayouts))]
		if l.across && (y.bits < 8 || inTensor) || l.across && (y.bits == 32) != (l.kind == 1) {
			continue
		}
		return l
	}
}

// options chooses what some forms have.
func (c *tensorMmaCase) options(rng *rand.Rand) {
	if c.kind != "i8" {
		c.negate = uint32(rng.IntN(4))
	} else {
		c.d, c.saturate = "s32", rng.IntN(2) == 0
	}
	if (c.kind == "f16" && c.a.name == "f16" && c.b.name == "f16" || c.kind == "f8f6f4") && rng.IntN(2) == 0 {
		c.d = "f16"
	}
	if c.ws || c.vec > 0 {
		return
	}
	if rng.IntN(3) == 0 {
		for range 4 * c.blocks {
			c.disable = append(c.disable, rng.Uint32())
		}
	}
	if (c.kind == "f16" || c.kind == "tf32") && rng.IntN(3) == 0 {
		c.divide = 1 + rng.IntN(3)
	}
}

// idesc is the instruction descriptor.
func (c *tensorMmaCase) idesc() uint32 {
	x := c.a.number<<7 | c.b.number<<10 | c.negate<<13 | uint32(c.n)<<14 | uint32(c.m)<<20
	if c.la.across && !c.inTensor {
		x |= 1 << 15
	}
	if c.lb.across {
		x |= 1 << 16
	}
	if c.vec > 0 {
		x |= uint32(c.idA)<<29 | uint32(c.idB)<<4
		if c.exponents {
			x |= 1 << 23
		}
		return x
	}
	if c.saturate {
		x |= 1 << 3
	}
	if c.shift > 0 {
		x |= 3 << 30
	}
	return x | map[string]uint32{"f16": 0, "f32": 1, "s32": 2}[c.d]<<4
}
