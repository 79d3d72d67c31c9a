package text

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/tileir"
)

// placeTable collects the places of a module and names them as MLIR does: aliases stand in the order of how deep they
// contain one another, then by kind, then by when they are first met.
type placeTable struct {
	index map[string]int
	nodes []placeNode
	own   *tileir.Scope // the function of the current entry
	calls map[ownedLoc]int
}

// ownedLoc is the place of a call, which many operations may share, in an entry.
type ownedLoc struct {
	loc *tileir.Loc
	own *tileir.Scope
}

// placeNode is one alias.
type placeNode struct {
	kind  string // the name without its number
	depth int
	parts []any  // text, and the indices of other nodes
	name  string // with the number
}

// intern finds or adds a node whose parts are there already.
func (t *placeTable) intern(kind string, parts ...any) int {
	key := kind + fmt.Sprintf("%q", parts)
	if i, ok := t.index[key]; ok {
		return i
	}
	n := placeNode{kind: kind, parts: parts}
	for _, p := range parts {
		if i, ok := p.(int); ok {
			n.depth = max(n.depth, t.nodes[i].depth+1)
		}
	}
	t.index[key] = len(t.nodes)
	t.nodes = append(t.nodes, n)
	return len(t.nodes) - 1
}

// loc adds a place with all that it is made of: the place in its scope, then the calls that it was inlined through.
func (t *placeTable) loc(l tileir.Loc) int {
	if l.Text != nil {
		return t.textLoc(l.Text)
	}
	i := t.ownLoc(&l)
	if l.Caller != nil {
		i = t.intern("loc", "loc(callsite(", i, " at ", t.call(l.Caller), "))")
	}
	return i
}

// call is loc, once for each call.
func (t *placeTable) call(l *tileir.Loc) int {
	key := ownedLoc{l, t.own}
	i, ok := t.calls[key]
	if !ok {
		i = t.loc(*l)
		t.calls[key] = i
	}
	return i
}

// textLoc adds a place with a name, or one that stands for several.
func (t *placeTable) textLoc(l *tileir.LocText) int {
	begin, end := "loc(fused[", "])"
	if l.Name != "" {
		if begin, end = "loc("+names.Quote(l.Name), ")"; len(l.Of) > 0 {
			begin, end = begin+"(", "))"
		}
	}
	between := ", "
	if l.Call {
		begin, end, between = "loc(callsite(", "))", " at "
	}
	parts := []any{begin}
	for i := range l.Of {
		if i > 0 {
			parts = append(parts, between)
		}
		parts = append(parts, t.loc(l.Of[i]))
	}
	return t.intern("loc", append(parts, end)...)
}

func (t *placeTable) ownLoc(l *tileir.Loc) int {
	if l.File == "" && l.Line == 0 {
		return t.intern("loc", "loc(unknown)")
	}
	file := l.File
	if file == "" {
		file = "-"
	}
	i := t.intern("loc", "loc("+names.Quote(file)+":"+lineText(l.Line)+":"+lineText(l.Col)+")")
	scope := l.Scope
	if scope == nil {
		scope = t.own
	}
	if scope != nil {
		i = t.intern("loc", "#cuda_tile.di_loc<", i, " in ", t.scope(scope), ">")
	}
	return i
}

// lineText is a line or column, which readers take from 0 to 2^31 - 1.
func lineText(n int) string { return strconv.Itoa(min(max(n, 0), math.MaxInt32)) }

// lineField is a last field, which is left out where it is 0.
func lineField(name string, n int) string {
	if n <= 0 {
		return ""
	}
	return name + lineText(n)
}

func (t *placeTable) scope(s *tileir.Scope) int {
	if s.Parent != nil {
		return t.intern("di_lexical_block", "#cuda_tile.di_lexical_block<scope = ", t.scope(s.Parent), ", file = ",
			t.file(s.File), ", line = "+lineText(s.Line)+lineField(", column = ", s.Col)+">")
	}
	file := t.file(s.File)
	unit := t.intern("di_compile_unit", "#cuda_tile.di_compile_unit<file = ", t.file(s.Unit), ">")
	return t.intern("di_subprogram", "#cuda_tile.di_subprogram<file = ", file, ", line = "+lineText(s.Line)+", name = "+
		names.Quote(s.Name)+", linkageName = "+names.Quote(s.Linkage)+", compileUnit = ", unit, lineField(", scopeLine = ", s.ScopeLine)+">")
}

func (t *placeTable) file(f *tileir.SourceFile) int {
	if f == nil {
		f = &tileir.SourceFile{}
	}
	return t.intern("di_file", "#cuda_tile.di_file<"+names.Quote(f.Name)+" in "+names.Quote(f.Dir)+">")
}

// sorted gives the nodes in the order of their definitions, with their names.
func (t *placeTable) sorted() []*placeNode {
	out := make([]*placeNode, len(t.nodes))
	for i := range t.nodes {
		out[i] = &t.nodes[i]
	}
	slices.SortStableFunc(out, func(a, b *placeNode) int {
		if a.depth != b.depth {
			return a.depth - b.depth
		}
		return strings.Compare(a.kind, b.kind)
	})
	count := map[string]int{}
	for _, n := range out {
		if n.name = "#" + n.kind; count[n.kind] > 0 {
			n.name += strconv.Itoa(count[n.kind])
		}
		count[n.kind]++
	}
	return out
}

// place prints the alias of a place after what stands there. In the first of two passes it only takes note of it.
func (p *printer) place(l tileir.Loc) {
	if p.places == nil {
		return
	}
	p.text(" loc(", p.places.nodes[p.places.loc(l)].name, ")")
}

// notePlace adds a place in the first pass, before those inside of what stands there.
func (p *printer) notePlace(l tileir.Loc) {
	if p.places != nil {
		p.places.loc(l)
	}
}

// definitions prints the aliases.
func (p *printer) definitions(nodes []*placeNode) {
	for _, n := range nodes {
		p.text(n.name, " = ")
		for _, part := range n.parts {
			switch part := part.(type) {
			case string:
				p.text(part)
			case int:
				p.text(p.places.nodes[part].name)
			}
		}
		p.text("\n")
	}
}
