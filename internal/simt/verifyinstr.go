package simt

import (
	"fmt"
	"math"
	"strings"
)

// instr looks at one instruction by itself.
func (v *verifier) instr(in *Instr) {
	if in.Guard != NoReg {
		switch {
		case !v.register(in.Guard):
			return
		case v.f.Regs[in.Guard] != Pred:
			v.add("the guard %s is a %s: expected a pred", v.syntax.Reg(in.Guard), v.f.Regs[in.Guard])
		}
	}
	for op := range in.Uses() {
		if !v.register(op.Reg) {
			return
		}
	}
	for op := range in.Defs() {
		if !v.register(op.Reg) {
			return
		}
	}
	if in.Count < 0 || in.Count > len(in.Src) || in.Count > 0 && !countable(in.Op) {
		v.add("source %d is marked as a shift count: expected one of shl, shr or min.u64", in.Count)
		return
	}
	if in.Rolled && in.Op != OpLabel {
		v.add("only a label begins a loop that is not unrolled")
		return
	}
	switch in.Op {
	case OpLabel:
	case OpUndef:
		v.undef(in)
	case OpPrintf:
		v.printf(in)
	case OpCall:
		v.call(in)
	case OpAssert, OpCheck:
		v.assert(in)
	case OpVar:
		v.variable(in)
	case OpLaunch:
		v.launch(in)
	case "ret":
		v.ret(in)
	default:
		v.form(in)
	}
}

// countable reports whether an instruction may have a shift count: a shift, or what cuts a count of 64 bits down for it.
func countable(op string) bool {
	return strings.HasPrefix(op, "shl.") || strings.HasPrefix(op, "shr.") || op == "min.u64"
}

// register reports whether a register exists.
func (v *verifier) register(r Reg) bool {
	if r < 0 || int(r) >= len(v.f.Regs) {
		v.add("there is no register %d: the function has %d", r, len(v.f.Regs))
		return false
	}
	return true
}

// form checks an instruction against the table.
func (v *verifier) form(in *Instr) {
	f, ok := FormOf(in.Op)
	if !ok {
		v.add("there is no instruction %q", in.Op)
		return
	}
	if v.f.Host && !f.InHost() {
		v.add("a host function has one thread and no memory: it cannot use %s", in.Op)
		return
	}
	s := f.Sig(in)
	if s == nil {
		v.add("%s", mismatch(f, in))
		return
	}
	if !s.Since.In(v.target) {
		v.add("expected %s: the target is %s with PTX %s", s.Since, v.target.Name, ptxVersion(v.target.PTX))
		return
	}
	if reads, sampled := s.Texture(); reads && sampled != v.samplers {
		v.add("%s", map[bool]string{
			true:  "the module has no samplers, its textures have their own: expected none after the texture",
			false: "the module has samplers, its textures have none: expected one after the texture",
		}[sampled])
		return
	}
	for i := range in.Dst {
		v.operand(place{"result", i + 1, noElement}, in.Dst[i], &s.Dst[i])
	}
	for i := range in.Src {
		v.operand(place{"operand", i + 1, noElement}, in.Src[i], &s.Src[i])
	}
}

// mismatch says which operands a form takes, where those of an instruction fit none of its lists.
func mismatch(f *Form, in *Instr) string {
	return fmt.Sprintf("expected %s; found %s", f.Operands(), describe(in))
}

// place names an operand, or an element of one that is a list: messages are rare, and so are their texts.
type place struct {
	what string
	n    int // 0 for what needs no number
	elem int
}

const noElement = -1

func (p place) String() string {
	text := p.what
	if p.n > 0 {
		text += fmt.Sprintf(" %d", p.n)
	}
	if p.elem != noElement {
		text += fmt.Sprintf(": element %d", p.elem)
	}
	return text
}

// operand looks at an operand whose kind fits its slot.
func (v *verifier) operand(which place, op Operand, slot *Slot) {
	problem := ""
	switch op.Kind {
	case Register:
		problem = v.registerProblem(op, slot)
	case Imm:
		problem = immProblem(op.Bits, slot)
	case Special:
		problem = v.specialProblem(op.Name, slot)
	case Address:
		problem = v.addressProblem(op, slot)
	case Target:
		if !v.label(op.Label) {
			problem = fmt.Sprintf("there is no label %d", op.Label)
		}
	case Symbol:
		problem = v.symbolProblem(op.Name, slot)
	case Vector:
		for i, e := range op.Vec {
			elem := slot.Elem(i)
			if !elem.Kinds.Has(e.Kind) {
				v.add("%s: element %d: expected a %s register", which, i, ClassOf(slot.Type))
				return
			}
			v.operand(place{which.what, which.n, i}, e, &elem)
		}
	}
	if problem != "" {
		v.add("%s: %s", which, problem)
	}
}

