package words

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/internal/tilec/emit"
	"github.com/cutile-go/cutile/tileir"
)

// shared puts an operation into the prologue if its operands are known there, or gives res the
// values of the same operation that is there already. Kernels ask for the number of a block or the
// extents of a tensor again and again, and the assembler needs the question once.
func (c *call) shared(op *tileir.Op, res []*emit.Tile) bool {
	var key strings.Builder
	key.WriteString(op.Info.Mnemonic)
	for _, o := range op.Operands {
		// The operand is computed in the kernel's code, behind the prologue.
		if !c.Early[o] {
			return false
		}
		// Operations without attributes are the same if their operands are.
		fmt.Fprintf(&key, " %p", o)
	}
	old, ok := c.Memo[key.String()]
	if !ok {
		c.Memo[key.String()] = op.Results
		c.InBlock(c.Prologue, func() { c.Push(op) })
		return true
	}
	for i, r := range res {
		// The results that were made for this operation stand for those of the first one.
		r.V = old[i]
	}
	return true
}

// called gives the function of the language that the user's code called on the way here, for
// messages.
func (c *call) called() string {
	return c.Calls.Outermost(c.fn.Name())
}

// related checks what the table demands of the types of operands and results and Go's types cannot
// express.
func (c *call) related(name string, in *tileir.Info, t *tileir.Trait, groups [][]*emit.Tile, results []*emit.Tile) {
	rule, ok := relations[t.Name]
	if !ok {
		return
	}
	var a *emit.Tile
	for _, x := range rule.of(in, t, groups, results) {
		// Views and tokens have no shape to compare.
		if x == nil || x.Desc.Shape == nil {
			continue
		}
		if a == nil {
			a = x
			continue
		}
		if rule.shape && !slices.Equal(a.Desc.Shape, x.Desc.Shape) {
			e := c.Mistake(c.pos, "%s: the shapes %s and %s differ", name, describe.ShapeText(a.Desc.Shape), describe.ShapeText(x.Desc.Shape))
			e.OfTypes, e.SameShape = true, true
			panic(e)
		}
		if rule.elem && a.Desc.Elem.IR != x.Desc.Elem.IR {
			c.FailTypes(c.pos, "%s: the elements %s and %s differ", name, a.Desc.Elem.Type, x.Desc.Elem.Type)
		}
	}
}

// relation tells what the tiles that a rule names have in common: shape or element type. With
// operands or results it is about all of these.
type relation struct{ shape, elem, operands, results bool }

// relations lists the rules of the table that a mistake in a kernel can break.
var relations = map[string]relation{
	"same_type": {shape: true, elem: true}, "same_shape": {shape: true}, "same_element": {elem: true},
	"same_operands_shape":              {shape: true, operands: true},
	"same_operands_and_result_shape":   {shape: true, operands: true, results: true},
	"same_operands_and_result_element": {elem: true, operands: true, results: true},
}

// of lists the tiles that a rule is about.
func (r relation) of(in *tileir.Info, t *tileir.Trait, groups [][]*emit.Tile, results []*emit.Tile) (out []*emit.Tile) {
	if r.operands {
		out = slices.Concat(groups...)
	}
	if r.results {
		out = append(out, results...)
	}
	for _, arg := range t.Args {
		out = append(out, named(in, arg, groups, results))
	}
	return out
}

// named gives the operand or result with a name of the table, or nil if there is none.
func named(in *tileir.Info, name string, groups [][]*emit.Tile, results []*emit.Tile) *emit.Tile {
	if i := in.OperandIndex(name); i >= 0 && i < len(groups) && len(groups[i]) == 1 {
		return groups[i][0]
	}
	for i := range in.Results {
		if in.Results[i].Name == name && i < len(results) {
			return results[i]
		}
	}
	return nil
}

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
		ordered[i] = args[*at.Int]
	}
	before := c.Snapshot(len(c.Cells))
	outer := c.Combining
	// Assertions and the like are left out in there.
	c.Combining = true
	c.InBlock(blk, func() {
		var out []*emit.Tile
		for i, r := range c.Lang.Call(c.pos, f, ordered) {
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
