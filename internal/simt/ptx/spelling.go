package ptx

import (
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// spellings are opcodes of older versions, by their beginning, with what means the same today.
var spellings = []struct{ old, now string }{
	{"ldu.", "ld."},
	{"ret.uni", "ret"},
	{"mad.f32", "fma.rn.f32"},
	{"mad.ftz.f32", "fma.rn.ftz.f32"},
	{"mad.sat.f32", "fma.rn.sat.f32"},
	{"mad.rn.", "fma.rn."},
	{"mad.rz.", "fma.rz."},
	{"mad.rm.", "fma.rm."},
	{"mad.rp.", "fma.rp."},
	{"ld.volatile.local.", "ld.local."},
	{"st.volatile.local.", "st.local."},
}

// movable are modifiers that some texts write in another place than the table has.
var movable = []string{"ftz", "sat", "m8n8", "volatile"}

// respell gives an opcode as the table has it, or as it is.
func respell(op string) string {
	if _, ok := simt.FormOf(op); ok {
		return op
	}
	for _, s := range spellings {
		if rest, ok := strings.CutPrefix(op, s.old); ok {
			if _, ok := simt.FormOf(s.now + rest); ok {
				return s.now + rest
			}
		}
	}
	if same := reorder(op); same != "" {
		return same
	}
	words := strings.Split(op, ".")
	for i, w := range words {
		if !slices.Contains(movable, w) {
			continue
		}
		rest := slices.Delete(slices.Clone(words), i, i+1)
		for at := 1; at <= len(rest); at++ {
			moved := strings.Join(slices.Insert(slices.Clone(rest), at, w), ".")
			if _, ok := simt.FormOf(moved); ok {
				return moved
			}
		}
	}
	return op
}

// isWritten reports whether an opcode that the table lacks can be expressed by others.
func isWritten(op string) bool {
	return slices.ContainsFunc(written, func(w writing) bool { return w.has(op) }) || strings.Contains(op, ".param")
}

// writing is how an instruction that the table lacks is expressed by instructions that it has.
type writing struct {
	has   func(op string) bool
	pairs bool // only with the results "p|q"
	write func(l *lowering, op string, args []arg)
}

// startsWith is the condition that an opcode begins with one of some texts and the table lacks it.
func startsWith(texts ...string) func(op string) bool {
	return func(op string) bool {
		_, ok := simt.FormOf(op)
		return !ok && slices.ContainsFunc(texts, func(s string) bool { return strings.HasPrefix(op, s) })
	}
}

var written = []writing{
	{has: hasCoordinates, write: (*lowering).cropped},
	{has: func(op string) bool { return strings.HasPrefix(op, "ld.param.") }, write: (*lowering).parameter},
	{has: startsWith("cvta.global.u32", "cvta.to.global.u32"), write: (*lowering).generic32},
	{has: func(op string) bool { return strings.HasPrefix(op, "setp.") }, pairs: true, write: (*lowering).truths},
	{has: startsWith("vote.all.", "vote.any.", "vote.uni.", "vote.ballot."), write: (*lowering).active},
	{has: startsWith("shfl.up.", "shfl.down.", "shfl.bfly.", "shfl.idx."), write: (*lowering).active},
	{has: startsWith("mov.v2.", "mov.v4.", "mov.v8."), write: (*lowering).moves},
	{has: func(op string) bool { return isEight(op) && startsWith("")(op) }, write: (*lowering).halves},
}

// writtenAs finds how an instruction is expressed by others: nil if the table has it.
func writtenAs(op string, args []arg) func(l *lowering, op string, args []arg) {
	for _, w := range written {
		if w.has(op) && (!w.pairs || pairOfTruths(op, args)) {
			return w.write
		}
	}
	return nil
}

// truths writes a comparison with a second result, which is that of the opposite comparison: p = cmp op c, q = !cmp op c.
func (l *lowering) truths(op string, args []arg) {
	words := strings.Split(op, ".")
	combine := ""
	if len(words) > 2 && slices.Contains([]string{"and", "or", "xor"}, words[2]) {
		combine = words[2]
		words = slices.Delete(words, 2, 3)
	}
	if n := map[bool]int{true: 4, false: 5}[combine == ""]; len(args) != n {
		l.fail(l.t, "%s with two results has %d operands, expected %d", op, len(args), n)
	}
	cmp := simt.R(l.newReg(simt.Pred))
	not := simt.Operand{Kind: simt.Register, Reg: l.newReg(simt.Pred)}
	l.plain(strings.Join(words, "."), append([]arg{{Operand: cmp}}, args[2:4]...))
	l.plain("not.pred", []arg{{Operand: not}, {Operand: cmp}})
	values := []simt.Operand{cmp, not}
	if combine != "" {
		c := args[4]
		if c.Kind != simt.Register || l.f.Regs[c.Reg] != simt.Pred {
			l.fail(c.t, "expected a predicate")
		}
		if c.Not {
			c.Not = false
			opposite := arg{Operand: simt.R(l.newReg(simt.Pred))}
			l.plain("not.pred", []arg{opposite, c})
			c = opposite
		}
		for i := range values {
			v := simt.R(l.newReg(simt.Pred))
			l.plain(combine+".pred", []arg{{Operand: v}, {Operand: values[i]}, c})
			values[i] = v
		}
	}
	for i, v := range values {
		if args[i].Kind != simt.Sink {
			l.plain("mov.pred", []arg{args[i], {Operand: v}})
		}
	}
}

// active writes what older versions do with the active lanes of a warp. NVIDIA's assembler has refused it for targets with lanes that run
// on their own, from sm_70 on, since PTX 6.4.
func (l *lowering) active(op string, args []arg) {
	head, rest, _ := strings.Cut(op, ".")
	if _, ok := simt.FormOf(head + ".sync." + rest); ok && l.synced {
		l.fail(l.t, "%s is of PTX before 6.4, or of targets before sm_70: write %s.sync.%s with the mask of the lanes that take part behind the operands",
			op, head, rest)
	}
	mask := arg{Operand: simt.R(l.newReg(simt.B32))}
	l.plain("activemask.b32", []arg{mask})
	l.plain(head+".sync."+rest, append(args, mask))
}

// parameter appends a load of a parameter. One through a register, which the table lacks, becomes a load of its generic
// address; the parameters of functions lie in local memory.
func (l *lowering) parameter(op string, args []arg) {
	if len(args) == 2 && args[1].Kind == simt.Address && args[1].Reg != simt.NoReg {
		space := "local."
		if len(l.calls) == 0 {
			space = ""
			base := simt.R(args[1].Reg)
			if l.f.Regs[base.Reg] == simt.B32 {
				base = l.value(simt.B64, "cvt.u64.u32", base)
			}
			args[1].Reg = l.value(simt.B64, "cvta.param.u64", base).Reg
		}
		op = strings.Replace(op, "param.", space, 1)
	}
	l.plain(op, args)
}

// generic32 writes the conversion of an address of 32 bits. Generic addresses of shared and local memory have more, which
// is why there are no others.
func (l *lowering) generic32(op string, args []arg) {
	if len(args) != 2 {
		l.fail(l.t, "%s has the wrong operands: expected a register and an address", op)
	}
	wide, src := arg{Operand: simt.R(l.newReg(simt.B64))}, args[1]
	if src.Kind == simt.Register && l.f.Regs[src.Reg] == simt.B32 {
		src.Operand = l.value(simt.B64, "cvt.u64.u32", src.Operand)
	}
	l.plain(strings.TrimSuffix(op, "32")+"64", []arg{wide, src})
	l.plain("cvt.u32.u64", []arg{args[0], wide})
}

// moves writes the copy of a vector, all of whose elements are read before one is written.
func (l *lowering) moves(op string, args []arg) {
	words := strings.Split(op, ".")
	typ := words[len(words)-1]
	if len(args) != 2 || args[0].Kind != simt.Vector || args[1].Kind != simt.Vector || len(args[0].elems) != len(args[1].elems) ||
		len(args[0].elems) != vectorLength("."+words[1]) || simt.TypeBits(typ) == 0 {
		l.fail(l.t, "%s has the wrong operands: expected two vectors of the same length", op)
	}
	var values []arg
	for _, e := range args[1].elems {
		v := arg{Operand: simt.R(l.newReg(simt.ClassOf(typ)))}
		l.plain("mov."+typ, []arg{v, e})
		values = append(values, v)
	}
	for i, e := range args[0].elems {
		l.plain("mov."+typ, []arg{e, values[i]})
	}
}

// isEight reports whether an instruction loads or stores eight elements.
func isEight(op string) bool {
	return (strings.HasPrefix(op, "ld.") || strings.HasPrefix(op, "st.")) && strings.Contains(op, ".v8.")
}

// halves writes the load or store of eight elements as two of four.
func (l *lowering) halves(op string, args []arg) {
	four := strings.Replace(op, ".v8.", ".v4.", 1)
	if len(args) != 2 {
		l.fail(l.t, "%s has the wrong operands: expected an address and a vector of 8", op)
	}
	a, v := 0, 1
	if args[0].Kind == simt.Vector {
		a, v = 1, 0
	}
	if args[a].Kind != simt.Address || len(args[v].elems) != 8 {
		l.fail(l.t, "%s has the wrong operands: expected an address and a vector of 8", op)
	}
	if base := args[a].Reg; v == 0 && base != simt.NoReg { // which the first half may overwrite
		kept := arg{Operand: simt.R(l.newReg(l.f.Regs[base]))}
		l.plain("mov."+l.f.Regs[base].String(), []arg{kept, {Operand: simt.R(base)}})
		args[a].Reg = kept.Reg
	}
	size := simt.TypeBits(op[strings.LastIndexByte(op, '.')+1:]) / 8
	for half := range 2 {
		pair := slices.Clone(args)
		pair[a].Bits += uint64(half * 4 * size)
		pair[v].elems = args[v].elems[4*half : 4*half+4]
		l.plain(four, pair)
	}
}
