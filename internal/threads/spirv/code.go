package spirv

import "github.com/cutile-go/cutile/internal/spirv"

// code is what the writer writes instructions by. Where the device has no integers of 64 bits, those are pairs: vectors of two words, the
// lower one first. Variables, functions, phis, loads and stores take them as they are, bit casts make floats and pointers of them, and
// pairOps has what computes with them.
type code struct {
	*spirv.Builder
	pairs  bool
	wide   spirv.ID            // the type of integers of 64 bits where they are pairs
	divide spirv.ID            // the function that divides pairs; 0 for none
	parts  map[spirv.ID]pair   // the words of pairs that are made of words
	known  map[spirv.ID]uint32 // constants of one word
}

// pair is the words of an integer of 64 bits.
type pair struct{ lo, hi spirv.ID }

func newCode(b *spirv.Builder, pairs bool) *code {
	c := &code{Builder: b, pairs: pairs, parts: map[spirv.ID]pair{}, known: map[spirv.ID]uint32{}}
	if pairs {
		c.wide = b.Vector(b.Uint(32), 2)
	}
	return c
}

// isPair reports whether a type is that of pairs. Vectors that are read from memory have it, too, but nobody computes with them.
func (c *code) isPair(t spirv.ID) bool { return c.pairs && t == c.wide }

// Uint is the type of integers of a width.
func (c *code) Uint(width int) spirv.ID {
	if width == 64 && c.pairs {
		return c.wide
	}
	return c.Builder.Uint(width)
}

// Const is a constant of a type.
func (c *code) Const(t spirv.ID, bits uint64) spirv.ID {
	if !c.isPair(t) {
		id := c.Builder.Const(t, bits)
		if c.pairs && t == c.Builder.Uint(32) {
			c.known[id] = uint32(bits)
		}
		return id
	}
	p := pair{c.word(uint32(bits)), c.word(uint32(bits >> 32))}
	id := c.ConstComposite(t, p.lo, p.hi)
	c.parts[id] = p
	return id
}

// Op adds an instruction with a result of a type, whose operands are all values.
func (c *code) Op(op spirv.Op, t spirv.ID, x ...spirv.ID) spirv.ID {
	if !c.pairs || !c.isPair(t) && !c.isPair(c.TypeOf(x[0])) || op == spirv.OpBitcast {
		return c.Builder.Op(op, t, x...)
	}
	f := pairOps[op]
	if f == nil { // as an operation on vectors it would compute something else
		panic("BUG: threads: pairs of words have no " + op.String())
	}
	return f(c, op, t, x)
}

// Unary adds an operation whose result has its operand's type.
func (c *code) Unary(op spirv.Op, x spirv.ID) spirv.ID { return c.Op(op, c.TypeOf(x), x) }

// Binary adds an operation whose result has its first operand's type.
func (c *code) Binary(op spirv.Op, x, y spirv.ID) spirv.ID { return c.Op(op, c.TypeOf(x), x, y) }

// Compare adds a comparison of scalars.
func (c *code) Compare(op spirv.Op, x ...spirv.ID) spirv.ID { return c.Op(op, c.Bool(), x...) }

// Convert adds a conversion to a type; where the type is the operand's it is the operand.
func (c *code) Convert(op spirv.Op, t, x spirv.ID) spirv.ID {
	if c.TypeOf(x) == t {
		return x
	}
	return c.Op(op, t, x)
}

// Select gives x where cond is true, and y elsewhere.
func (c *code) Select(cond, x, y spirv.ID) spirv.ID {
	return c.Op(spirv.OpSelect, c.TypeOf(x), cond, x, y)
}

// product is the product of two integers of the same width, as two of them.
func (c *code) product(x, y spirv.ID) (lo, hi spirv.ID) {
	if c.isPair(c.TypeOf(x)) {
		return c.pairProduct(x, y)
	}
	t := c.TypeOf(x)
	p := c.Op(spirv.OpUMulExtended, c.Struct(t, t), x, y)
	hi = c.Extract(p, 1)
	return c.Extract(p, 0), hi
}

// high is the upper half of the product.
func (c *code) high(x, y spirv.ID) spirv.ID {
	if c.isPair(c.TypeOf(x)) {
		_, hi := c.pairProduct(x, y)
		return hi
	}
	t := c.TypeOf(x)
	return c.Extract(c.Op(spirv.OpUMulExtended, c.Struct(t, t), x, y), 1)
}

// loadVector reads n neighbours of a type at once.
func (c *code) loadVector(t spirv.ID, n int, at spirv.ID, align int) []spirv.ID {
	elem, count := t, n
	if c.isPair(t) {
		elem, count = c.Uint(32), 2*n
	}
	all := c.LoadAt(c.Vector(elem, count), at, align)
	out := make([]spirv.ID, n)
	for i := range out {
		if c.isPair(t) {
			out[i] = c.join(c.Extract(all, 2*i), c.Extract(all, 2*i+1))
		} else {
			out[i] = c.Extract(all, i)
		}
	}
	return out
}

// storeVector writes neighbours at once.
func (c *code) storeVector(at spirv.ID, x []spirv.ID, align int) {
	t, parts := c.TypeOf(x[0]), x
	if c.isPair(t) {
		t, parts = c.Uint(32), nil
		for _, v := range x {
			p := c.split(v)
			parts = append(parts, p.lo, p.hi)
		}
	}
	c.StoreAt(at, c.Composite(c.Vector(t, len(parts)), parts...), align)
}
