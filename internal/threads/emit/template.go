package emit

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/tileir"
)

// template is a function of vec for one lane.
type template struct {
	fn     *vec.Func
	args   []vec.Reg
	result vec.Reg
	vars   map[vec.Reg]bool // registers that are assigned more than once
	ends   []int            // by instruction that opens or closes a region: where the next part begins
}

// newTemplate makes a template of what build emits for arguments of classes.
func newTemplate(classes []vec.Class, build func(b *vec.Builder, args []vec.Reg) (vec.Reg, bool)) (*template, bool) {
	b := vec.NewBuilder("element")
	t := &template{}
	for _, c := range classes {
		t.args = append(t.args, b.New(c))
	}
	var ok bool
	if t.result, ok = build(b, t.args); !ok {
		return nil, false
	}
	b.Func.Prune(t.result)
	t.fn = &b.Func
	t.prepare()
	return t, true
}

// newTemplate makes a template with what the target has better than CPUs.
func (e *emitter) newTemplate(classes []vec.Class, build func(b *vec.Builder, args []vec.Reg) (vec.Reg, bool)) (*template, bool) {
	t, ok := newTemplate(classes, build)
	if ok {
		t.recognise(&e.target)
		t.prepare()
	}
	return t, ok
}

// prepare finds the ends of regions, and what is assigned more than once.
func (t *template) prepare() {
	defs := map[vec.Reg]int{}
	for _, r := range t.args {
		defs[r] = 1
	}
	t.vars, t.ends = map[vec.Reg]bool{}, make([]int, len(t.fn.Body))
	var open []int
	for i := range t.fn.Body {
		in := &t.fn.Body[i]
		if in.Dst != 0 {
			if defs[in.Dst]++; defs[in.Dst] > 1 {
				t.vars[in.Dst] = true
			}
		}
		switch {
		case in.Op == vec.Else || in.Op == vec.End:
			last := len(open) - 1
			t.ends[open[last]] = i
			open = open[:last]
			if in.Op == vec.Else {
				open = append(open, i)
			}
		case in.Op.Opens():
			open = append(open, i)
		}
	}
}

// inline writes a template's instructions for values and gives the result.
func (e *emitter) inline(t *template, args ...ir.Value) ir.Value {
	x := inliner{emitter: e, t: t, values: make([]ir.Value, len(t.fn.Regs)), vars: map[vec.Reg]ir.Var{}}
	for i, r := range t.args {
		x.values[r] = args[i]
	}
	for i := range t.fn.Regs {
		if r := vec.Reg(i); t.vars[r] {
			x.vars[r] = e.NewVar(t.fn.Class(r))
		}
	}
	x.run(0, len(t.fn.Body))
	return x.value(t.result)
}

// inliner writes a template once.
type inliner struct {
	*emitter
	t      *template
	values []ir.Value
	vars   map[vec.Reg]ir.Var
}

func (x *inliner) value(r vec.Reg) ir.Value {
	if v, ok := x.vars[r]; ok {
		return x.Get(v)
	}
	return x.values[r]
}

// run writes instructions from one to before another.
func (x *inliner) run(from, to int) {
	for i := from; i < to; i++ {
		in := x.t.fn.Body[i]
		switch in.Op {
		case vec.IfAny:
			i = x.branch(i, x.value(in.Src[0]))
		case vec.Repeat:
			end := x.t.ends[i]
			x.Loop(func() { x.run(i+1, end) })
			i = end
		case vec.Break:
			x.Break(int(in.Imm), 0)
		default:
			if in.Note > 0 {
				x.assign(in.Dst, idioms[in.Note-1].gpu(x.emitter, x.value(in.Src[0])))
				continue
			}
			x.element(in)
		}
	}
}

// branch writes an IfAny and gives the number of its End.
func (x *inliner) branch(i int, cond ir.Value) int {
	middle := x.t.ends[i]
	end := middle
	var otherwise func()
	if x.t.fn.Body[middle].Op == vec.Else {
		end = x.t.ends[middle]
		otherwise = func() { x.run(middle+1, end) }
	}
	x.If(cond, false, func() { x.run(i+1, middle) }, otherwise)
	return end
}

func (x *inliner) element(in vec.Instr) {
	var room [3]ir.Value
	src := room[:0]
	for i, c := range in.SrcClasses() {
		if c != vec.None {
			src = append(src, x.value(in.Src[i]))
		}
	}
	dst := in.Dst
	in.Dst, in.Src, in.Note = 0, [3]vec.Reg{}, 0
	x.assign(dst, x.Elem(in, src...))
}

// assign gives a register a value.
func (x *inliner) assign(dst vec.Reg, y ir.Value) {
	if v, ok := x.vars[dst]; ok {
		x.Set([]ir.Var{v}, []ir.Value{y})
		return
	}
	x.values[dst] = y
}

// move is a template that brings elements from and to memory, or makes a constant.
type move struct {
	kind    moveKind
	elem    tileir.Elem
	pointer bool
	bits    uint64
}

type moveKind uint8

const (
	loadMove moveKind = iota
	storeMove
	constantMove
	convertMove
	scaledMove
	updateMove
)

func (e *emitter) move(m move) *template {
	if t := e.moves[m]; t != nil {
		return t
	}
	ty := &tileir.TileType{Elem: m.elem, Pointer: m.pointer}
	var classes []vec.Class
	build := func(b *vec.Builder, _ []vec.Reg) (vec.Reg, bool) { return lane.Constant(b, ty, m.bits), true }
	switch m.kind {
	case loadMove:
		classes = []vec.Class{lane.Stored(ty).Class()}
		build = func(b *vec.Builder, a []vec.Reg) (vec.Reg, bool) { return lane.FromMemory(b, ty, a[0]), true }
	case storeMove:
		classes = []vec.Class{e.class(ty)}
		build = func(b *vec.Builder, a []vec.Reg) (vec.Reg, bool) { return lane.ToMemory(b, ty, a[0]), true }
	}
	t, _ := e.newTemplate(classes, build)
	e.moves[m] = t
	return t
}

// fromMemory brings what memory holds to the form of an element.
func (e *emitter) fromMemory(t *tileir.TileType, x ir.Value) ir.Value {
	return e.inline(e.move(move{kind: loadMove, elem: t.Elem, pointer: t.Pointer}), x)
}

// toMemory is the other direction.
func (e *emitter) toMemory(t *tileir.TileType, x ir.Value) ir.Value {
	return e.inline(e.move(move{kind: storeMove, elem: t.Elem, pointer: t.Pointer}), x)
}
