package ptx

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/simt"
)

// convert gives an operand as its slot takes it.
func (l *lowering) convert(s *simt.Slot, a arg, dst bool) simt.Operand {
	class := simt.ClassOf(s.Type)
	switch a.Kind {
	case simt.Vector:
		v := simt.V()
		for i, e := range a.elems {
			elem := s.Elem(i)
			v.Vec = append(v.Vec, l.convert(&elem, e, dst))
		}
		return v
	case simt.Register:
		if simt.Holds(l.f.Regs[a.Reg], s.Type) {
			return a.Operand
		}
		if dst {
			return l.widened(s.Type, a.Reg)
		}
		return l.narrowed(s.Type, a.Reg)
	case simt.Imm:
		bits, _ := a.number.as(s.Type)
		if s.Kinds.Has(simt.Imm) {
			return simt.B(bits)
		}
		return l.value(class, "mov."+class.String(), simt.B(bits))
	case simt.Special:
		if typ, _, _ := simt.SpecialType(a.Name); s.Kinds.Has(simt.Special) && simt.ClassOf(typ) == class {
			return a.Operand
		}
		return l.special(class, a.Name)
	case simt.Symbol:
		if s.Kinds.Has(simt.Symbol) && isBare(&a, s) {
			return a.Operand
		}
		return l.symbol(class, &a)
	case simt.Address:
		return l.address(s, &a)
	case simt.Sink:
		if !s.Kinds.Has(simt.Sink) {
			return simt.R(l.newReg(class))
		}
	}
	return a.Operand
}

// value appends an instruction with its result in a new register.
func (l *lowering) value(c simt.Class, op string, src ...simt.Operand) simt.Operand {
	d := simt.R(l.newReg(c))
	l.add(simt.Instr{Op: op, Dst: []simt.Operand{d}, Src: src, Guard: simt.NoReg})
	return d
}

// widened gives a register for a result that is to be extended to a wider one.
func (l *lowering) widened(typ string, to simt.Reg) simt.Operand {
	d := simt.R(l.newReg(simt.ClassOf(typ)))
	kind := "u"
	if typ[0] == 's' {
		kind = "s"
	}
	op := fmt.Sprintf("cvt.%s%d.%s%d", kind, l.f.Regs[to].Bits(), kind, simt.TypeBits(typ))
	l.after = append(l.after, func() {
		l.add(simt.Instr{Op: op, Dst: []simt.Operand{simt.R(to)}, Src: []simt.Operand{d}, Guard: l.guard, Unless: l.unless})
	})
	return d
}

// narrowed gives the low bits of a register.
func (l *lowering) narrowed(typ string, from simt.Reg) simt.Operand {
	c := simt.ClassOf(typ)
	return l.value(c, fmt.Sprintf("cvt.u%d.u%d", c.Bits(), l.f.Regs[from].Bits()), simt.R(from))
}

// special gives the value of a special register in a register of a class.
func (l *lowering) special(c simt.Class, name string) simt.Operand {
	typ, _, _ := simt.SpecialType(name)
	from := simt.ClassOf(typ)
	x := l.value(from, "mov."+typ, simt.S(name))
	if from == c {
		return x
	}
	return l.value(c, fmt.Sprintf("cvt.u%d.u%d", c.Bits(), from.Bits()), x)
}

// symbol gives the address of a variable, in its space, in a register of a class.
func (l *lowering) symbol(c simt.Class, a *arg) simt.Operand {
	x := l.value(simt.B64, "mov.u64", simt.Sym(a.mem.base))
	if a.mem.off != 0 {
		x = l.value(simt.B64, "add.u64", x, simt.I(a.mem.off))
	}
	if c == simt.B64 {
		return x
	}
	return l.value(c, "cvt.u32.u64", x)
}

// address gives an address whose base is a register of 64 bits, where a slot takes no other.
func (l *lowering) address(s *simt.Slot, a *arg) simt.Operand {
	if l.addressFits(s, a) == 0 {
		return a.Operand
	}
	var base simt.Operand
	offset := int64(a.Bits)
	switch {
	case a.Reg != simt.NoReg && l.f.Regs[a.Reg] == simt.B32:
		base = l.value(simt.B64, "cvt.u64.u32", simt.R(a.Reg))
	case a.Reg != simt.NoReg:
		base = simt.R(a.Reg)
	case a.Name == "":
		base, offset = l.value(simt.B64, "mov.u64", simt.B(a.Bits)), 0
	default:
		e := arg{mem: entity{base: a.Name, off: offset}}
		base, offset = l.symbol(simt.B64, &e), 0
		if s.Space == "" {
			base = l.value(simt.B64, "cvta."+a.mem.space+".u64", base)
		}
	}
	if s.Bare || offset != int64(int32(offset)) {
		base, offset = l.value(simt.B64, "add.u64", base, simt.I(offset)), 0
	}
	return simt.At(base.Reg, offset)
}
