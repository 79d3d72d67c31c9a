package ptx

import (
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// arg is an operand as it was read.
type arg struct {
	simt.Operand
	t      token
	number constant // of Imm
	joined bool     // follows "|"
	inside bool     // stands in the brackets of the address before it
	mem    entity   // of Symbol, and of an Address without a register
	elems  []arg    // of Vector
}

// args takes operands up to the semicolon.
func (r *reader) args() []arg {
	var args []arg
	for !r.accept(";") {
		joined := false
		if len(args) > 0 {
			if joined = r.accept("|"); !joined {
				r.expect(",")
			}
		}
		a := r.operand()
		a.joined = joined
		args = append(args, a)
		if a.Kind == simt.Address {
			args = append(args, r.coordinates()...)
		}
	}
	return args
}

// operand takes an operand; of an address, all but the closing bracket.
func (r *reader) operand() arg {
	t := r.peek()
	switch {
	case t.text == "!":
		r.take()
		op := simt.R(r.needRegister())
		op.Not = true
		return arg{Operand: op, t: t}
	case t.text == "{":
		return r.vector()
	case t.text == "[":
		r.take()
		return r.address()
	case t.text == "_":
		r.take()
		return arg{Operand: simt.Operand{Kind: simt.Sink, Reg: simt.NoReg}, t: t}
	case startsConstant(t.text):
		c := r.constant()
		return arg{Operand: simt.B(c.bits), t: t, number: c}
	}
	r.take()
	if reg, ok := r.register(t.text); ok {
		return arg{Operand: r.sum(reg), t: t}
	}
	if a, ok := special(t); ok {
		return a
	}
	return r.named(t)
}

// special gives a special register. One such as %tid is a vector of three, and a fourth element that is 0.
func special(t token) (a arg, ok bool) {
	if _, _, ok := simt.SpecialType(t.text); ok {
		return arg{Operand: simt.S(t.text), t: t}, true
	}
	name, fourth := strings.CutSuffix(t.text, ".w")
	if _, _, ok := simt.SpecialType(name + ".x"); !ok {
		return a, false
	}
	zero := arg{Operand: simt.B(0), t: t}
	if fourth {
		return zero, true
	}
	a = arg{Operand: simt.V(), t: t}
	for _, axis := range []string{".x", ".y", ".z"} {
		a.elems = append(a.elems, arg{Operand: simt.S(name + axis), t: t})
	}
	a.elems = append(a.elems, zero)
	return a, true
}

// sum gives a register, or its sum with the number that follows.
func (r *reader) sum(reg simt.Reg) simt.Operand {
	c := r.f.Regs[reg]
	if r.peek().text != "+" && r.peek().text != "-" || c == simt.Pred {
		return simt.R(reg)
	}
	n := r.offset()
	if c < simt.B64 {
		n = n << (64 - c.Bits()) >> (64 - c.Bits())
	}
	d := simt.R(r.newReg(c))
	r.add(simt.Instr{Op: fmt.Sprintf("add.s%d", c.Bits()), Dst: []simt.Operand{d}, Src: []simt.Operand{simt.R(reg), simt.I(n)}, Guard: simt.NoReg})
	return d
}

// named gives what a name stands for: a vector, memory or a label.
func (r *reader) named(t token) arg {
	e, ok := r.lookup(t.text)
	if n, isLabel := r.findLabel(t.text); isLabel && !ok {
		return arg{Operand: simt.L(n), t: t}
	}
	switch {
	case ok && e.kind == aVector:
		a := arg{Operand: simt.V(), t: t}
		for _, reg := range e.regs {
			a.elems = append(a.elems, arg{Operand: simt.R(reg), t: t})
		}
		return a
	case ok && e.kind == aMemory:
		if r.peek().text == "+" || r.peek().text == "-" {
			e.off += r.offset()
		}
		return arg{Operand: simt.Sym(e.base), t: t, mem: e}
	case r.isKnownText(t.text):
		r.fail(t, "%s is a text for printf and assert", t.text)
	case r.funcs[t.text] != nil:
		return r.functionOperand(t)
	}
	r.lacksSpecial(t)
	r.unexpected(t, "a declared or special register, a number, a variable or a label")
	return arg{}
}

// offset takes a sign and a number.
func (r *reader) offset() int64 {
	r.accept("+")
	t := r.peek()
	c := r.constant()
	if c.float != 0 {
		r.unexpected(t, "an integer")
	}
	return int64(c.bits)
}

func (r *reader) vector() arg {
	v := arg{Operand: simt.V(), t: r.peek()}
	r.expect("{")
	for !r.accept("}") {
		if len(v.elems) > 0 {
			r.expect(",")
		}
		t := r.peek()
		if t.text == "{" || t.text == "[" {
			r.unexpected(t, "a register or number")
		}
		v.elems = append(v.elems, r.operand())
	}
	return v
}

// address takes what stands in brackets, without a vector and the closing one.
func (r *reader) address() arg {
	t := r.peek()
	a := arg{Operand: simt.Operand{Kind: simt.Address, Reg: simt.NoReg}, t: t}
	if startsConstant(t.text) {
		a.Bits = r.constant().bits
		return a
	}
	r.take()
	if reg, ok := r.register(t.text); ok {
		a.Reg = reg
	} else if e, ok := r.lookup(t.text); ok && e.kind == aMemory {
		a.Name, a.mem = e.base, e
	} else {
		r.unexpected(t, "a declared register or variable")
	}
	for r.peek().text == "+" || r.peek().text == "-" {
		n := uint64(r.offset())
		a.Bits += n
	}
	a.Bits += uint64(a.mem.off)
	return a
}

// pairOfTruths reports whether an instruction has the two results "p|q" that only setp has, and no form of the table.
func pairOfTruths(op string, args []arg) bool {
	return strings.HasPrefix(op, "setp.") && len(args) > 1 && args[1].joined && !strings.HasSuffix(op, "x2")
}
