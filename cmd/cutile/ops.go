package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/tileir"
)

var opsCommand = &command{
	name: "ops", args: "[NAME]", short: "show the table of Tile IR's operations",
	long: `
With a NAME it shows all about one operation. In the table, ? marks what may be left out, and * what may stand any number
of times. -version and -arch leave out the operations, fields and element types that are not to be had there.`,
	setup: func(fs *flag.FlagSet) action {
		o := &opsLister{}
		fs.StringVar(&o.versionText, "version", "", "the bytecode `version`; by default the newest")
		fs.StringVar(&o.arch, "arch", "", "the GPU `architecture`, such as sm_90; by default all")
		fs.BoolVar(&o.json, "json", false, "print JSON, for programs")
		return o.run
	},
}

// opsLister is a run of ops.
type opsLister struct {
	versionText, arch string
	json              bool
	version           tileir.Version
	elems             uint32 // the element types that version and architecture have
}

// opFacts are what is shown of an operation.
type opFacts struct {
	Name       string      `json:"name"`
	Opcode     int         `json:"opcode"`
	Since      string      `json:"since"`
	Category   string      `json:"category"`
	Meaning    string      `json:"meaning"`
	Operands   []itemFacts `json:"operands"`
	Attributes []itemFacts `json:"attributes"`
	Results    []itemFacts `json:"results"`
	Regions    []itemFacts `json:"regions"`
	Terminator bool        `json:"terminator"`
	Pure       bool        `json:"pure"`
	CPU        bool        `json:"cpu"`               // the CPU engine runs it
	Refused    []string    `json:"refused,omitempty"` // what the architecture refuses of it
}

// itemFacts are an operand, attribute, result or region.
type itemFacts struct {
	Name     string   `json:"name"`
	Type     string   `json:"type,omitempty"`
	Values   []string `json:"values,omitempty"`
	Default  string   `json:"default,omitempty"`
	Since    string   `json:"since,omitempty"` // where it is newer than the operation
	Optional bool     `json:"optional,omitempty"`
	Variadic bool     `json:"variadic,omitempty"`
}

// mark is the item's name as the table shows it.
func (f *itemFacts) mark() string {
	switch {
	case f.Variadic:
		return f.Name + "*"
	case f.Optional || f.Default != "":
		return f.Name + "?"
	}
	return f.Name
}

func (o *opsLister) run(c *call, args []string) error {
	v, err := toolbox.Version(o.versionText)
	if err != nil {
		return err
	}
	if o.version = v; v == 0 {
		o.version = tileir.Newest
	}
	if err := toolbox.CheckArch(o.arch); err != nil {
		return err
	}
	for e := tileir.I1; e <= tileir.FNV8E5M3FNU; e++ {
		if e.Since() <= o.version && tileir.Supports(o.arch, e) {
			o.elems |= 1 << e
		}
	}
	var list []opFacts
	switch len(args) {
	case 0:
		for _, in := range tileir.Infos() {
			if in.Since <= o.version && in.InBody && o.takes(in) {
				list = append(list, o.facts(in))
			}
		}
	case 1:
		in := tileir.Lookup(args[0])
		switch {
		case in == nil || !in.InBody:
			return toolbox.Usagef("there is no operation %q%s", args[0], similar(args[0]))
		case in.Since > o.version:
			return toolbox.Usagef("%s needs version %v, but -version is %v", args[0], in.Since, o.version)
		}
		if !o.takes(in) {
			return toolbox.Usagef("%s does not take %s", o.arch, args[0])
		}
		list = append(list, o.facts(in))
	default:
		return toolbox.Usagef("want one operation, got %d", len(args))
	}
	switch {
	case o.json:
		enc := json.NewEncoder(c.out)
		enc.SetIndent("", "  ")
		return enc.Encode(list)
	case len(args) == 1:
		printOp(c.out, &list[0])
	default:
		printOps(c.out, list)
	}
	return nil
}

// similar suggests operations whose name holds the text.
func similar(text string) string {
	var names []string
	for _, in := range tileir.Infos() {
		if in.InBody && text != "" && strings.Contains(in.Mnemonic, text) {
			names = append(names, in.Mnemonic)
		}
	}
	if names == nil {
		return ""
	}
	return ": do you mean " + strings.Join(names, ", ") + "?"
}

