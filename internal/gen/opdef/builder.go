package opdef

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// GenerateBuilder gives the content of tileir/builder_gen.go: a method of the builder for each operation of a body.
func GenerateBuilder() ([]byte, error) { return generate(facts, (*generator).methods) }

func (g *generator) methods() {
	for i := range g.spec.Ops {
		if o := &g.spec.Ops[i]; o.inBody() {
			g.method(o)
		}
	}
}

// inferredByRule has the operations whose first result package tileir infers by a rule of its own.
var inferredByRule = []string{"permute", "cat", "reduce", "scan", "load_ptr_tko", "load_view_tko"}

// bodies has the operations with regions: the parameter of each region's function, the types of its block arguments,
// the terminator that may be left out, and the types of the results.
var bodies = map[string]struct{ params, regions, results string }{
	"for": {"body func(index *Value, carried []*Value)",
		"o.Regions[0] = b.region(append(typesOf([]*Value{lowerBound}), typesOf(initValues)...), OpContinue, " +
			"func(args []*Value) { body(args[0], args[1:]) })", "typesOf(initValues)"},
	"loop": {"results []Type, body func(carried []*Value)",
		"o.Regions[0] = b.region(typesOf(initValues), OpContinue, body)", "results"},
	"if": {"results []Type, then, otherwise func()",
		"o.Regions[0] = b.region(nil, OpYield, func([]*Value) { then() })\n" +
			"if otherwise != nil {\no.Regions[1] = b.region(nil, OpYield, func([]*Value) { otherwise() })\n}", "results"},
	"reduce": {"body func(args []*Value)", "o.Regions[0] = b.region(pairTypes(operands), OpYield, body)", "make([]Type, len(operands))"},
	"scan":   {"body func(args []*Value)", "o.Regions[0] = b.region(pairTypes(operands), OpYield, body)", "make([]Type, len(operands))"},
}

// bodyDocs explains the functions that build regions.
var bodyDocs = map[string]string{
	"for":    "The function builds the body, which ends in continue with the carried values; without any it may be left out.",
	"loop":   "The function builds the body, which ends in break with the results, or in continue with the carried values.",
	"if":     "The functions build the branches, which end in yield with the results; otherwise may be nil where there are none.",
	"reduce": "The function builds the body from two scalars an operand, and ends in yield with one an operand.",
	"scan":   "The function builds the body from two scalars an operand, and ends in yield with one an operand.",
}

var attrTypes = map[string]string{
	"enum": "Int", "varint": "int64", "bool": "bool", "string_ref": "string", "constant_ref": "*Constant",
	"i32_array": "[]int", "bool_array": "[]bool", "array": "Numbers", "self_contained": "Attr", "opt_hints": "Hints",
}

var attrWraps = map[string]string{"varint": "Int", "bool": "Bool", "string_ref": "String", "i32_array": "Ints", "bool_array": "Bools"}

// optionNames are the functions that make the options of package tileir.
var optionNames = map[string]string{
	"mask": "WithMask", "paddingValue": "WithPadding", "token": "WithToken", "memory_scope": "WithScope",
	"optimization_hints": "WithHints", "inbounds": "WithInBounds", "rounding_mode": "WithRounding", "rounding": "WithRounding",
	"overflow": "WithOverflow", "flush_to_zero": "WithFlushToZero", "propagate_nan": "WithPropagateNaN",
	"saturating": "WithSaturation", "fast_acc": "WithFastAcc", "unsignedCmp": "WithUnsigned", "global": "WithGlobalMemory",
}

// call is a method while it is written.
type call struct {
	params  []string
	groups  []string
	attrs   []string
	options []string
	types   string // of the results, as a Go expression
	returns string
	names   []string // of several results
}

