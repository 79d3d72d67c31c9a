package words

import (
	"go/constant"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// programWords lists the words for control flow, launches and printing.
var programWords = map[string]intrinsic{
	"launch": func(c *call) []emit.Value {
		k, ok := c.arg(0).(*emit.Bound)
		c.Must(ok, c.pos, "this launches no kernel: a host function that cute.Jit wraps calls a kernel and launches it")
		// The emitter evaluates the kernel.
		return give(c.Launch(k, c.args[1], c.pos))
	},
	"unroll": func(c *call) []emit.Value {
		return give(&emit.Counted{From: emit.Number(0), To: c.arg(0), Step: emit.Number(1), Unrolled: true, Times: 1})
	},
	"range":     (*call).countedRange,
	"constexpr": (*call).constExpr,
	"printf":    func(c *call) []emit.Value { c.Printf(c.pos, c.text(0), c.rest(1)); return nil },
	"assert":    (*call).assert,
	"cooperative": func(c *call) []emit.Value {
		c.Must(c.Fn.Cooperative, c.pos, "all blocks wait here for each other, so all must run at once: set Cooperative in the cute.Launch of this kernel")
		return nil
	},
	"gridpoll": func(c *call) []emit.Value {
		v := c.atomic("add", c.text(0), 1, 3, c.arg(2))
		c.B.Body[len(c.B.Body)-1].Polls = true
		return give(v)
	},
	"convert": func(c *call) []emit.Value { return give(c.castTo()) },
}

// countedRange is cute.Range(from, to, step, unroll).
func (c *call) countedRange() []emit.Value {
	times := c.static(3, "the number of turns that are unrolled")
	// A loop in which nothing is unrolled does one turn at once.
	c.Must(times >= 1, c.pos, "the number of turns that are unrolled must be at least 1, not %d", times)
	return give(&emit.Counted{From: c.arg(0), To: c.arg(1), Step: c.arg(2), Unrolled: c.Opts.Straight, Times: times})
}

// constExpr gives its argument, which must be static. It is for conditions whose branches must not
// both be compiled.
func (c *call) constExpr() []emit.Value {
	_, ok := c.arg(0).(constant.Value)
	c.Must(ok, c.pos, "cute.ConstExpr: this depends on a dynamic value: leave ConstExpr out for a branch at run time, or pass the value as a cute.Constexpr")
	return give(c.arg(0))
}

// assert writes a device assertion. An assertion that is known to fail is a mistake now, unless the
// code may not run at all.
func (c *call) assert() []emit.Value {
	// Assertions cost time, so a program asks for them.
	if !c.Opts.Asserts {
		return nil
	}
	text := c.text(1)
	if k, ok := c.arg(0).(constant.Value); ok {
		// At the top level of the kernel every thread reaches the assertion.
		c.Must(constant.BoolVal(k) || c.Cur.Up != nil, c.pos, "the assertion fails: %s", text)
		if constant.BoolVal(k) {
			return nil
		}
	}
	c.B.Emit(simt.OpAssert, nil, c.InReg(c.arg(0), emit.Bool)).Text = text
	return nil
}

// castTo converts a number or a vector to the elements of the first type argument.
func (c *call) castTo() emit.Value {
	to, _ := emit.Numbers(c.resultType(0))
	from, _ := emit.Numbers(c.paramType(0))
	one := func(v emit.Value) emit.Value {
		if emit.IsStatic(v) {
			return c.ConvertConst(v, from, to)
		}
		return c.Convert(v, v.(*emit.Num).Elem, to)
	}
	if v, ok := c.arg(0).(*emit.Vec); ok {
		return v.Each(to, one)
	}
	return one(c.arg(0))
}