func (v *verifier) registerProblem(op Operand, slot *Slot) string {
	c := v.f.Regs[op.Reg]
	switch {
	case !Holds(c, slot.Type):
		return fmt.Sprintf("expected a %s register for %s; found %s, a %s", ClassOf(slot.Type), slot.Type, v.syntax.Reg(op.Reg), c)
	case op.Not && !slot.Not:
		return fmt.Sprintf("%s is negated, which %s does not allow here", v.syntax.Reg(op.Reg), v.f.Body[v.index].Op)
	}
	return ""
}

// immProblem says what is wrong with a number, which may stand for a signed or unsigned one of its width.
func immProblem(bits uint64, slot *Slot) string {
	n := int64(bits)
	if width := TypeBits(slot.Type); width < 64 && (n < -1<<(width-1) || n >= 1<<width) {
		return fmt.Sprintf("%d does not fit %s", n, slot.Type)
	}
	if slot.Allows(bits) {
		return ""
	}
	var ranges []string
	for _, r := range slot.Imm {
		ranges = append(ranges, r.String())
	}
	return fmt.Sprintf("expected %s; found %d", strings.Join(ranges, " or "), n)
}

func (v *verifier) specialProblem(name string, slot *Slot) string {
	typ, since, ok := SpecialType(name)
	switch {
	case !ok:
		return fmt.Sprintf("there is no special register %q", name)
	case v.f.Host:
		return fmt.Sprintf("a host function has no threads: it cannot read %s", name)
	case ClassOf(typ) != ClassOf(slot.Type):
		return fmt.Sprintf("%s has %d bits, %s takes %d", name, TypeBits(typ), v.f.Body[v.index].Op, TypeBits(slot.Type))
	case !since.In(v.target):
		return fmt.Sprintf("%s needs %s: the target is %s", name, since, v.target.Name)
	}
	return ""
}

// symbolProblem says what is wrong with a name whose address is taken.
func (v *verifier) symbolProblem(name string, slot *Slot) string {
	switch p := v.params[name]; {
	case v.handleType(name) != "":
		if slot.Type != "u64" {
			return fmt.Sprintf("the address of the %s %s is taken by mov.u64", v.handleType(name), name)
		}
	case v.vars[name] == nil && p == nil && name != "smem" && (name != "local" || v.f.Local == 0):
		return fmt.Sprintf("%q is not memory: expected smem, local (where the function has some), a variable or a parameter", name)
	case name != "smem" && ClassOf(slot.Type) != B64:
		return fmt.Sprintf("the address of %s has 64 bits, %s takes 32", name, v.f.Body[v.index].Op)
	}
	return ""
}

// addressProblem says what is wrong with an address.
func (v *verifier) addressProblem(op Operand, slot *Slot) string {
	offset := int64(op.Bits)
	if offset < math.MinInt32 || offset > math.MaxInt32 {
		return fmt.Sprintf("the offset %d does not fit 32 bits", offset)
	}
	if slot.Bare && offset != 0 {
		return fmt.Sprintf("the offset is %d: expected none here", offset)
	}
	shared := strings.HasPrefix(slot.Space, "shared")
	if op.Reg != NoReg {
		if slot.Space == "param" {
			return "expected a parameter's name"
		}
		c := v.f.Regs[op.Reg]
		if slot.Space == TensorMemory {
			if c != B32 {
				return fmt.Sprintf("expected a b32 register as the base of an address in tensor memory; found %s, a %s", v.syntax.Reg(op.Reg), c)
			}
			return ""
		}
		if c != B64 && !(c == B32 && shared) {
			return fmt.Sprintf("expected a b64 register as the base of an address%s; found %s, a %s", orShared(shared), v.syntax.Reg(op.Reg), c)
		}
		return ""
	}
	if slot.IsHandle() {
		return v.handleProblem(op, slot)
	}
	p := v.params[op.Name]
	switch {
	case op.Name == "smem" && shared, op.Name == "local" && slot.Space == "local" && v.f.Local > 0:
		return ""
	case v.vars[op.Name] != nil && v.vars[op.Name].Space == slot.Space:
		return ""
	case p == nil || slot.Space != "param":
		return fmt.Sprintf("%q is not memory of the space %q", op.Name, slot.Space)
	}
	size, width := p.size(), int64(accessBytes(&v.f.Body[v.index]))
	if offset < 0 || offset+width > size || offset%width != 0 {
		return fmt.Sprintf("%d bytes at %s+%d: expected an offset that is a multiple of their number, inside of %d bytes", width, op.Name, offset, size)
	}
	return ""
}

func orShared(shared bool) string {
	if shared {
		return " in shared memory, or a b32 one"
	}
	return ""
}

// size is the bytes of a parameter.
func (p *Param) size() int64 {
	if p.Bytes > 0 {
		return int64(p.Bytes)
	}
	return int64(TypeBits(p.Type) / 8)
}

// accessBytes is what a load of parameters reads.
func accessBytes(in *Instr) int {
	typ := in.Op[strings.LastIndexByte(in.Op, '.')+1:]
	n := 1
	if len(in.Dst) == 1 && in.Dst[0].Kind == Vector {
		n = len(in.Dst[0].Vec)
	}
	return n * TypeBits(typ) / 8
}