// method writes one method.
func (g *generator) method(o *op) {
	c := &call{}
	var texts, attrs []string
	for _, a := range o.Attributes {
		name := camel(a.Name)
		if a.Optional || a.Default != nil {
			c.attrs = append(c.attrs, "nil")
			c.option(g, o, a.Name)
			continue
		}
		typ, ok := attrTypes[a.Encoding]
		if !ok {
			g.fail("%s: attribute %s has no type in Go", o.Mnemonic, a.Name)
		}
		value := name
		if w := attrWraps[a.Encoding]; w != "" {
			value = w + "(" + name + ")"
		}
		c.attrs = append(c.attrs, value)
		if a.Encoding == "string_ref" {
			texts = append(texts, name+" "+typ)
		} else {
			attrs = append(attrs, name+" "+typ)
		}
	}
	c.params = texts
	for _, in := range o.Operands {
		c.operand(g, o, in)
	}
	c.params = append(c.params, attrs...)
	c.results(g, o)
	body, structured := bodies[o.Mnemonic]
	if structured {
		c.params = append(c.params, body.params)
		c.types = body.results
	}
	variadicEnd(c, o)
	if c.options != nil {
		c.params = append(c.params, "opts ...Option")
	}
	g.write(o, c, body.regions)
}

func (c *call) option(g *generator, o *op, name string) {
	fn, ok := optionNames[name]
	if !ok {
		g.fail("%s: there is no option %s", o.Mnemonic, name)
	}
	c.options = append(c.options, "["+fn+"]")
}

func (c *call) operand(g *generator, o *op, in item) {
	name := camel(in.Name)
	switch {
	case in.Optional:
		c.groups = append(c.groups, "nil")
		c.option(g, o, in.Name)
	case in.Variadic:
		c.params = append(c.params, name+" []*Value")
		c.groups = append(c.groups, name)
	default:
		c.params = append(c.params, name+" *Value")
		c.groups = append(c.groups, "single("+name+")")
	}
}

// variadicEnd makes a last list of values variadic.
func variadicEnd(c *call, o *op) {
	if n := len(c.params); n > 0 && c.options == nil && o.Mnemonic != "loop" {
		if name, ok := strings.CutSuffix(c.params[n-1], " []*Value"); ok {
			c.params[n-1] = name + " ...*Value"
		}
	}
}

// results decides what the caller must tell of the types of results.
func (c *call) results(g *generator, o *op) {
	n := len(o.Results)
	switch {
	case n == 0:
		c.types = "nil"
		return
	case o.Results[0].Variadic:
		c.returns = "[]*Value"
		if _, structured := bodies[o.Mnemonic]; !structured {
			c.params = append(c.params, "elem Elem")
			c.types = "rankTypes(" + camel(o.Operands[0].Name) + ", elem)"
		}
		return
	case n == 1:
		c.returns = "*Value"
	default:
		for _, r := range o.Results {
			c.names = append(c.names, camel(r.Name))
		}
		c.returns = "(" + strings.Join(c.names, ", ") + " *Value)"
	}
	types := make([]string, n)
	for i, r := range o.Results {
		types[i] = c.result(g, o, r)
	}
	c.types = "[]Type{" + strings.Join(types, ", ") + "}"
}

// result gives the type of a result as a Go expression, nil where it is inferred.
func (c *call) result(g *generator, o *op, r item) string {
	scalar := strings.HasPrefix(r.Constraint, "scalar_tile")
	pointer := strings.HasSuffix(r.Constraint, "<ptr>")
	switch {
	case r.Constraint == "token", slices.Contains(inferredByRule, o.Mnemonic), scalar && !pointer, o.infers(r):
		return "nil"
	case scalar: // a pointer
		c.params = append(c.params, "elem Elem")
		return "PointerTile(elem)"
	}
	if like := o.sameShape(r.Name); like != "" {
		c.params = append(c.params, "elem Elem")
		return fmt.Sprintf("elemType(%s, elem, %t)", camel(like), pointer)
	}
	if slices.Contains(o.Traits, "same_operands_and_result_element") {
		c.params = append(c.params, "shape ...int")
		return "shapeType(" + camel(o.Operands[0].Name) + ", shape)"
	}
	typ := map[string]string{"tensor_view": "*TensorViewType", "partition_view": "*PartitionViewType",
		"strided_view": "*StridedViewType", "gather_scatter_view": "*GatherScatterViewType"}[r.Constraint]
	if typ == "" && strings.HasPrefix(r.Constraint, "tile<") {
		typ = "*TileType"
	}
	if typ == "" {
		g.fail("%s: the type of result %s has no form in Go", o.Mnemonic, r.Name)
	}
	c.params = append(c.params, "result "+typ)
	return "result"
}

