package words

import (
	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/internal/tilec/emit"
	"github.com/cutile-go/cutile/tileir"
)

// combiner lowers a function among the arguments into a region, which computes on single elements.
// Tile IR repeats the region in an order that it does not tell, so the function must do nothing but
// combine its arguments.
func (c *call) combiner(e *decl.Expr) *tileir.Block {
	v, _ := c.get(e.Name)
	f, ok := v.(emit.Function)
	if !ok {
		c.FailTypes(c.pos, "%s of %s must be a function", e.Name, c.fn.Name())
	}
	_, params := f.Params()
	blk := &tileir.Block{}
	args := make([]*emit.Tile, len(params))
	// The directive tells which block argument each parameter is.
	for i, at := range e.Args {
		// The parameters of the function are single elements.
		args[*at.Int] = c.NewTile(params[i])
	}
	for _, a := range args {
		blk.Args = append(blk.Args, a.V)
	}
	ordered := make([]emit.Value, len(params))
	for i, at := range e.Args {
		// The function gets its arguments in the order of its parameters, and the region in that of
		// Tile IR.
		ordered[i] = args[*at.Int]
	}
	// The cells tell whether the function changes a variable around it.
	before := c.Snapshot(len(c.Cells))
	outer := c.Combining
	// Assertions and the like are left out in there.
	c.Combining = true
	c.InBlock(blk, func() {
		var out []*emit.Tile
		for i, r := range c.Lang.Call(c.pos, f, ordered) {
			// Each result has the type of the pair of arguments that it combines.
			out = append(out, c.As(c.pos, r, args[2*i].Type))
		}
		c.Terminate("yield", out)
	})
	c.Combining = outer
	c.straight(blk)
	for i := range before {
		// A variable would change in an order that nobody knows.
		if !(emit.Same(c.Cells[i].V, before[i])) {
			c.FailTypes(c.pos, "the function changes %s: it must only combine its arguments", c.Cells[i].Name)
		}
	}
	return blk
}

// straight checks that a function that combines elements can do without branches, which its region
// cannot have in Tile IR. A pass computes both sides of each branch and selects a result, which is
// the same as long as neither side can end the kernel.
func (c *call) straight(b *tileir.Block) {
	b.Walk(func(o *tileir.Op, around []*tileir.Op) bool {
		// Its operations are checked, as Walk goes into the blocks of an if.
		if o.Info == tileir.Lookup("if") {
			return true
		}
		c.Must(o.Info.Pure || o.Info.Terminator, c.pos, "the function touches memory or loops: it must only combine its arguments")
		c.Must(!o.Info.Terminator || o.Info == tileir.Lookup("yield"), c.pos, "the function leaves a branch in a way that a function of elements cannot: set a variable and return it at the end")
		// Computing both sides would end the kernel although Go would not run that side.
		c.Must(len(around) == 0 || !c.Traps[o], c.pos, "a branch of the function has %s, which may end the kernel: both branches are computed, so move it out of them", o.Info.Mnemonic)
		return false
	})
}
