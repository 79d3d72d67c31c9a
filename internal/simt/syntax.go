package simt

import (
	"fmt"
	"strconv"
)

// regPrefix begins the names of registers, by class.
var regPrefix = [...]string{Pred: "%p", B16: "%rs", B32: "%r", B64: "%rd"}

// Syntax writes the instructions of a function as PTX writes them. Registers are numbered within their class.
type Syntax struct {
	f      *Func
	m      *Module // of a host function, for its launches; or nil
	number []int32
	counts [4]int
}

// NewSyntax prepares to write a function's instructions.
func NewSyntax(f *Func) *Syntax {
	s := &Syntax{f: f, number: make([]int32, len(f.Regs))}
	for r, c := range f.Regs {
		if c > B64 {
			continue
		}
		s.number[r] = int32(s.counts[c])
		s.counts[c]++
	}
	return s
}

// Count is the number of registers of a class.
func (s *Syntax) Count(c Class) int { return s.counts[c] }

// Prefix is the beginning of the names of a class's registers: "%r".
func (c Class) Prefix() string { return regPrefix[c] }

// Reg gives the name of a register: "%r7".
func (s *Syntax) Reg(r Reg) string { return string(s.reg(nil, r)) }

func (s *Syntax) reg(b []byte, r Reg) []byte {
	if r < 0 || int(r) >= len(s.f.Regs) || s.f.Regs[r] > B64 {
		return fmt.Appendf(b, "%%?%d", r)
	}
	return strconv.AppendInt(append(b, regPrefix[s.f.Regs[r]]...), int64(s.number[r]), 10)
}

// Label gives the name of a label: "$L3".
func Label(n int) string { return "$L" + strconv.Itoa(n) }

// Instr gives an instruction as text, without a semicolon, also one that no form has.
func (s *Syntax) Instr(in *Instr) string { return string(s.AppendInstr(nil, in)) }

// AppendInstr appends what Instr gives.
func (s *Syntax) AppendInstr(b []byte, in *Instr) []byte {
	if in.Op == OpLabel && len(in.Src) == 1 {
		return append(append(b, Label(in.Src[0].Label)...), ':')
	}
	b = s.AppendGuard(b, in)
	b = append(b, in.Op...)
	if in.Op == OpLaunch && in.Launch != nil {
		return s.appendLaunch(b, in)
	}
	sig := &Sig{}
	if f, ok := FormOf(in.Op); ok {
		if found := f.Sig(in); found != nil {
			sig = found
		}
	}
	w := operandWriter{s, b, 0}
	w.list(in.Dst, sig.Dst)
	w.list(in.Src, sig.Src)
	if in.Op == OpPrintf || in.Op == OpCall || in.Op == OpAssert || in.Op == OpCheck {
		w.separate()
		w.b = strconv.AppendQuote(w.b, in.Text)
	}
	if in.Op == OpVar && in.Var != nil {
		w.separate()
		w.b = strconv.AppendQuote(w.b, in.Var.Name)
	}
	return w.b
}

// AppendGuard appends "@%p1 ", or nothing.
func (s *Syntax) AppendGuard(b []byte, in *Instr) []byte {
	if in.Guard == NoReg {
		return b
	}
	b = append(b, '@')
	if in.Unless {
		b = append(b, '!')
	}
	return append(s.reg(b, in.Guard), ' ')
}

// operandWriter writes a list of operands.
type operandWriter struct {
	*Syntax
	b []byte
	n int
}

func (w *operandWriter) separate() {
	if w.n > 0 {
		w.b = append(w.b, ',')
	}
	w.b = append(w.b, ' ')
	w.n++
}

func (w *operandWriter) list(ops []Operand, slots []Slot) {
	for i, op := range ops {
		slot := Slot{}
		if i < len(slots) {
			slot = slots[i]
		}
		switch {
		case !slot.Join:
			w.separate()
			w.b = w.AppendOperand(w.b, op, slot.Type)
		case op.Kind == Vector: // into the brackets of the address before it
			w.b = append(w.AppendOperand(append(w.b[:len(w.b)-1], ", "...), op, slot.Type), ']')
		case op.Kind == Address && i > 0:
			inner := w.AppendOperand(nil, op, "")
			w.b = append(append(w.b[:len(w.b)-1], ", "...), inner[1:]...)
		default:
			w.b = w.AppendOperand(append(w.b, '|'), op, slot.Type)
		}
	}
}

// AppendOperand appends an operand; the type, one of PTX's or "", is that of an immediate.
func (s *Syntax) AppendOperand(b []byte, op Operand, typ string) []byte {
	if op.Not {
		b = append(b, '!')
	}
	switch op.Kind {
	case Register:
		return s.reg(b, op.Reg)
	case Imm:
		return appendImm(b, op.Bits, typ)
	case Vector:
		b = append(b, '{')
		for i, e := range op.Vec {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = s.AppendOperand(b, e, typ)
		}
		return append(b, '}')
	case Address:
		b = append(b, '[')
		if op.Reg == NoReg {
			b = append(b, op.Name...)
		} else {
			b = s.reg(b, op.Reg)
		}
		if op.Bits != 0 {
			b = strconv.AppendInt(append(b, '+'), int64(op.Bits), 10)
		}
		return append(b, ']')
	case Target:
		return append(b, Label(op.Label)...)
	case Special, Symbol:
		return append(b, op.Name...)
	case Sink:
		return append(b, '_')
	}
	return append(b, '?')
}

// appendImm appends a number as its type has it: signed, unsigned, or the bits of a float.
func appendImm(b []byte, bits uint64, typ string) []byte {
	width := TypeBits(typ)
	switch typ {
	case "f32":
		return fmt.Appendf(b, "0f%08X", uint32(bits))
	case "f64":
		return fmt.Appendf(b, "0d%016X", bits)
	case "u64", "b64":
		return strconv.AppendUint(b, bits, 10)
	case "":
		return strconv.AppendInt(b, int64(bits), 10)
	}
	if typ[0] == 's' {
		return strconv.AppendInt(b, int64(bits<<(64-width))>>(64-width), 10)
	}
	return strconv.AppendUint(b, bits<<(64-width)>>(64-width), 10)
}