// infers reports whether a trait ties a result's whole type to an operand or a constant.
func (o *op) infers(r item) bool {
	for _, t := range o.Traits {
		name, args := trait(t)
		switch {
		case name == "result_is_i1_with_shape_of":
			return true
		case name == "same_type" && slices.Contains(args, r.Name):
			return true
		case name == "same_shape" && slices.Contains(args, r.Name) && r.Constraint == "tile<i64>":
			return true
		}
	}
	return false
}

// sameShape is the operand whose shape a result has, "" for none.
func (o *op) sameShape(result string) string {
	for _, t := range o.Traits {
		if name, args := trait(t); name == "same_shape" && slices.Contains(args, result) {
			return args[0]
		}
	}
	return ""
}

func (g *generator) write(o *op, c *call, regions string) {
	name := strings.TrimSuffix(o.Name, "Op")
	doc := fmt.Sprintf("%s appends %s: %s.", name, o.Mnemonic, strings.TrimSuffix(o.Meaning, "."))
	if o.Since != "13.1" {
		doc += " Since " + o.Since + "."
	}
	if d := bodyDocs[o.Mnemonic]; d != "" {
		doc += " " + d
	}
	if c.options != nil {
		doc += " Options: " + strings.Join(c.options, ", ") + "."
	}
	g.p("%s\nfunc (b *Builder) %s(%s) %s {\n", comment(doc), name, joinParams(c.params), c.returns)
	opts := "nil"
	if c.options != nil {
		opts = "opts"
	}
	begin := fmt.Sprintf("b.begin(Op%s, %s, %s, %s)", name, literal("[][]*Value", c.groups), literal("[]Attr", c.attrs), opts)
	if regions != "" {
		g.p("o := %s\n%s\n", begin, regions)
		begin = "o"
	}
	finish := fmt.Sprintf("b.finish(%s, %s)", begin, c.types)
	switch {
	case c.names != nil:
		g.p("r := %s\nreturn ", finish)
		for i := range c.names {
			if i > 0 {
				g.p(", ")
			}
			g.p("r[%d]", i)
		}
	case c.returns == "*Value":
		g.p("return %s[0]", finish)
	case c.returns != "":
		g.p("return %s", finish)
	default:
		g.p("%s", finish)
	}
	g.p("\n}\n\n")
}

// joinParams lists parameters, with one type for neighbours that share it.
func joinParams(params []string) string {
	out := slices.Clone(params)
	for i := range len(out) - 1 {
		_, a, _ := strings.Cut(params[i], " ")
		if _, b, _ := strings.Cut(params[i+1], " "); a == b {
			out[i] = strings.TrimSuffix(out[i], " "+a)
		}
	}
	return strings.Join(out, ", ")
}

func literal(typ string, items []string) string {
	if items == nil {
		return "nil"
	}
	return typ + "{" + strings.Join(items, ", ") + "}"
}

// comment breaks a text into lines of a comment.
func comment(text string) string {
	var b bytes.Buffer
	line := "//"
	for _, w := range strings.Fields(text) {
		if len(line)+len(w) >= 120 {
			b.WriteString(line + "\n")
			line = "//"
		}
		line += " " + w
	}
	b.WriteString(line)
	return b.String()
}

// camel turns "lhs_scale" into "lhsScale".
func camel(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words[1:] {
		words[i+1] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}
