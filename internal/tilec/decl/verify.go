package decl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/tileir"
)

// Verify compares an operation's declaration with the table and with the parameters of the Go function.
func (d *Directive) Verify(params []string) error {
	if d.Word != Op {
		return nil
	}
	in := d.Info
	if len(d.Operands) > len(in.Operands) {
		return fmt.Errorf("%s has %d operands, not %d", in.Mnemonic, len(in.Operands), len(d.Operands))
	}
	for i := len(d.Operands); i < len(in.Operands); i++ {
		if o := &in.Operands[i]; !o.Optional && !o.Variadic {
			return fmt.Errorf("%s needs operand %s", in.Mnemonic, o.Name)
		}
	}
	for _, o := range d.Operands {
		if err := operand(o, params); err != nil {
			return err
		}
	}
	if d.Attrs != nil {
		for i, k := range d.Attrs.Keys {
			at := in.AttrIndex(k)
			if at < 0 {
				return fmt.Errorf("%s has no attribute %s; it has %s", in.Mnemonic, k, attrNames(in))
			}
			if err := enumText(&in.Attrs[at], d.Attrs.Args[i], params); err != nil {
				return err
			}
		}
	}
	for i := range in.Attrs {
		a := &in.Attrs[i]
		if !a.HasDefault && !a.Optional && a.Coding != tileir.UnitAttr && a.Coding != tileir.BoolArrayAttr && d.Attrs.Field(a.Name) == nil {
			return fmt.Errorf("%s needs attribute %s", in.Mnemonic, a.Name)
		}
	}
	if len(d.Regions) != len(in.Regions) {
		return fmt.Errorf("%s has %d regions, not %d", in.Mnemonic, len(in.Regions), len(d.Regions))
	}
	return nil
}

// operand checks that the words of an operand are parameters.
func operand(e *Expr, params []string) error {
	if e.Name == "[" || e.Call && e.Name == "dynamic" {
		for _, a := range e.Args {
			if err := operand(a, params); err != nil {
				return err
			}
		}
		return nil
	}
	head, _, _ := strings.Cut(e.Name, ".")
	if head != "_" && !slices.Contains(params, head) {
		return fmt.Errorf("operand %q is not a parameter", e.Name)
	}
	return nil
}

// enumText refuses a parameter that has the name of the enumeration's text: one would hide the other.
func enumText(a *tileir.AttrInfo, e *Expr, params []string) error {
	if a.Enum == nil || e.Name == "" || e.Call {
		return nil
	}
	isText := slices.ContainsFunc(a.Enum.Values, func(v tileir.EnumValue) bool { return v.Text == e.Name })
	isParam := slices.Contains(params, strings.SplitN(e.Name, ".", 2)[0])
	switch {
	case isText && isParam:
		return fmt.Errorf("parameter %s hides the value %s of %s: rename the parameter", e.Name, e.Name, a.Enum.Name)
	case !isText && !isParam:
		return fmt.Errorf("%s is neither a parameter nor a value of %s", e.Name, a.Enum.Name)
	}
	return nil
}

func attrNames(in *tileir.Info) string {
	if len(in.Attrs) == 0 {
		return "none"
	}
	var names []string
	for i := range in.Attrs {
		names = append(names, in.Attrs[i].Name)
	}
	return strings.Join(names, ", ")
}
