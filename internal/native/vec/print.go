package vec

import (
	"fmt"
	"strings"
)

// String prints the function, an instruction a line.
func (f *Func) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "func %s {\n", f.Name)
	depth := 1
	for i := range f.Body {
		in := &f.Body[i]
		if in.Op == End || in.Op == Else {
			depth--
		}
		fmt.Fprintf(&b, "%s%s\n", strings.Repeat("  ", depth), f.Text(in))
		if in.Op.Opens() || in.Op == Else {
			depth++
		}
	}
	b.WriteString("}\n")
	return b.String()
}

var prefixes = [...]string{None: "?", Scalar: "s", Mask: "m", V8: "b", V16: "h", V32: "v", V64: "d"}

// regText is s for scalars, m for masks, and b, h, v and d for lanes of 8 to 64 bits, with the register's number.
func (f *Func) regText(r Reg) string {
	if r < 0 || int(r) >= len(f.Regs) {
		return fmt.Sprintf("?%d", r)
	}
	return fmt.Sprintf("%s%d", prefixes[f.Regs[r]], r)
}

// Text prints an instruction.
func (f *Func) Text(in *Instr) string {
	if in.Op >= numOps {
		return fmt.Sprintf("operation %d", in.Op)
	}
	row := &Table[in.Op]
	var b strings.Builder
	if in.Dst != 0 {
		b.WriteString(f.regText(in.Dst) + " = ")
	}
	b.WriteString(row.Name)
	if in.Type != NoType {
		b.WriteString("." + in.Type.String())
	}
	if in.From != NoType {
		b.WriteString("." + in.From.String())
	}
	if row.conds > 0 {
		b.WriteString("." + in.Cond.String())
	}
	sep := " "
	write := func(format string, args ...any) {
		b.WriteString(sep)
		fmt.Fprintf(&b, format, args...)
		sep = ", "
	}
	for _, r := range in.Src {
		if r != 0 {
			write("%s", f.regText(r))
		}
	}
	if row.mem {
		write("%s", f.memText(in.Mem))
	}
	if row.imm {
		write("%d", in.Imm)
	}
	if in.Mask != 0 {
		write("where %s", f.regText(in.Mask))
	}
	return b.String()
}

func (f *Func) memText(m Mem) string {
	s := "[" + f.regText(m.Base)
	if m.Index != 0 {
		s += fmt.Sprintf(" + %s*%d", f.regText(m.Index), m.Scale)
	}
	if m.Disp != 0 {
		s += fmt.Sprintf(" + %d", m.Disp)
	}
	return s + "]"
}
