package ptx

import (
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// instr takes an instruction.
func (r *reader) instr() {
	guard, unless := r.guard()
	t := r.take()
	r.line = t.line
	switch t.text {
	case "call", "call.uni":
		r.callFunction(guard, unless)
		return
	case "ret", "ret.uni":
		if n := len(r.calls); n > 0 {
			r.expect(";")
			r.add(simt.Instr{Op: "bra", Src: []simt.Operand{simt.L(r.calls[n-1].end)}, Guard: guard, Unless: unless})
			return
		}
	}
	if !strings.Contains(t.text, ".") && !isOpcode(t.text) || t.text == simt.OpLabel {
		r.noInstruction(t)
	}
	op := respell(t.text)
	plain := withoutHint(t.text)
	if plain != "" {
		op = plain
	}
	if _, ok := simt.FormOf(op); !ok && !isWritten(op) {
		r.noInstruction(t)
	}
	args := r.args()
	if plain != "" {
		args = r.withoutPolicy(t, args)
	}
	r.emit(op, args, guard, unless, t)
}

func isOpcode(word string) bool {
	_, ok := simt.FormOf(respell(word))
	return ok
}

// emit appends an instruction of the text, in the form that the table has for it.
func (r *reader) emit(op string, args []arg, guard simt.Reg, unless bool, t token) {
	l := &lowering{reader: r, t: t, guard: guard, unless: unless}
	if isAccess(op) {
		for i, a := range args { // Triton writes one value in braces
			if a.Kind == simt.Vector && len(a.elems) == 1 {
				args[i] = a.elems[0]
			}
		}
	}
	for _, a := range args { // the parameters of functions lie in local memory
		if a.Kind == simt.Address && a.mem.space == "local" {
			op = strings.Replace(strings.Replace(op, ".param::func", ".param", 1), ".param.", ".local.", 1)
		}
	}
	write := writtenAs(op, args)
	switch {
	case isEight(op) && !r.wide:
		write = (*lowering).halves
	case ofBytes(op, args):
		write = (*lowering).bytes
	}
	if write != nil {
		write(l, op, args)
		return
	}
	l.plain(op, args)
}

// isAccess reports whether an instruction loads or stores.
func isAccess(op string) bool { return strings.HasPrefix(op, "ld.") || strings.HasPrefix(op, "st.") }

// lowering turns an instruction of a text into instructions of the table.
type lowering struct {
	*reader
	t      token
	guard  simt.Reg
	unless bool
	after  []func() // what moves results to where they belong
}

// plain appends an instruction that the table has, with its operands as it takes them.
func (l *lowering) plain(op string, args []arg) {
	f, ok := simt.FormOf(op)
	if !ok { // of those that an instruction is written with
		l.noInstruction(l.t)
	}
	var best *simt.Sig
	least := impossible
	for i := range f.Sigs {
		if c := l.cost(f.Op, &f.Sigs[i], args); c < least {
			best, least = &f.Sigs[i], c
		}
	}
	if best == nil {
		l.fail(l.t, "%s has the wrong operands: expected %s", f.Op, f.Operands())
	}
	in := simt.Instr{Op: f.Op, Guard: l.guard, Unless: l.unless}
	l.after = nil
	for i := range best.Dst {
		in.Dst = append(in.Dst, l.convert(&best.Dst[i], args[i], true))
	}
	for i := range best.Src {
		in.Src = append(in.Src, l.convert(&best.Src[i], args[len(best.Dst)+i], false))
	}
	l.add(in)
	after := l.after
	for _, f := range after {
		f()
	}
}

// The costs of an operand that a slot does not take as it is.
const (
	outOfRange = 1 // Verify will say so
	converted  = 16
	impossible = 1 << 20
)

// cost says how well operands fit a list of the table: impossible where they do not.
func (l *lowering) cost(op string, s *simt.Sig, args []arg) int {
	if len(s.Dst)+len(s.Src) != len(args) {
		return impossible
	}
	total := 0
	for i := range args {
		if i < len(s.Dst) {
			total += l.fits(op, &s.Dst[i], &args[i], true)
		} else {
			total += l.fits(op, &s.Src[i-len(s.Dst)], &args[i], false)
		}
	}
	return min(total, impossible)
}

// fits is the cost of an operand.
func (l *lowering) fits(op string, s *simt.Slot, a *arg, dst bool) int {
	if s.Kinds.Has(simt.Vector) {
		if a.Kind != simt.Vector || len(a.elems) != s.Len {
			return impossible
		}
		total := 0
		for i := range a.elems {
			elem := s.Elem(i)
			total += l.fits(op, &elem, &a.elems[i], dst)
		}
		return total
	}
	value := !dst && s.Kinds.Has(simt.Register) && s.Type != "pred" // which a register may bring
	switch a.Kind {
	case simt.Register:
		return l.registerFits(op, s, a, dst)
	case simt.Imm:
		_, ok := a.number.as(s.Type)
		switch {
		case !ok || s.Type == "":
			return impossible
		case s.Kinds.Has(simt.Imm) && !s.Allows(a.Bits):
			return outOfRange
		case s.Kinds.Has(simt.Imm):
			return 0
		}
		value = value || !dst && s.Kinds.Has(simt.Register) && a.Bits <= 1 // a truth value
	case simt.Special:
		typ, _, _ := simt.SpecialType(a.Name)
		if s.Kinds.Has(simt.Special) && simt.ClassOf(typ) == simt.ClassOf(s.Type) {
			return 0
		}
		value = value && simt.TypeBits(s.Type) >= 16
	case simt.Symbol:
		if s.Kinds.Has(simt.Symbol) && isBare(a, s) {
			return 0
		}
		value = value && simt.TypeBits(s.Type) >= 32
	case simt.Address:
		return l.addressFits(s, a)
	case simt.Sink:
		value = dst && s.Kinds.Has(simt.Register)
		fallthrough
	default:
		if s.Kinds.Has(a.Kind) {
			return 0
		}
		if a.Kind != simt.Sink {
			return impossible
		}
	}
	if value {
		return converted
	}
	return impossible
}

// isBare reports whether a slot takes a symbol as it is.
func isBare(a *arg, s *simt.Slot) bool {
	if simt.IsHandle(a.mem.space) {
		return a.mem.off == 0 && s.Type == "u64"
	}
	return a.mem.off == 0 && (simt.TypeBits(s.Type) == 64 || a.mem.base == "smem")
}

// registerFits is the cost of a register. The value of a load, store or conversion may have a wider one than its type.
func (l *lowering) registerFits(op string, s *simt.Slot, a *arg, dst bool) int {
	if !s.Kinds.Has(simt.Register) || a.Not && !s.Not {
		return impossible
	}
	c := l.f.Regs[a.Reg]
	if simt.Holds(c, s.Type) {
		return 0
	}
	head, _, _ := strings.Cut(op, ".")
	if slices.Contains([]string{"ld", "st", "cvt"}, head) && c.Bits() > simt.TypeBits(s.Type) && simt.TypeBits(s.Type) > 1 {
		return converted
	}
	return impossible
}

// addressFits is the cost of an address.
func (l *lowering) addressFits(s *simt.Slot, a *arg) int {
	shared := strings.HasPrefix(s.Space, "shared")
	small := int64(a.Bits) == int64(int32(a.Bits))
	switch {
	case !s.Kinds.Has(simt.Address):
		return impossible
	case s.IsHandle() || simt.IsHandle(a.mem.space):
		return l.handleFits(s, a)
	case s.Space == simt.TensorMemory && (a.Reg == simt.NoReg || l.f.Regs[a.Reg] != simt.B32 || !small):
		return impossible
	case a.Reg != simt.NoReg:
		c := l.f.Regs[a.Reg]
		switch {
		case s.Space == simt.TensorMemory:
			return 0
		case s.Space == "param" || c < simt.B32:
			return impossible
		case (c == simt.B64 || c == simt.B32 && shared) && small && !(s.Bare && a.Bits != 0):
			return 0
		}
		return converted
	case a.Name == "":
		if s.Space == "param" {
			return impossible
		}
		return converted
	case a.mem.space == s.Space && !s.Bare || a.mem.space == "shared" && shared && !s.Bare:
		return 0
	case s.Space == "" || a.mem.space == s.Space || a.mem.space == "const" && s.Space == "global":
		return converted
	}
	return impossible
}
