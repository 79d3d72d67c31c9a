package words

import (
	"slices"

	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/internal/tilec/emit"
	"github.com/cutile-go/cutile/tileir"
)

// related checks what the table demands of the types of operands and results and Go's types cannot
// express.
func (c *call) related(name string, in *tileir.Info, t *tileir.Trait, groups [][]*emit.Tile, results []*emit.Tile) {
	// A rule that Go's types enforce is not in the list.
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
	// Rules name operands and results alike.
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
