package lower

import (
	"go/constant"
)

// requireEqual notes what must be equal at a launch, and decides it where it is known.
func (c *call) requireEqual() value {
	a, b := c.launchNumber(0), c.launchNumber(1)
	if a.Value == nil && b.Value == nil {
		if a.Const != b.Const {
			c.failTypes(c.pos, "%d and %d must be the same", a.Const, b.Const)
		}
		return nil
	}
	c.Must(c.blk == c.top || c.blk == c.pro, c.pos, "what a launch must hold cannot depend on a branch or loop of the kernel: require it outside of them")
	c.equals = append(c.equals, Equal{a, b, c.loc()})
	return nil
}

// launchNumber is an integer argument.
func (c *call) launchNumber(i int) Number {
	switch v := c.args[i].(type) {
	case constant.Value:
		if n, ok := constant.Int64Val(constant.ToInt(v)); ok {
			return Number{Const: n}
		}
	case *tile:
		return Number{Value: v.v}
	case poison:
		panic(bailout{})
	}
	c.unanswerable()
	return Number{}
}
