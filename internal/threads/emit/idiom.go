package emit

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vecmath"
	"github.com/cutile-go/cutile/internal/threads/ir"
)

// idiom is what templates compute for CPUs in a way that GPUs have a better one for, with the same result. NaN has the bits that the
// machine gives it.
type idiom struct {
	cpu    func(b *vec.Builder, x vec.Reg) vec.Reg
	gpu    func(e *emitter, x ir.Value) ir.Value
	better func(t *Target) bool
}

// idioms has the functions of one f32, and known their templates for CPUs.
var (
	idioms []*idiom
	known  []*template
)

func init() { // they refer to templates, which refer to them
	idioms = []*idiom{
		{vecmath.RoundBF16, func(e *emitter, x ir.Value) ir.Value { return e.RoundBF16(x) }, func(t *Target) bool { return t.Narrow }},
		{vecmath.Exp, inlined(vecmath.ExpBySums), func(t *Target) bool { return t.Magic }},
		{vecmath.Exp2, inlined(vecmath.Exp2BySums), func(t *Target) bool { return t.Magic }},
	}
	for _, d := range idioms {
		known = append(known, single(d.cpu))
	}
}

// inlined writes another template.
func inlined(f func(b *vec.Builder, x vec.Reg) vec.Reg) func(e *emitter, x ir.Value) ir.Value {
	t := single(f)
	return func(e *emitter, x ir.Value) ir.Value { return e.inline(t, x) }
}

// single is the template of a function of one f32.
func single(f func(b *vec.Builder, x vec.Reg) vec.Reg) *template {
	t, _ := newTemplate([]vec.Class{vec.V32}, func(b *vec.Builder, a []vec.Reg) (vec.Reg, bool) { return f(b, a[0]), true })
	return t
}

// recognise finds idioms in a template, and marks where their results are computed: there is a move with the number of the idiom, and what
// only the idiom needed is gone.
func (t *template) recognise(target *Target) {
	def := make([]int, len(t.fn.Regs)) // by register: 1 more than the instruction that assigns it; -1 if there are several
	for i := range t.fn.Body {
		if r := t.fn.Body[i].Dst; r != 0 && def[r] == 0 {
			def[r] = i + 1
		} else {
			def[r] = -1
		}
	}
	found := false
	for k, d := range idioms {
		if !d.better(target) {
			continue
		}
		for i := len(t.fn.Body) - 1; i >= 0; i-- {
			m := matcher{want: known[k], have: t, def: def}
			if in := &t.fn.Body[i]; in.Dst != 0 && m.match(known[k].result, in.Dst) {
				*in = vec.Instr{Op: vec.Move, Type: vec.F32, Dst: in.Dst, Src: [3]vec.Reg{m.arg}, Note: int32(k + 1)}
				found = true
			}
		}
	}
	if found {
		t.fn.Prune(t.result)
	}
}

// matcher compares what computes a register of a template with an idiom.
type matcher struct {
	want, have *template
	def        []int
	arg        vec.Reg // what the idiom's argument is
}

func (m *matcher) match(want, have vec.Reg) bool {
	if want == m.want.args[0] {
		if m.arg == 0 {
			m.arg = have
		}
		return m.arg == have
	}
	i := m.def[have]
	if i <= 0 {
		return false
	}
	x, y := m.want.definition(want), &m.have.fn.Body[i-1]
	if x.Op != y.Op || x.Type != y.Type || x.From != y.From || x.Cond != y.Cond || x.Imm != y.Imm || y.Note != 0 {
		return false
	}
	for k, c := range x.SrcClasses() {
		if c != vec.None && !m.match(x.Src[k], y.Src[k]) {
			return false
		}
	}
	return true
}

// definition is what assigns a register of an idiom.
func (t *template) definition(r vec.Reg) *vec.Instr {
	for i := range t.fn.Body {
		if t.fn.Body[i].Dst == r {
			return &t.fn.Body[i]
		}
	}
	return nil
}
