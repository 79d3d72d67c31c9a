// Package diff compares two modules of Tile IR by their structure.
//
// Entries and globals are matched by name (if each module has a single entry, they match), operations by their order. The names
// and numbers of values are ignored, and so are source positions, the producer and whether attributes with their default value
// are written:
//
//   - 12    an operation that only A has
//   - 12    one that only B has
//     ! 12 | 13  one that has changed, with what differs, A's side first
//
// An operation is identified by its index in the entry's body, followed by alternating indices of a region and of an operation
// in it, as in [tileir.Verify].
package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/tileir"
)

// Report lists the differences between two modules.
type Report struct {
	Changed, Added, Removed int // operations
	Others                  int // differences of globals, entries and parameters

	lines strings.Builder
}

// Compare compares two valid modules; see [tileir.Verify].
func Compare(a, b *tileir.Module) *Report {
	d := &differ{Report: &Report{}, counterpart: map[*tileir.Value]*tileir.Value{}}
	d.modules(a, b)
	return d.Report
}

// Equal reports whether there is no difference.
func (r *Report) Equal() bool { return r.Changed+r.Added+r.Removed+r.Others == 0 }

// String returns a line for each entry that both modules have, with the differences below it, and the summary as the last line.
func (r *Report) String() string { return r.lines.String() + r.Summary() + "\n" }

// Summary returns the number of differences as one line of text: "equal" for none.
func (r *Report) Summary() string {
	if r.Equal() {
		return "equal"
	}
	return fmt.Sprintf("different: %s changed, %d added, %d removed; %s", names.Plural(r.Changed, "operation"), r.Added, r.Removed,
		names.Plural(r.Others, "other difference"))
}

func (r *Report) printf(format string, args ...any) { fmt.Fprintf(&r.lines, format, args...) }

// differ compares two modules.
type differ struct {
	*Report
	a, b        *side
	counterpart map[*tileir.Value]*tileir.Value // of A's values
}

// other tells a difference that is not one of an operation.
func (d *differ) other(indent, what string, a, b any) {
	if fmt.Sprint(a) != fmt.Sprint(b) {
		d.Others++
		d.printf("%s%s: %v | %v\n", indent, what, a, b)
	}
}

// only tells what one side has alone.
func (d *differ) only(mark, what string) {
	d.Others++
	d.printf("%s %s\n", mark, what)
}

func (d *differ) modules(a, b *tileir.Module) {
	match(a.Globals, b.Globals, func(g *tileir.Global) string { return g.Name }, func(x, y *tileir.Global) {
		switch {
		case y == nil:
			d.only("-", "global @"+x.Name)
		case x == nil:
			d.only("+", "global @"+y.Name)
		default:
			d.globals(x, y)
		}
	})
	single := len(a.Entries) == 1 && len(b.Entries) == 1
	name := func(e *tileir.Entry) string {
		if single {
			return ""
		}
		return e.Name
	}
	match(a.Entries, b.Entries, name, func(x, y *tileir.Entry) {
		switch {
		case y == nil:
			d.only("-", "entry @"+x.Name)
		case x == nil:
			d.only("+", "entry @"+y.Name)
		default:
			d.entries(x, y)
		}
	})
}

// match visits what two lists have under the same name, and with nil what only one has.
func match[T any](a, b []*T, name func(*T) string, visit func(a, b *T)) {
	find := func(list []*T, x *T) *T {
		i := slices.IndexFunc(list, func(y *T) bool { return name(y) == name(x) })
		if i < 0 {
			return nil
		}
		return list[i]
	}
	for _, x := range a {
		visit(x, find(b, x))
	}
	for _, y := range b {
		if find(a, y) == nil {
			visit(nil, y)
		}
	}
}

func (d *differ) globals(a, b *tileir.Global) {
	head := "global @" + a.Name + " "
	d.other(head, "type", a.Value.Type, b.Value.Type)
	d.other(head, "alignment", a.Align, b.Align)
	d.other(head, "private", a.Private, b.Private)
	d.other(head, "constant", a.Constant, b.Constant)
	if constantKey(a.Value) != constantKey(b.Value) && tileir.Identical(a.Value.Type, b.Value.Type) {
		d.Others++
		d.printf("%svalue differs\n", head)
	}
}

