package lower

import (
	"github.com/cutile-go/cutile/tileir"
)

// taken checks that the table allows the elements of an operation's operands and results, which Go's types cannot say.
func (c *call) taken(in *tileir.Info, groups [][]*tile, results []*tile) {
	for i, g := range groups {
		for _, x := range g {
			if e := x.desc.Elem.IR; refuses(&in.Operands[i].Constraint, x) {
				c.failTypes(c.pos, "%s does not take %s: convert first", in.Mnemonic, e.Name())
			}
		}
	}
	for i := range in.Results {
		if i < len(results) && !in.Results[i].Variadic && refuses(&in.Results[i].Constraint, results[i]) {
			c.failTypes(c.pos, "%s does not give %s", in.Mnemonic, results[i].desc.Elem.IR.Name())
		}
	}
}

// refuses reports whether a constraint excludes the elements of a tile.
func refuses(c *tileir.Constraint, x *tile) bool {
	return c.Kind == tileir.TileOnly && x.desc.Shape != nil && !x.desc.Pointer && c.Elems != 0 && c.Elems>>x.desc.Elem.IR&1 == 0
}
