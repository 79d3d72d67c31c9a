package simt

import (
	"errors"
	"fmt"
	"go/token"
	"strings"
)

// Error is a mistake in a module.
type Error struct {
	Func  string // "kernel k", "host function h"; "" for the module
	Index int    // of the instruction, from 0; -1 for a mistake that is of none
	Text  string // the instruction
	Msg   string
	Pos   token.Position
}

// Error gives position, function, instruction and what is wrong.
func (e *Error) Error() string {
	text := ""
	if e.Pos.IsValid() {
		text = e.Pos.String() + ": "
	}
	if e.Func != "" {
		text += e.Func + ": "
	}
	if e.Index >= 0 {
		text += fmt.Sprintf("instruction %d, %s: ", e.Index, e.Text)
	}
	return text + e.Msg
}

// mistakes is how many Verify lists.
const mistakes = 10

// Verify reports what is wrong in a module for a target: an [Error] for each mistake, joined, at most ten. Every register
// must be written on every path before it is read, but for the accumulator of wgmma, which may ignore its old value.
func Verify(m *Module, target string) error {
	t, err := TargetOf(target)
	if err != nil {
		return err
	}
	return VerifyArch(m, t)
}

// VerifyArch is Verify for an architecture and the version of PTX that the module will be written in.
func VerifyArch(m *Module, t Arch) error {
	v := &verifier{m: m, target: t}
	v.variables()
	v.handles()
	names := map[string]bool{}
	for _, k := range m.Kernels {
		if names[k.Name] {
			v.add("there are two kernels %q", k.Name)
		}
		names[k.Name] = true
		v.function(k)
	}
	if m.Host != nil {
		v.function(m.Host)
	}
	return errors.Join(v.errs...)
}

// verifier is the state of Verify.
type verifier struct {
	m      *Module
	target Arch
	f      *Func
	syntax *Syntax
	index  int // of the instruction that is looked at
	params map[string]*Param
	vars   map[string]*Var
	errs   []error
	found  int // mistakes, also those that are not listed

	handleTypes map[string]string // of textures, samplers and surfaces, by name
	samplers    bool              // the module names samplers
}

// add notes a mistake at the current instruction.
func (v *verifier) add(format string, args ...any) {
	if v.found++; v.found > mistakes {
		return
	}
	e := &Error{Index: -1, Msg: fmt.Sprintf(format, args...)}
	if v.f != nil {
		e.Func = "kernel " + v.f.Title()
		if v.f.Host {
			e.Func = "host function " + v.f.Name
		}
		if v.index >= 0 {
			in := &v.f.Body[v.index]
			e.Index, e.Text, e.Pos = v.index, strings.TrimSuffix(v.syntax.Instr(in), ":"), in.Pos
		}
	}
	v.errs = append(v.errs, e)
}

// function looks at a function: what it declares, each instruction, then how they follow each other.
func (v *verifier) function(f *Func) {
	before := v.found
	v.f, v.syntax, v.index = f, NewSyntax(f), -1
	defer func() { v.f = nil }()
	v.declarations()
	if f.Host != (f == v.m.Host) {
		v.add("Host is %t, expected %t: only the module's host function has it", f.Host, !f.Host)
	}
	if !f.Host {
		v.limits()
	}
	if v.index = -1; !v.labels() {
		return
	}
	for v.index = range f.Body {
		v.instr(&f.Body[v.index])
	}
	v.index = -1
	if v.found > before {
		return // what follows needs valid instructions
	}
	if n := len(f.Body); n == 0 || !f.Body[n-1].Ends() {
		v.add("the body runs past its end: expected ret, exit, trap or bra as its last instruction")
		return
	}
	for _, u := range unwritten(f) {
		v.index = u.instr
		v.add("%s is read, but some path to here does not write it; a write under a guard does not count", v.syntax.Reg(u.reg))
	}
}

// labels reports whether every label is placed once and every jump leads to one.
func (v *verifier) labels() bool {
	before := v.found
	placed := make([]bool, max(v.f.Labels, 0))
	for v.index = range v.f.Body {
		in := &v.f.Body[v.index]
		if in.Op != OpLabel {
			continue
		}
		switch {
		case len(in.Src) != 1 || in.Src[0].Kind != Target || len(in.Dst) != 0 || in.Guard != NoReg || !v.label(in.Src[0].Label):
			v.add("expected one label from 0 to %d and no guard", v.f.Labels-1)
		case placed[in.Src[0].Label]:
			v.add("%s is placed a second time", Label(in.Src[0].Label))
		default:
			placed[in.Src[0].Label] = true
		}
	}
	for v.index = range v.f.Body {
		if label, ok := v.f.Body[v.index].Jump(); ok && (!v.label(label) || !placed[label]) {
			v.add("%s is not placed", Label(label))
		}
	}
	v.index = -1
	return v.found == before
}

func (v *verifier) label(n int) bool { return n >= 0 && n < v.f.Labels }
