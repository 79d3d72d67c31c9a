package ptx

import (
	"cmp"
	"fmt"
	gotoken "go/token"
	"reflect"
	"slices"

	"github.com/cutile-go/cutile/internal/simt"
)

// debugging is what a module has for debuggers: nil if its kernels have no scopes.
type debugging struct {
	vars    bool // there are variables: else the calls alone are written, and the assembler optimises
	kernels []*kernelPlan
	names   map[string]int // of functions that were inlined
	order   []string
	seen    map[gotoken.Position]bool // the positions that the kernel at hand has noted
	scope   *simt.Scope               // of the last position
}

// kernelPlan is where a kernel has the code of functions, and variables.
type kernelPlan struct {
	f      *simt.Func
	number int
	root   *simt.Scope
	spans  []*scopeSpan
	labels map[int]bool // before which instructions a label stands
}

// scopeSpan is the code of a function: from one instruction to before another one.
type scopeSpan struct {
	*simt.Scope
	from, to int
	vars     []*placedVar
}

// placedVar is a variable, with the places where it is.
type placedVar struct {
	*simt.Variable
	typ    *simt.VarType
	places []varRange
}

// varRange is where a variable is while some instructions run.
type varRange struct {
	from, to int
	ops      []simt.Operand
}

// planned finds out what the kernels of a module have for debuggers: nil for nothing.
func planned(m *simt.Module) *debugging {
	d := &debugging{names: map[string]int{}}
	for i, k := range m.Kernels {
		p := planKernel(k)
		p.number = i
		if p.root != nil {
			d.kernels = append(d.kernels, p)
			d.vars = d.vars || k.Debug()
		}
	}
	if len(d.kernels) == 0 {
		return nil
	}
	for _, k := range d.kernels {
		for _, s := range k.spans {
			if _, ok := d.names[s.Name]; !ok && s.Up != nil {
				d.names[s.Name] = len(d.order)
				d.order = append(d.order, s.Name)
			}
		}
	}
	return d
}

// plan finds the places of one kernel.
func (d *debugging) plan(k *simt.Func) *kernelPlan {
	for _, p := range d.kernels {
		if p.f == k {
			return p
		}
	}
	return nil
}

// planner goes through the instructions of a kernel.
type planner struct {
	*kernelPlan
	byScope map[*simt.Scope]*scopeSpan
	open    map[*simt.Variable]*openVar
}

// openVar is a place of a variable that counts on, from an instruction on.
type openVar struct {
	place *simt.Instr
	from  int
}

func planKernel(f *simt.Func) *kernelPlan {
	p := &planner{kernelPlan: &kernelPlan{f: f, labels: map[int]bool{0: true, len(f.Body): true}}, byScope: map[*simt.Scope]*scopeSpan{}, open: map[*simt.Variable]*openVar{}}
	for i := range f.Body {
		if in := &f.Body[i]; in.Op != simt.OpLabel {
			p.span(i, in.Scope)
		}
		if in := &f.Body[i]; in.Op == simt.OpVar && in.Var.Type != nil {
			p.span(i, in.Var.Scope)
			p.place(in, nil)
		}
	}
	followPlaces(f, p.at)
	p.at(len(f.Body), nil)
	for _, s := range p.spans {
		slices.SortStableFunc(s.vars, func(a, b *placedVar) int {
			return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
		})
		p.labels[s.from], p.labels[s.to] = true, true
		for _, v := range s.vars {
			for _, r := range v.places {
				p.labels[r.from], p.labels[r.to] = true, true
			}
		}
	}
	return p.kernelPlan
}

// span says that an instruction is code of a function, and of those that called it.
func (p *planner) span(i int, s *simt.Scope) {
	for ; s != nil; s = s.Up {
		span := p.byScope[s]
		if span == nil {
			span = &scopeSpan{Scope: s, from: i}
			p.byScope[s] = span
			p.spans = append(p.spans, span)
		}
		span.to = i + 1
		if s.Up == nil && p.root == nil {
			p.root = s
		}
	}
}

// at says which variables are somewhere while an instruction runs: their places, which are instructions. Only those count in whose blocks the
// instruction is.
func (p *planner) at(i int, places map[*simt.Variable]*simt.Instr) {
	var in *simt.Instr
	if i < len(p.f.Body) {
		in = &p.f.Body[i]
	}
	for v, o := range p.open {
		if places[v] != o.place || !inside(v, in) {
			p.place(o.place, &varRange{o.from, i, o.place.Src})
			delete(p.open, v)
		}
	}
	for v, place := range places {
		if p.open[v] == nil && inside(v, in) {
			p.open[v] = &openVar{place, i}
		}
	}
}

