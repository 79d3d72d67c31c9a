package words

import (
	"github.com/cutile-go/cutile/tileir"
)

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
