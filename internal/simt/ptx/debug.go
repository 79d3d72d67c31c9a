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
	open    map[*simt.Scope][]*openVar
	last    *simt.Scope
	written []int // how many instructions of PTX come before each
}

// openVar is a variable whose place counts on.
type openVar struct {
	in   *simt.Instr
	from int
}

func planKernel(f *simt.Func) *kernelPlan {
	p := &planner{kernelPlan: &kernelPlan{f: f, labels: map[int]bool{0: true, len(f.Body): true}}, byScope: map[*simt.Scope]*scopeSpan{}, open: map[*simt.Scope][]*openVar{}}
	n := 0
	for i := range f.Body {
		p.written = append(p.written, n)
		switch f.Body[i].Op {
		case simt.OpLabel, simt.OpVar, simt.OpCheck, simt.OpUndef:
		default:
			n++
		}
	}
	p.written = append(p.written, n)
	for i := range f.Body {
		switch in := &f.Body[i]; {
		case in.Op == simt.OpLabel:
		case in.Scope != nil:
			p.instr(i, in)
		default: // no function of the source
			p.leave(nil, i)
		}
	}
	for _, s := range p.spans {
		p.close(s.Scope, len(f.Body))
	}
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

// within reports whether a scope is another one, or was called on the way to it.
func within(s, of *simt.Scope) bool {
	for ; s != nil; s = s.Up {
		if s == of {
			return true
		}
	}
	return false
}

func (p *planner) instr(i int, in *simt.Instr) {
	if in.Scope != p.last {
		p.leave(in.Scope, i)
	}
	for s := in.Scope; s != nil; s = s.Up {
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
	if in.Op == simt.OpVar {
		p.end(in.Var.Scope, i, func(o *openVar) bool { return o.in.Var.Variable == in.Var.Variable })
		p.open[in.Var.Scope] = append(p.open[in.Var.Scope], &openVar{in, i})
		return
	}
	p.end(in.Scope, i, func(o *openVar) bool { return outside(o.in.Var.Variable, in.Pos) })
}

// leave ends the variables of functions that code of another one is not part of.
func (p *planner) leave(to *simt.Scope, at int) {
	for s := p.last; s != nil && !within(to, s); s = s.Up {
		p.close(s, at)
	}
	p.last = to
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

// close ends all variables of a scope.
func (p *planner) close(s *simt.Scope, at int) { p.end(s, at, func(*openVar) bool { return true }) }

// end ends variables of a scope before an instruction.
func (p *planner) end(s *simt.Scope, at int, which func(*openVar) bool) {
	list := p.open[s]
	keep := list[:0]
	for _, o := range list {
		if !which(o) {
			keep = append(keep, o)
			continue
		}
		p.place(o, at)
	}
	p.open[s] = keep
}

// place notes the place of a variable, which may be nowhere.
func (p *planner) place(o *openVar, to int) {
	v := o.in.Var
	var places []varRange
	if p.written[o.from] < p.written[to] { // there is code meanwhile
		places = []varRange{{o.from, to, o.in.Src}}
	}
	span := p.byScope[v.Scope]
	for _, old := range span.vars {
		if old.Variable != v.Variable {
			continue
		}
		if t, ok := old.typ.Merge(v.Type); ok {
			old.typ = t
			for _, r := range places {
				if n := len(old.places); n > 0 && old.places[n-1].to == r.from && reflect.DeepEqual(old.places[n-1].ops, r.ops) {
					old.places[n-1].to = r.to
				} else {
					old.places = append(old.places, r)
				}
			}
			return
		}
	}
	span.vars = append(span.vars, &placedVar{v.Variable, v.Type, places})
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