// facts gathers what an operation is in the version.
func (o *opsLister) facts(in *tileir.Info) opFacts {
	f := opFacts{Name: in.Mnemonic, Opcode: in.Opcode, Since: in.Since.String(), Category: in.Category, Meaning: in.Meaning,
		Operands: []itemFacts{}, Attributes: []itemFacts{}, Results: []itemFacts{}, Regions: []itemFacts{},
		Terminator: in.Terminator, Pure: in.Pure, CPU: cpuRuns(in), Refused: o.refused(in)}
	if in.OldMnemonic != "" && o.version < tileir.V13_4 {
		f.Name = in.OldMnemonic
	}
	newer := func(v tileir.Version) string {
		if v <= in.Since {
			return ""
		}
		return v.String()
	}
	for _, x := range in.Operands {
		if x.Since <= o.version {
			f.Operands = append(f.Operands, itemFacts{Name: x.Name, Type: o.constraint(x.Constraint), Since: newer(x.Since),
				Optional: x.Optional, Variadic: x.Variadic})
		}
	}
	for i := range in.Attrs {
		if x := &in.Attrs[i]; x.Since <= o.version {
			f.Attributes = append(f.Attributes, attrFacts(x, newer(x.Since)))
		}
	}
	for _, x := range in.Results {
		if x.Since <= o.version {
			f.Results = append(f.Results, itemFacts{Name: x.Name, Type: o.constraint(x.Constraint), Since: newer(x.Since), Variadic: x.Variadic})
		}
	}
	for _, x := range in.Regions {
		f.Regions = append(f.Regions, itemFacts{Name: x.Name, Type: "operations", Optional: x.Optional})
	}
	return f
}

// codingTexts are the kinds of attribute in words.
var codingTexts = map[tileir.AttrCoding]string{
	tileir.EnumAttr: "one of", tileir.VarintAttr: "integer", tileir.BoolAttr: "truth value", tileir.UnitAttr: "flag",
	tileir.StringAttr: "text", tileir.TypeAttr: "type", tileir.ConstantAttr: "constant", tileir.Int32ArrayAttr: "integers",
	tileir.BoolArrayAttr: "truth values", tileir.NumberArrayAttr: "numbers", tileir.HintsAttr: "hints", tileir.PredicateAttr: "predicate",
}

func attrFacts(a *tileir.AttrInfo, since string) itemFacts {
	f := itemFacts{Name: a.Name, Type: codingTexts[a.Coding], Since: since, Optional: a.Optional || a.Coding == tileir.UnitAttr}
	if a.Coding == tileir.EnumAttr {
		for _, v := range a.Enum.Values {
			if a.Allowed == nil || slices.Contains(a.Allowed, v.Value) {
				f.Values = append(f.Values, v.Text)
			}
		}
	}
	switch {
	case a.HasDefault && a.Coding == tileir.BoolArrayAttr:
		f.Default = "all false"
	case a.HasDefault:
		f.Default = a.Text(a.Default)
	}
	return f
}

// printOps prints the table, a line for each operation.
func printOps(w io.Writer, list []opFacts) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "NAME\tOPCODE\tSINCE\tCPU\tOPERANDS\tRESULTS\tATTRIBUTES")
	marks := func(items []itemFacts) string {
		var words []string
		for i := range items {
			words = append(words, items[i].mark())
		}
		if words == nil {
			return "-"
		}
		return strings.Join(words, ", ")
	}
	for i := range list {
		f := &list[i]
		fmt.Fprintf(tw, "%s\t%d\t%s\t%s\t%s\t%s\t%s\n", f.Name, f.Opcode, f.Since, yesNo(f.CPU), marks(f.Operands), marks(f.Results), marks(f.Attributes))
	}
	tw.Flush()
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// printOp prints all about one operation.
func printOp(w io.Writer, f *opFacts) {
	fmt.Fprintf(w, "%s: %s\n\n", f.Name, f.Meaning)
	fmt.Fprintf(w, "opcode %d, since %s, category %s", f.Opcode, f.Since, f.Category)
	if f.Terminator {
		fmt.Fprint(w, ", ends a block")
	}
	if f.Pure {
		fmt.Fprint(w, ", without effects")
	}
	fmt.Fprintf(w, "\nthe CPU engine runs it: %s\n", yesNo(f.CPU))
	if f.Refused != nil {
		fmt.Fprintf(w, "the architecture refuses: %s\n", strings.Join(f.Refused, ", "))
	}
	for _, part := range []struct {
		title string
		items []itemFacts
	}{{"operands", f.Operands}, {"attributes", f.Attributes}, {"results", f.Results}, {"regions", f.Regions}} {
		if len(part.items) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s\n", part.title)
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for i := range part.items {
			fmt.Fprintf(tw, "  %s\t%s\n", part.items[i].Name, part.items[i].words())
		}
		tw.Flush()
	}
}

// words is what an item is, in words.
func (f *itemFacts) words() string {
	var out []string
	switch {
	case len(f.Values) == 1:
		out = append(out, "always "+f.Values[0])
	case f.Values != nil:
		out = append(out, f.Type+" "+strings.Join(f.Values, ", "))
	case f.Type != "":
		out = append(out, f.Type)
	}
	if f.Variadic {
		out = append(out, "any number")
	}
	if f.Default != "" {
		out = append(out, "by default "+f.Default)
	} else if f.Optional {
		out = append(out, "optional")
	}
	if f.Since != "" {
		out = append(out, "since "+f.Since)
	}
	return strings.Join(out, "; ")
}
