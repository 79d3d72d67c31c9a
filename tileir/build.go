package tileir

import "fmt"

// NewOp makes an operation and its results. Operands come in the groups of [Info.Operands]: one value each, none or one
// for an optional operand, any number for a variadic one; trailing empty groups may be omitted. Attributes are in the order of
// [Info.Attrs], nil if absent; trailing ones may be omitted, and [Attrs] sorts them by name. The operation keeps the slices.
// NewOp does not check types: see [Verify]. It panics if there are more groups or attributes than the table has.
func NewOp(in *Info, operands [][]*Value, attrs []Attr, results []Type, regions []*Block, loc Loc) *Op {
	if len(operands) > len(in.Operands) || len(attrs) > len(in.Attrs) {
		panic(fmt.Sprintf("BUG: tileir: %s takes %d operands and %d attributes, but got %d and %d", in.Mnemonic,
			len(in.Operands), len(in.Attrs), len(operands), len(attrs)))
	}
	o := &Op{Info: in, Regions: regions, Loc: loc, Attrs: attrs}
	if len(attrs) < len(in.Attrs) {
		o.Attrs = make([]Attr, len(in.Attrs))
		copy(o.Attrs, attrs)
	}
	o.setOperands(operands)
	o.setResults(results)
	return o
}

// setResults makes the results.
func (o *Op) setResults(types []Type) {
	if len(types) == 0 {
		return
	}
	vals := make([]Value, len(types))
	o.Results = make([]*Value, len(types))
	for i, t := range types {
		vals[i] = Value{Type: t, Def: o}
		o.Results[i] = &vals[i]
	}
}

// setOperands flattens the groups.
func (o *Op) setOperands(groups [][]*Value) {
	total, Single := 0, len(groups) == len(o.Info.Operands)
	for i, g := range groups {
		total += len(g)
		Single = Single && len(g) == 1 && o.Info.Operands[i].Single()
	}
	o.Operands = make([]*Value, 0, total)
	for _, g := range groups {
		o.Operands = append(o.Operands, g...)
	}
	if Single {
		return
	}
	o.Segments = make([]int, len(o.Info.Operands))
	for i, g := range groups {
		o.Segments[i] = len(g)
	}
}

// Single reports whether the operand always has exactly one value.
func (in *OperandInfo) Single() bool { return !in.Optional && !in.Variadic }

// NamedAttr is an attribute with its name.
type NamedAttr struct {
	Name  string
	Value Attr
}

// Attrs sorts named attributes into the order of the table, for [NewOp]. It panics if the operation has no attribute of a name.
func Attrs(in *Info, named ...NamedAttr) []Attr {
	out := make([]Attr, len(in.Attrs))
	for _, n := range named {
		i := in.AttrIndex(n.Name)
		if i < 0 {
			panic("BUG: tileir: " + in.Mnemonic + " has no attribute " + n.Name)
		}
		out[i] = n.Value
	}
	return out
}

// AttrIndex returns the index of the named attribute in [Info.Attrs], or -1 if there is none.
func (in *Info) AttrIndex(name string) int {
	for i := range in.Attrs {
		if in.Attrs[i].Name == name {
			return i
		}
	}
	return -1
}

// OperandIndex returns the index of the named operand in [Info.Operands], or -1 if there is none.
func (in *Info) OperandIndex(name string) int {
	for i := range in.Operands {
		if in.Operands[i].Name == name {
			return i
		}
	}
	return -1
}

// ResultIndex returns the index of the named result in [Info.Results], or -1 if there is none.
func (in *Info) ResultIndex(name string) int {
	for i := range in.Results {
		if in.Results[i].Name == name {
			return i
		}
	}
	return -1
}
