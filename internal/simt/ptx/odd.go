package ptx

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// byteType is the type whose values PTX wants in registers of 8 bits, which package simt does not have.
const byteType = ".e2m1x2"

// inByte writes a conversion from or to values of 8 bits, which go through a register of their own.
func (w *writer) inByte(in *simt.Instr) {
	guard := string(w.syntax.AppendGuard(nil, in))
	instr := strings.TrimPrefix(w.syntax.Instr(in), guard)
	op, operands, _ := strings.Cut(instr, " ")
	dst, src, _ := strings.Cut(operands, ", ")
	w.printf("\t{\n\t.reg .b8 %%byte;\n")
	if strings.HasSuffix(in.Op, byteType) {
		w.printf("\t%scvt.u8.u%d %%byte, %s;\n\t%s%s %s, %%byte;\n", guard, w.width(in.Src[0]), src, guard, op, dst)
	} else {
		w.printf("\t%s%s %%byte, %s;\n\t%scvt.u%d.u8 %s, %%byte;\n", guard, op, src, guard, w.width(in.Dst[0]), dst)
	}
	w.printf("\t}\n")
}

// width is the bits of a register.
func (w *writer) width(op simt.Operand) int { return w.f.Regs[op.Reg].Bits() }

// wideType is the type whose values PTX wants in registers of 128 bits; those of package simt are vectors of two.
const wideType = ".b128"

// inWide writes an instruction of which all vectors are values of 128 bits.
func (w *writer) inWide(in *simt.Instr) {
	guard := w.syntax.AppendGuard(nil, in)
	vector := func(op simt.Operand) []byte { return w.syntax.AppendOperand(nil, op, "b64") }
	w.printf("\t{\n\t.reg .b128 %%wide<3>;\n")
	for i, op := range in.Src[1:] {
		w.printf("\tmov.b128 %%wide%d, %s;\n", i+1, vector(op))
	}
	w.printf("\t%s%s %%wide0, %s", guard, in.Op, w.syntax.AppendOperand(nil, in.Src[0], ""))
	for i := range in.Src[1:] {
		w.printf(", %%wide%d", i+1)
	}
	w.printf(";\n\t%smov.b128 %s, %%wide0;\n\t}\n", guard, vector(in.Dst[0]))
}

// startsWide reports whether a scope that begins here declares the registers that inWide writes.
func (r *reader) startsWide() bool {
	return r.peek().text == ".reg" && len(r.tokens)-r.next > 2 && r.tokens[r.next+1].text == wideType && r.tokens[r.next+2].text == "%wide"
}

// inWide takes a scope as inWide of the writer has it, up to its closing brace.
func (r *reader) inWide() {
	r.expect(".reg", wideType, "%wide", "<", "3", ">", ";")
	args := make([]arg, 2, 4)
	for r.peek().text == "mov.b128" {
		r.take()
		r.expect("%wide"+strconv.Itoa(len(args)-1), ",")
		args = append(args, r.vector())
		r.expect(";")
	}
	guard, unless := r.guard()
	t := r.take()
	if _, ok := simt.FormOf(t.text); !ok || !strings.HasSuffix(t.text, wideType) {
		r.unexpected(t, "an instruction with values of 128 bits")
	}
	r.line = t.line
	r.expect("%wide0", ",")
	args[1] = r.operand()
	if args[1].Kind != simt.Address {
		r.unexpected(args[1].t, "an address")
	}
	r.expect("]")
	for i := range args[2:] {
		r.expect(",", "%wide"+strconv.Itoa(i+1))
	}
	r.expect(";")
	again, unlessAgain := r.guard()
	if again != guard || unlessAgain != unless {
		r.unexpected(r.peek(), "the guard of the instruction before")
	}
	r.expect("mov.b128")
	args[0] = r.vector()
	r.expect(",", "%wide0", ";", "}")
	r.emit(t.text, args, guard, unless, t)
}

