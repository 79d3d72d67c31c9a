package ptx

import (
	gotoken "go/token"
	"slices"

	"github.com/cutile-go/cutile/internal/simt"
)

// call takes a scope that calls vprintf or __assertfail.
func (r *reader) call() {
	if len(r.tokens)-r.next > 2 && r.tokens[r.next+2].text == ".pred" {
		r.assert()
	} else {
		r.printf()
	}
}

// match takes what a template says; the words in capitals are taken by functions.
func (r *reader) match(template string, words map[string]func()) {
	tokens := lex(template)
	for _, t := range tokens[:len(tokens)-1] {
		if take := words[t.text]; take != nil {
			take()
		} else {
			r.expect(t.text)
		}
	}
}

// text takes the name of a text and gives the text.
func (r *reader) text() string {
	t := r.take()
	s, ok := r.texts[t.text]
	if !ok {
		r.unexpected(t, "a declared text, such as $s0")
	}
	return s
}

func (r *reader) printf() {
	in := simt.Instr{Op: simt.OpPrintf}
	start := r.peek()
	var types []string
	r.match(printfCall, map[string]func(){
		"SIZE":   func() { r.number(1, maxBytes) },
		"VALUES": func() { types = r.values(&in) },
		"TEXT":   func() { in.Text = r.text() },
		"GUARD":  func() { in.Guard, in.Unless = r.guard() },
	})
	want, err := simt.PrintfTypes(in.Text)
	if err != nil {
		r.fail(start, "%v", err)
	}
	if !slices.Equal(types, want) {
		r.fail(start, "the format %q takes values of types %v, found %v", in.Text, want, types)
	}
	r.add(in)
}

// values takes the lines that store the values of printf.
func (r *reader) values(in *simt.Instr) (types []string) {
	const store = "st.local."
	for len(r.peek().text) > len(store) && r.peek().text[:len(store)] == store {
		types = append(types, r.take().text[len(store):])
		r.expect("[", "args", "+")
		r.number(0, maxBytes)
		r.expect("]", ",")
		t := r.peek()
		a := r.operand()
		op := a.Operand
		if op.Kind == simt.Imm {
			bits, ok := a.number.as(types[len(types)-1])
			if op.Bits = bits; !ok {
				r.unexpected(t, "a number of the value's type")
			}
		}
		if op.Kind != simt.Register && op.Kind != simt.Imm || op.Not {
			r.unexpected(t, "a register or number")
		}
		in.Src = append(in.Src, op)
		r.expect(";")
	}
	return types
}

func (r *reader) assert() {
	in := simt.Instr{Op: simt.OpAssert}
	r.match(assertCall, map[string]func(){
		"FAIL":     func() { r.failure(&in) },
		"MESSAGE":  func() { in.Text = r.text() },
		"FILE":     func() { in.Pos.Filename = r.text() },
		"FUNCTION": func() { r.text() },
		"LINE":     func() { in.Pos.Line = r.number(0, maxBytes) },
	})
	if p := r.pos; p.Line == in.Pos.Line && p.Filename == fileName(in.Pos.Filename) {
		in.Pos = gotoken.Position{Filename: in.Pos.Filename, Line: p.Line, Column: p.Column}
	}
	r.add(in)
}

// failure takes the lines that say when an assertion fails: its condition and guard.
func (r *reader) failure(in *simt.Instr) {
	opposite, reg := r.copyPred("%fail")
	op := simt.R(reg)
	op.Not = !opposite
	in.Src = []simt.Operand{op}
	in.Guard = simt.NoReg
	if t := r.peek().text; t == copyPred(true) || t == copyPred(false) {
		in.Unless, in.Guard = r.copyPred("%on")
		r.expect("and.pred", "%fail", ",", "%fail", ",", "%on", ";")
	}
}

// copyPred takes a line that copies a predicate, or its opposite.
func (r *reader) copyPred(to string) (opposite bool, from simt.Reg) {
	t := r.take()
	if opposite = t.text == copyPred(true); !opposite && t.text != copyPred(false) {
		r.unexpected(t, "not.pred or mov.pred")
	}
	r.expect(to, ",")
	from = r.needRegister()
	r.expect(";")
	return opposite, from
}
