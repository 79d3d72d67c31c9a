package ptx

import (
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// body takes declarations and instructions up to the closing brace of a kernel.
func (r *reader) body() {
	for {
		t := r.take()
		switch {
		case t.text == "}":
			return
		case t.text == ".reg":
			r.registers()
		case t.text == ".local":
			r.expect(".align", "16", ".b8", "local", "[")
			r.f.Local = r.number(1, maxBytes)
			r.expect("]", ";")
		case t.text == ".loc":
			r.loc()
		case t.text == "{":
			r.next--
			r.call()
		case strings.HasPrefix(t.text, "$L") && r.accept(":"):
			r.add(simt.Instr{Op: simt.OpLabel, Src: []simt.Operand{simt.L(r.label(t))}, Guard: simt.NoReg})
		default:
			r.next--
			if t.text == "" {
				r.unexpected(t, "an instruction or }")
			}
			r.instr()
		}
	}
}

// add appends an instruction at the present position.
func (r *reader) add(in simt.Instr) {
	if in.Op != simt.OpAssert {
		in.Pos = r.pos
	}
	r.f.Body = append(r.f.Body, in)
}

// registers takes the declaration of a class's registers.
func (r *reader) registers() {
	t := r.take()
	for c := simt.Pred; c <= simt.B64; c++ {
		if t.text != "."+c.String() {
			continue
		}
		if r.count[c] > 0 {
			r.fail(t, "the registers of class %s are declared a second time", c)
		}
		r.expect(c.Prefix(), "<")
		r.base[c], r.count[c] = len(r.f.Regs), r.number(1, maxRegs)
		for range r.count[c] {
			r.f.Regs = append(r.f.Regs, c)
		}
		r.expect(">", ";")
		return
	}
	r.unexpected(t, ".pred, .b16, .b32 or .b64")
}

// loc takes the position of what follows.
func (r *reader) loc() {
	t := r.peek()
	file, ok := r.files[r.number(1, maxBytes)]
	if !ok {
		r.fail(t, "file %s is not declared", t.text)
	}
	r.pos.Filename, r.pos.Line, r.pos.Column = file, r.number(1, maxBytes), r.number(0, maxBytes)
}

// label gives the number of a label and makes it one of the function's.
func (r *reader) label(t token) int {
	n, err := strconv.Atoi(strings.TrimPrefix(t.text, "$L"))
	if err != nil || n < 0 || n >= maxLabels {
		r.unexpected(t, "a label, such as $L0")
	}
	r.f.Labels = max(r.f.Labels, n+1)
	return n
}

// register gives a register by its name, if it is one.
func (r *reader) register(name string) (simt.Reg, bool) {
	for c := simt.Pred; c <= simt.B64; c++ {
		digits, ok := strings.CutPrefix(name, c.Prefix())
		if n, err := strconv.Atoi(digits); ok && err == nil && n >= 0 && n < r.count[c] && strconv.Itoa(n) == digits {
			return simt.Reg(r.base[c] + n), true
		}
	}
	return simt.NoReg, false
}

// needRegister takes a register.
func (r *reader) needRegister() simt.Reg {
	t := r.take()
	reg, ok := r.register(t.text)
	if !ok {
		r.unexpected(t, "a register that is declared")
	}
	return reg
}

// guard takes "@%p1", if it is there.
func (r *reader) guard() (reg simt.Reg, unless bool) {
	if !r.accept("@") {
		return simt.NoReg, false
	}
	unless = r.accept("!")
	return r.needRegister(), unless
}

// instr takes an instruction and finds its form.
func (r *reader) instr() {
	in := simt.Instr{}
	in.Guard, in.Unless = r.guard()
	t := r.take()
	f, ok := simt.FormOf(t.text)
	if !ok || t.text == simt.OpLabel {
		r.unexpected(t, "an instruction")
	}
	in.Op = f.Op
	var ops []simt.Operand
	for !r.accept(";") {
		if len(ops) > 0 && !r.accept("|") {
			r.expect(",")
		}
		ops = append(ops, r.operand())
		if last := &ops[len(ops)-1]; last.Kind == simt.Address && r.accept(",") { // [a, {b}]
			ops = append(ops, r.vector())
			r.expect("]")
		} else if last.Kind == simt.Address {
			r.expect("]")
		}
	}
	for _, s := range f.Sigs {
		if n := len(s.Dst); n <= len(ops) {
			in.Dst, in.Src = ops[:n:n], ops[n:]
			if f.Sig(&in) != nil {
				r.add(in)
				return
			}
		}
	}
	var lists []string
	for _, s := range f.Sigs {
		lists = append(lists, s.String())
	}
	r.fail(t, "%s has other operands: expected %s", in.Op, strings.Join(lists, ", or "))
}

// operand takes an operand; of an address, all but the closing bracket.
func (r *reader) operand() simt.Operand {
	t := r.peek()
	switch {
	case t.text == "!":
		r.take()
		op := simt.R(r.needRegister())
		op.Not = true
		return op
	case t.text == "{":
		return r.vector()
	case t.text == "[":
		r.take()
		return r.address()
	case t.text == "-" || t.text != "" && t.text[0] >= '0' && t.text[0] <= '9':
		return simt.B(r.constant())
	case t.text == "_":
		r.take()
		return simt.Operand{Kind: simt.Sink, Reg: simt.NoReg}
	case strings.HasPrefix(t.text, "$L"):
		return simt.L(r.label(r.take()))
	case strings.HasPrefix(t.text, "%"):
		r.take()
		if reg, ok := r.register(t.text); ok {
			return simt.R(reg)
		}
		if _, _, ok := simt.SpecialType(t.text); !ok {
			r.unexpected(t, "a register that is declared, or a special one")
		}
		return simt.S(t.text)
	}
	return simt.Sym(r.name())
}

func (r *reader) vector() simt.Operand {
	r.expect("{")
	v := simt.V()
	for !r.accept("}") {
		if len(v.Vec) > 0 {
			r.expect(",")
		}
		t := r.peek()
		if t.text == "{" || t.text == "[" {
			r.unexpected(t, "a register or number")
		}
		v.Vec = append(v.Vec, r.operand())
	}
	return v
}

// address takes what stands in brackets, without a vector and the closing one.
func (r *reader) address() simt.Operand {
	op := simt.Operand{Kind: simt.Address, Reg: simt.NoReg}
	if strings.HasPrefix(r.peek().text, "%") {
		op.Reg = r.needRegister()
	} else {
		op.Name = r.name()
	}
	if r.accept("+") {
		op.Bits = r.constant()
	}
	return op
}

// constant takes a number: decimal or hexadecimal, or the bits of a float.
func (r *reader) constant() uint64 {
	negative := r.accept("-")
	t := r.take()
	digits, base, bits := t.text, 10, 64
	for prefix, width := range map[string]int{"0x": 64, "0f": 32, "0d": 64} {
		if rest, ok := strings.CutPrefix(t.text, prefix); ok {
			digits, base, bits = rest, 16, width
		}
	}
	n, err := strconv.ParseUint(digits, base, bits)
	if err != nil {
		r.unexpected(t, "a number")
	}
	if negative {
		return -n
	}
	return n
}
