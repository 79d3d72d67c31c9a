package dwarftest

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
)

// Printing makes instructions that print what the pieces of a place hold, in hexadecimal digits with a blank behind each. format and src come
// before them.
func Printing(t testing.TB, f *simt.Func, pieces []Piece, format string, src ...simt.Operand) []simt.Instr {
	t.Helper()
	regs, syntax := map[string]simt.Reg{}, simt.NewSyntax(f)
	for r := range f.Regs {
		regs[syntax.Reg(simt.Reg(r))] = simt.Reg(r)
	}
	b := simt.Builder{Func: &simt.Func{Regs: f.Regs}}
	to32 := func(op string, args ...simt.Operand) simt.Operand {
		b.Func.Regs = append(b.Func.Regs, simt.B32)
		x := simt.R(simt.Reg(len(b.Func.Regs) - 1))
		b.Emit(op, []simt.Operand{x}, args...)
		return x
	}
	for i, op := range src {
		if op.Kind == simt.Special {
			src[i] = to32("mov.u32", op)
		}
	}
	for _, p := range pieces {
		switch r, ok := regs[p.Reg]; {
		case p.Reg == "":
			format += fmt.Sprintf("%x ", p.Number)
		case !ok:
			t.Fatalf("there is no register %s", p.Reg)
		case f.Regs[r] == simt.B64:
			format, src = format+"%llx ", append(src, simt.R(r))
		case f.Regs[r] == simt.B32:
			format, src = format+"%x ", append(src, simt.R(r))
		case f.Regs[r] == simt.B16:
			format, src = format+"%x ", append(src, to32("cvt.u32.u16", simt.R(r)))
		default:
			format, src = format+"%x ", append(src, to32("selp.b32", simt.I(1), simt.I(0), simt.R(r)))
		}
	}
	b.Emit(simt.OpPrintf, nil, src...).Text = format + "\n"
	f.Regs = b.Func.Regs
	return b.Func.Body
}

// At gives the pieces of a variable where an instruction stands; nil for nowhere.
func (v *Variable) At(address uint64) []Piece {
	for _, p := range v.Places {
		if p.From <= address && address < p.To {
			return p.Pieces
		}
	}
	return nil
}
