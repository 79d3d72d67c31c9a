package words

import (
	"go/constant"

	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// requireEqual records two numbers that must be equal at a launch. If both are known, it compares
// them now.
func (c *call) requireEqual() emit.Value {
	a, b := c.launchNumber(0), c.launchNumber(1)
	if a.Value == nil && b.Value == nil {
		// The types of this instance make it wrong for every launch.
		if a.Const != b.Const {
			c.FailTypes(c.pos, "%d and %d must be the same", a.Const, b.Const)
		}
		return nil
	}
	// The launch checks before the kernel runs, and cannot know whether a branch would be taken.
	c.Must(c.Block == c.Top || c.Block == c.Prologue, c.pos, "a launch cannot check what depends on a branch or loop of the kernel: require it outside of them")
	c.Equals = append(c.Equals, emit.Equal{A: a, B: b, Loc: c.Loc()})
	return nil
}

// launchNumber gives an integer argument, known or not.
func (c *call) launchNumber(i int) emit.Number {
	switch v := c.args[i].(type) {
	case constant.Value:
		if n, ok := constant.Int64Val(constant.ToInt(v)); ok {
			return emit.Number{Const: n}
		}
	case *emit.Tile:
		// The launch computes the value from its arguments, as the kernel would.
		return emit.Number{Value: v.V}
	case emit.Poison:
		panic(emit.Bailout{})
	}
	c.unanswerable()
	return emit.Number{}
}
