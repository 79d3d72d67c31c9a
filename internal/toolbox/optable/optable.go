// Package optable shows the table of Tile IR's operations: what a version of the bytecode and a GPU architecture have of it.
package optable

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/tileir"
)

// Table is what a version and an architecture have of the operations.
type Table struct {
	version tileir.Version
	arch    string // "" for all
	elems   uint32 // the element types that version and architecture have
}

// For gives the table of a version, 0 for the newest, and an architecture, "" for all.
func For(v tileir.Version, arch string) *Table {
	t := &Table{version: v, arch: arch}
	if v == 0 {
		t.version = tileir.Newest
	}
	for _, e := range tileir.Elems() {
		if e.Since() <= t.version && tileir.Supports(arch, e) {
			t.elems |= 1 << e
		}
	}
	return t
}

// Op is what is shown of an operation.
type Op struct {
	Name       string   `json:"name"`
	Opcode     int      `json:"opcode"`
	Since      string   `json:"since"`
	Category   string   `json:"category"`
	Meaning    string   `json:"meaning"`
	Operands   []Item   `json:"operands"`
	Attributes []Item   `json:"attributes"`
	Results    []Item   `json:"results"`
	Regions    []Item   `json:"regions"`
	Terminator bool     `json:"terminator"`
	Pure       bool     `json:"pure"`
	CPU        bool     `json:"cpu"`               // the CPU engine runs it
	Refused    []string `json:"refused,omitempty"` // what the architecture refuses of it
}

// Item is an operand, attribute, result or region.
type Item struct {
	Name     string   `json:"name"`
	Type     string   `json:"type,omitempty"`
	Values   []string `json:"values,omitempty"`
	Default  string   `json:"default,omitempty"`
	Since    string   `json:"since,omitempty"` // where it is newer than the operation
	Optional bool     `json:"optional,omitempty"`
	Variadic bool     `json:"variadic,omitempty"`
}

// mark is the item's name as the table shows it.
func (f *Item) mark() string {
	switch {
	case f.Variadic:
		return f.Name + "*"
	case f.Optional || f.Default != "":
		return f.Name + "?"
	}
	return f.Name
}

// All lists the operations.
func (t *Table) All() (list []Op) {
	for _, in := range tileir.Infos() {
		if in.Since <= t.version && in.InBody && t.takes(in) {
			list = append(list, t.op(in))
		}
	}
	return list
}

// Find gives the operation of a name.
func (t *Table) Find(name string) (Op, error) {
	in := tileir.Lookup(name)
	switch {
	case in == nil || !in.InBody:
		return Op{}, toolbox.Usagef("there is no operation %q%s", name, similar(name))
	case in.Since > t.version:
		return Op{}, toolbox.Usagef("%s needs version %v, but -version is %v", name, in.Since, t.version)
	case !t.takes(in):
		return Op{}, toolbox.Usagef("%s does not take %s", t.arch, name)
	}
	return t.op(in), nil
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

// op gathers what an operation is in the version.
func (t *Table) op(in *tileir.Info) Op {
	f := Op{Name: in.Mnemonic, Opcode: in.Opcode, Since: in.Since.String(), Category: in.Category, Meaning: in.Meaning,
		Operands: []Item{}, Attributes: []Item{}, Results: []Item{}, Regions: []Item{},
		Terminator: in.Terminator, Pure: in.Pure, CPU: cpuRuns(in), Refused: t.refused(in)}
	if in.OldMnemonic != "" && t.version < tileir.V13_4 {
		f.Name = in.OldMnemonic
	}
	newer := func(v tileir.Version) string {
		if v <= in.Since {
			return ""
		}
		return v.String()
	}
	for _, x := range in.Operands {
		if x.Since <= t.version {
			f.Operands = append(f.Operands, Item{Name: x.Name, Type: t.constraint(x.Constraint), Since: newer(x.Since),
				Optional: x.Optional, Variadic: x.Variadic})
		}
	}
	for i := range in.Attrs {
		if x := &in.Attrs[i]; x.Since <= t.version {
			f.Attributes = append(f.Attributes, attribute(x, newer(x.Since)))
		}
	}
	for _, x := range in.Results {
		if x.Since <= t.version {
			f.Results = append(f.Results, Item{Name: x.Name, Type: t.constraint(x.Constraint), Since: newer(x.Since), Variadic: x.Variadic})
		}
	}
	for _, x := range in.Regions {
		f.Regions = append(f.Regions, Item{Name: x.Name, Type: "operations", Optional: x.Optional})
	}
	return f
}

// codingTexts are the kinds of attribute in words.
var codingTexts = map[tileir.AttrCoding]string{
	tileir.EnumAttr: "one of", tileir.VarintAttr: "integer", tileir.BoolAttr: "truth value", tileir.UnitAttr: "flag",
	tileir.StringAttr: "text", tileir.TypeAttr: "type", tileir.ConstantAttr: "constant", tileir.Int32ArrayAttr: "integers",
	tileir.BoolArrayAttr: "truth values", tileir.NumberArrayAttr: "numbers", tileir.HintsAttr: "hints", tileir.PredicateAttr: "predicate",
}

func attribute(a *tileir.AttrInfo, since string) Item {
	f := Item{Name: a.Name, Type: codingTexts[a.Coding], Since: since, Optional: a.Optional || a.Coding == tileir.UnitAttr}
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

// Print prints operations as a table, a line for each.
func Print(w io.Writer, list []Op) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "NAME\tOPCODE\tSINCE\tCPU\tOPERANDS\tRESULTS\tATTRIBUTES")
	marks := func(items []Item) string {
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

// Print prints all about the operation.
func (f *Op) Print(w io.Writer) {
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
		items []Item
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
func (f *Item) words() string {
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
