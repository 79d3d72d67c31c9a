package words

import (
	"github.com/cutile-go/cutile/internal/tilec/emit"
	"github.com/cutile-go/cutile/tileir"
)

// taken checks that the table allows the elements of an operation's operands and results, which
// Go's types cannot express.
func (c *call) taken(in *tileir.Info, groups [][]*emit.Tile, results []*emit.Tile) {
	// A group holds the tiles of one operand, which may be variadic.
	for i, g := range groups {
		for _, x := range g {
			// Go's constraints name families of types, and the table may allow fewer.
			if e := x.Desc.Elem.IR; refuses(&in.Operands[i].Constraint, x) {
				c.FailTypes(c.pos, "%s does not take %s: convert first", in.Mnemonic, e.Name())
			}
		}
	}
	for i := range in.Results {
		// A variadic result has the types of its operands.
		if i < len(results) && !in.Results[i].Variadic && refuses(&in.Results[i].Constraint, results[i]) {
			c.FailTypes(c.pos, "%s does not give %s", in.Mnemonic, results[i].Desc.Elem.IR.Name())
		}
	}
}

// refuses reports whether a constraint excludes the elements of a tile.
func refuses(c *tileir.Constraint, x *emit.Tile) bool {
	return c.Kind == tileir.TileOnly && x.Desc.Shape != nil && !x.Desc.Pointer && c.Elems != 0 && c.Elems>>x.Desc.Elem.IR&1 == 0
}
