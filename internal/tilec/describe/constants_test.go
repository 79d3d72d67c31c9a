package describe_test

import (
	"go/constant"
	"go/types"

	"github.com/cutile-go/cutile/internal/front/world"
)

type constName struct{ name, typ string }

// constants gives the integer constants of a package with the names of their types.
func constants(p *world.Pkg) map[constName]int64 {
	out := map[constName]int64{}
	for _, name := range p.Types.Scope().Names() {
		c, ok := p.Types.Scope().Lookup(name).(*types.Const)
		if !ok {
			continue
		}
		n, ok := c.Type().(*types.Named)
		if !ok {
			continue
		}
		if v, exact := constant.Int64Val(c.Val()); exact {
			out[constName{name, n.Obj().Name()}] = v
		}
	}
	return out
}
