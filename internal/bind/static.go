package bind

import (
	"reflect"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/tilec/compile"
)

// Static is what a program's text says about an argument, for checks before the program runs.
type Static struct {
	Text   string       // its type, for messages
	Tensor bool         // a tensor of Elem, whose rank is not known
	Elem   dtype.Type   // of a tensor
	Func   bool         // a function
	Type   reflect.Type // of a number or truth value: one with the same kind; nil for other values
	Const  any          // its value, where that is known
	Hidden string       // the field, not exported, that it is in the struct Text
	Name   string       // of the variable, where a tensor is one: two of a name are the same
}

// CheckStatic compares the arguments of a launch with a kernel's parameters, as [Call.Bind] will when the program runs, and
// gives the mistakes that are certain by number of argument; 0 stands for the launch. A nil argument may be anything.
func CheckStatic(params []compile.Param, types []string, args []*Static) map[int]string {
	c := Call{}
	for i := range params {
		if params[i].Kind != compile.None {
			c.slots = append(c.slots, slot{param: &params[i], index: i, number: len(c.slots) + 1})
		}
	}
	if len(args) != len(c.slots) {
		return map[int]string{0: c.countMistake(len(args), func(i int) string {
			if args[i] == nil {
				return ""
			}
			return args[i].Text
		}).Text}
	}
	wrong := map[int]string{}
	for i := range c.slots {
		if args[i] != nil && args[i].Hidden != "" {
			wrong[i+1] = hiddenText(&c.slots[i], args[i].Text, args[i].Hidden)
			continue
		}
		if got := misfit(c.slots[i].param, args[i]); got != "" {
			wrong[i+1] = expects(&c.slots[i], types[c.slots[i].index], got)
		}
	}
	c.sharedNames(args, wrong)
	return wrong
}

// sharedNames finds variables that are two arguments, of which one is written: what [Call.Overlaps] finds in memory.
func (c *Call) sharedNames(args []*Static, wrong map[int]string) {
	for i := range c.slots {
		for j := range c.slots[:i] {
			a, b := &c.slots[i], &c.slots[j]
			if args[i] == nil || args[j] == nil || args[i].Name == "" || args[i].Name != args[j].Name || wrong[i+1] != "" {
				continue
			}
			switch {
			case a.written(nil):
				wrong[i+1] = sharedText(a, b)
			case b.written(nil):
				wrong[i+1] = sharedText(b, a)
			}
		}
	}
}

// NeedsGrid says what is wrong with a launch without a grid of a kernel with these parameters: "" where nothing is.
func NeedsGrid(params []compile.Param) string {
	if slices.ContainsFunc(params, func(p compile.Param) bool { return p.Kind == compile.Out || p.Kind == compile.Persistent }) {
		return ""
	}
	return noGrid
}

// misfit says what was given instead of what a parameter takes; "" if the argument may fit.
func misfit(p *compile.Param, arg *Static) string {
	switch {
	case arg == nil:
		return ""
	case p.Kind == compile.Func:
		if arg.Func {
			return ""
		}
	case p.Kind == compile.Scalar:
		if arg.Type == nil || !Accepts(p.Elem, arg.Type, false) {
			break
		}
		if arg.Const == nil {
			return ""
		}
		_, problem := Number(p.Elem, reflect.ValueOf(arg.Const))
		return problem
	case arg.Tensor && arg.Elem == p.Elem:
		return ""
	}
	return arg.Text
}