// startsByte reports whether a scope that begins here declares the register that inByte writes.
func (r *reader) startsByte() bool {
	return r.peek().text == ".reg" && len(r.tokens)-r.next > 2 && r.tokens[r.next+1].text == ".b8" && r.tokens[r.next+2].text == "%byte"
}

// inByte takes what stands in a scope that inByte may have written: if it is, as the one instruction that it was.
func (r *reader) inByte() {
	f, start, regs := r.f, len(r.f.Body), len(r.f.Regs)
	r.body(false)
	if len(f.Body) != start+2 || len(f.Regs) != regs+1 {
		return
	}
	first, second, temporary := &f.Body[start], &f.Body[start+1], simt.Reg(regs)
	is := func(ops []simt.Operand) bool {
		return len(ops) == 1 && ops[0].Kind == simt.Register && ops[0].Reg == temporary
	}
	widens := fmt.Sprintf("cvt.u%d.u8", f.Regs[max(resultOf(second), 0)].Bits())
	narrows := fmt.Sprintf("cvt.u8.u%d", f.Regs[max(sourceOf(first), 0)].Bits())
	switch {
	case !is(first.Dst) || !is(second.Src) || first.Guard != second.Guard || first.Unless != second.Unless:
		return
	case strings.HasSuffix(second.Op, byteType) && first.Op == narrows && len(first.Src) == 1:
		second.Src = first.Src
		f.Body[start] = *second
	case strings.Contains(first.Op, byteType) && second.Op == widens && len(second.Dst) == 1:
		first.Dst = second.Dst
	default:
		return
	}
	f.Body, f.Regs = f.Body[:start+1], f.Regs[:regs]
	r.regs--
}

// resultOf and sourceOf give the register that an instruction has as its first result or operand: none where it is no register.
func resultOf(in *simt.Instr) simt.Reg { return firstRegister(in.Dst) }
func sourceOf(in *simt.Instr) simt.Reg { return firstRegister(in.Src) }

func firstRegister(ops []simt.Operand) simt.Reg {
	if len(ops) == 0 || ops[0].Kind != simt.Register {
		return simt.NoReg
	}
	return ops[0].Reg
}

// ofBytes reports whether an instruction puts a register together of bytes, or takes one apart.
func ofBytes(op string, args []arg) bool {
	if len(args) != 2 || (args[0].Kind == simt.Vector) == (args[1].Kind == simt.Vector) {
		return false
	}
	typ, ok := strings.CutPrefix(op, "mov.b")
	n := max(len(args[0].elems), len(args[1].elems))
	return ok && n > 1 && typ == strconv.Itoa(8*n)
}

// bytes writes such an instruction with shifts: the first byte is the lowest.
func (l *lowering) bytes(op string, args []arg) {
	c := simt.ClassOf(strings.TrimPrefix(op, "mov."))
	bits := c.Bits()
	if elems := args[1].elems; elems != nil {
		var all simt.Operand
		for i := range elems {
			b := arg{Operand: simt.R(l.newReg(c))}
			l.plain(fmt.Sprintf("cvt.u%d.u8", bits), []arg{b, elems[i]})
			if i == 0 {
				all = b.Operand
				continue
			}
			shifted := l.value(c, fmt.Sprintf("shl.b%d", bits), b.Operand, simt.I(int64(8*i)))
			all = l.value(c, fmt.Sprintf("or.b%d", bits), all, shifted)
		}
		l.plain(op, []arg{args[0], {Operand: all}})
		return
	}
	whole := arg{Operand: simt.R(l.newReg(c))} // whose own register may be among the results
	l.plain(op, []arg{whole, args[1]})
	for i, e := range args[0].elems {
		if e.Kind != simt.Sink {
			l.plain(fmt.Sprintf("cvt.u8.u%d", bits), []arg{e, {Operand: l.value(c, fmt.Sprintf("shr.u%d", bits), whole.Operand, simt.I(int64(8*i)))}})
		}
	}
}