// inside reports whether an instruction is code of the block that declares a variable, or of a function that is called there.
func inside(v *simt.Variable, in *simt.Instr) bool {
	if in == nil {
		return false
	}
	at := in.Pos
	for s := in.Scope; s != v.Scope; s = s.Up {
		if s == nil {
			return false
		}
		at = s.Call
	}
	return !outside(v, at)
}

// outside reports whether a position is not in the block that declares a variable.
func outside(v *simt.Variable, at gotoken.Position) bool {
	switch {
	case !at.IsValid() || at.Filename != v.Pos.Filename:
		return false
	case at.Line < v.Pos.Line || at.Line > v.Until.Line:
		return true
	}
	return at.Line == v.Until.Line && at.Column > v.Until.Column
}

// place notes the place of a variable, while some instructions run if there are any.
func (p *planner) place(in *simt.Instr, r *varRange) {
	v := in.Var
	span := p.byScope[v.Scope]
	var to *placedVar
	for _, old := range span.vars {
		if old.Variable != v.Variable {
			continue
		}
		if t, ok := old.typ.Merge(v.Type); ok {
			old.typ, to = t, old
			break
		}
	}
	if to == nil {
		to = &placedVar{v.Variable, v.Type, nil}
		span.vars = append(span.vars, to)
	}
	if r == nil {
		return
	}
	if n := len(to.places); n > 0 && to.places[n-1].to == r.from && reflect.DeepEqual(to.places[n-1].ops, r.ops) {
		to.places[n-1].to = r.to
		return
	}
	to.places = append(to.places, *r)
}

// label is the name of the label before an instruction of a kernel.
func (p *kernelPlan) label(i int) string { return fmt.Sprintf("$D%d_%d", p.number, i) }

// debugFiles declares the files of functions and variables.
func (w *writer) debugFiles() {
	for _, k := range w.debug.kernels {
		for _, s := range k.spans {
			w.file(s.Pos)
			w.file(s.Call)
			for _, v := range s.vars {
				w.file(v.Pos)
			}
		}
	}
}

// locIn notes the position of what follows, with the call that it is part of.
func (w *writer) locIn(pos gotoken.Position, s *simt.Scope) {
	pos.Offset, pos.Filename = 0, fileName(pos.Filename)
	if !pos.IsValid() || pos == w.last && s == w.debug.scope {
		return
	}
	w.last, w.debug.scope = pos, s
	if s == nil || s.Up == nil {
		w.debug.seen[pos] = true
		w.printf("\t.loc %d %d %d\n", w.files[pos.Filename], pos.Line, pos.Column)
		return
	}
	call := s.Call
	call.Offset, call.Filename = 0, fileName(call.Filename)
	if !w.debug.seen[call] {
		w.locIn(call, s.Up)
		w.last, w.debug.scope = pos, s
	}
	w.debug.seen[pos] = true
	w.printf("\t.loc %d %d %d, function_name $F%d, inlined_at %d %d %d\n", w.files[pos.Filename], pos.Line, pos.Column, w.debug.names[s.Name], w.files[call.Filename], call.Line, call.Column)
}

// unit appends the sections of DWARF.
func (w *writer) unit(m *simt.Module) {
	d := w.debug
	w.printf("\t.section .debug_str\n\t{\n")
	for i, name := range d.order {
		w.printf("$F%d:\n", i)
		sep := "\t.b8 "
		for _, c := range append([]byte(name), 0) {
			w.printf("%s%d", sep, c)
			sep = ", "
		}
		w.printf("\n")
	}
	if len(d.order) == 0 {
		w.printf("\t.b8 0\n")
	}
	w.printf("\t}\n")
	if !d.vars {
		return
	}
	abbrevSection().write(w, ".debug_abbrev")
	e := &entries{writer: w, info: &section{}, loc: &section{}, abstract: map[string]uint32{}}
	e.types = types{e.info, map[string]uint32{}}
	e.module(m)
	e.info.write(w, ".debug_info")
	if len(e.loc.b) > 0 {
		e.loc.write(w, ".debug_loc")
	}
}