func (d *differ) entries(a, b *tileir.Entry) {
	d.a, d.b = newSide(a), newSide(b)
	d.printf("entry @%s\n", a.Name)
	d.other("  ", "name", a.Name, b.Name)
	d.other("  ", "private", a.Private, b.Private)
	d.other("  ", "hints", hintsText(a.Hints), hintsText(b.Hints))
	d.other("  ", "parameters", len(a.Params), len(b.Params))
	for i := range min(len(a.Params), len(b.Params)) {
		d.counterpart[a.Params[i]] = b.Params[i]
		d.other("  ", fmt.Sprintf("parameter %d", i), a.Params[i].Type, b.Params[i].Type)
	}
	d.blocks(a.Body, b.Body, "", "")
}

// blocks compares two blocks; the paths are those of the blocks, with a point behind.
func (d *differ) blocks(a, b *tileir.Block, pathA, pathB string) {
	for i := range min(len(a.Args), len(b.Args)) {
		d.counterpart[a.Args[i]] = b.Args[i]
	}
	for _, p := range d.align(a.Ops, b.Ops) {
		switch {
		case p.b < 0:
			d.Removed++
			d.printf("- %s%d  %s\n", pathA, p.a, d.a.line(a.Ops[p.a]))
		case p.a < 0:
			d.Added++
			d.printf("+ %s%d  %s\n", pathB, p.b, d.b.line(b.Ops[p.b]))
		default:
			d.ops(a.Ops[p.a], b.Ops[p.b], fmt.Sprint(pathA, p.a), fmt.Sprint(pathB, p.b))
		}
	}
}

// ops compares an operation with its counterpart.
func (d *differ) ops(a, b *tileir.Op, pathA, pathB string) {
	for i := range min(len(a.Results), len(b.Results)) {
		d.counterpart[a.Results[i]] = b.Results[i]
	}
	if what := d.differences(a, b); len(what) > 0 {
		d.Changed++
		d.printf("! %s | %s\n-   %s\n+   %s\n    %s\n", pathA, pathB, d.a.line(a), d.b.line(b), strings.Join(what, "\n    "))
	}
	for i := range min(len(a.Regions), len(b.Regions)) {
		if x, y := a.Regions[i], b.Regions[i]; !absent(x) && !absent(y) {
			d.blocks(x, y, fmt.Sprintf("%s.%d.", pathA, i), fmt.Sprintf("%s.%d.", pathB, i))
		}
	}
}

func absent(b *tileir.Block) bool { return b == nil || len(b.Ops) == 0 }

// differences lists how two operations differ, except for the operations in their regions.
func (d *differ) differences(a, b *tileir.Op) (out []string) {
	differ := func(what string, x, y string) {
		if x != y {
			out = append(out, fmt.Sprintf("%s: %s | %s", what, x, y))
		}
	}
	differ("results", typesText(a.Results), typesText(b.Results))
	if a.Info != b.Info {
		differ("operation", a.Info.Mnemonic, b.Info.Mnemonic)
		return out
	}
	for i := range a.Info.Attrs {
		info := &a.Info.Attrs[i]
		if x, y := attrKey(info, a.Attrs[i]), attrKey(info, b.Attrs[i]); x != y && info.Coding == tileir.ConstantAttr {
			out = append(out, "attribute "+info.Name+" differs")
		} else {
			differ("attribute "+info.Name, x, y)
		}
	}
	for i := range a.Info.Operands {
		x, y := a.Group(i), b.Group(i)
		name := "operand " + a.Info.Operands[i].Name
		differ(name+", number of values", fmt.Sprint(len(x)), fmt.Sprint(len(y)))
		for j := range min(len(x), len(y)) {
			if d.counterpart[x[j]] != y[j] {
				out = append(out, fmt.Sprintf("%s: %s | %s", name, d.a.origin[x[j]], d.b.origin[y[j]]))
			}
		}
	}
	for i := range a.Regions {
		name := "region " + a.Info.Regions[i].Name
		x, y := a.Regions[i], b.Regions[i]
		differ(name, presence(x), presence(y))
		if !absent(x) && !absent(y) {
			differ(name+", arguments", typesText(x.Args), typesText(y.Args))
		}
	}
	return out
}

func presence(b *tileir.Block) string {
	if absent(b) {
		return "absent"
	}
	return "present"
}

// typesText are the types of values; "none" for none.
func typesText(vs []*tileir.Value) string {
	if len(vs) == 0 {
		return "none"
	}
	words := make([]string, len(vs))
	for i, v := range vs {
		words[i] = v.Type.String()
	}
	return strings.Join(words, ", ")
}
