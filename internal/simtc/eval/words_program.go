package eval

import (
	"go/constant"
	"go/token"

	"github.com/cutile-go/cutile/internal/simt"
)

const tokenADD = token.ADD

// programWords are the words for control, launches and printing.
var programWords = map[string]intrinsic{
	"launch": func(c *ctx) []value {
		k, ok := c.arg(0).(*bound)
		c.Must(ok, c.pos, "a launch outside of host code: only a host function that cute.Jit wraps launches kernels")
		return give(c.launch(k, c.args[1], c.pos))
	},
	"unroll":    func(c *ctx) []value { return give(&counted{number(0), c.arg(0), number(1), true, 1}) },
	"range":     (*ctx).countedRange,
	"constexpr": (*ctx).constExpr,
	"printf":    func(c *ctx) []value { c.printf(c.pos, c.text(0), c.rest(1)); return nil },
	"assert":    (*ctx).assert,
	"convert":   func(c *ctx) []value { return give(c.castTo()) },
}

// countedRange is cute.Range(from, to, step, unroll).
func (c *ctx) countedRange() []value {
	times := c.static(3, "the number of turns that are unrolled")
	c.Must(times >= 1, c.pos, "a loop is unrolled by 1 or more, not %d", times)
	return give(&counted{c.arg(0), c.arg(1), c.arg(2), c.opts.Straight, times})
}

func (c *ctx) constExpr() []value {
	_, ok := c.arg(0).(constant.Value)
	c.Must(ok, c.pos, "cute.ConstExpr: this depends on a dynamic value: leave ConstExpr out for a branch at run time, or pass the value as a cute.Constexpr")
	return give(c.arg(0))
}

// assert writes a device assertion. One that is known to fail is a mistake now.
func (c *ctx) assert() []value {
	if !c.opts.Asserts {
		return nil
	}
	text := c.text(1)
	if k, ok := c.arg(0).(constant.Value); ok {
		c.Must(constant.BoolVal(k) || c.cur.up != nil, c.pos, "the assertion fails: %s", text)
		if constant.BoolVal(k) {
			return nil
		}
	}
	c.b.Emit(simt.OpAssert, nil, c.inReg(c.arg(0), boolElem)).Text = text
	return nil
}

// castTo converts a number or vector to the elements of the first type argument.
func (c *ctx) castTo() value {
	to, _ := numbers(c.resultType(0))
	from, _ := numbers(c.paramType(0))
	one := func(v value) value {
		if isStatic(v) {
			return c.convertConst(v, from, to)
		}
		return c.convert(v, v.(*num).elem, to)
	}
	if v, ok := c.arg(0).(*vec); ok {
		return v.each(to, one)
	}
	return one(c.arg(0))
}
