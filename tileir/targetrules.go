package tileir

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/names"
)

// targetRules are what the assembler cannot compile for any architecture, though the language has it: it fails without
// saying why. They run on valid modules and say what is wrong, "" for nothing.
var targetRules = [len(byOpcode)]func(*Op) string{OpLoadViewTko: loadFault}

// names checks what belongs to no operation.
func (c *targetChecker) names() {
	for _, g := range c.m.Globals {
		more := ""
		if g.Private {
			more = ".-" // replaced where nobody else sees the name
		}
		c.about = g
		if what := symbolFault(g.Name, more); what != "" {
			c.fail(nil, nil, "global %s: %s", names.Symbol(g.Name), what)
		}
	}
	c.about = nil
	public := false
	for _, e := range c.m.Entries {
		c.entry = e
		if public = public || !e.Private; e.Private {
			continue // makes no code
		}
		if what := symbolFault(e.Name, ""); what != "" {
			c.fail(nil, nil, "%s", what)
		}
	}
	if c.entry = nil; len(c.m.Globals) > 0 && !public {
		c.about = c.m.Globals[0]
		defer func() { c.about = nil }()
		c.fail(nil, nil, "the module has globals, but no entry that is not private: the assembler cannot compile it")
	}
}

// viewPadding is the padding of any view.
func viewPadding(v ViewType) Padding {
	switch v := v.(type) {
	case *PartitionViewType:
		return v.Padding
	case *StridedViewType:
		return v.Padding
	case *GatherScatterViewType:
		return v.Padding
	}
	return NoPadding
}

// loadFault checks the padding of a view that is loaded from.
func loadFault(o *Op) string {
	view := o.Operand("view").Type.(ViewType)
	pad, e := viewPadding(view), view.TensorView().Elem
	in, _ := o.Attr("inbounds").(Bools)
	_, gathers := view.(*GatherScatterViewType)
	switch f := e.format(); {
	case pad == NoPadding:
	case pad == PadNaN && !f.HasNaN(), (pad == PadPosInf || pad == PadNegInf) && !f.Inf, pad == PadNegZero && f.Unsigned:
		return fmt.Sprintf("operand view: padding %v: %v has no such value", pad, e)
	case slices.Contains(in, true) && !gathers:
		return "attribute inbounds: a load that is promised to lie inside needs a view without padding"
	}
	return ""
}
