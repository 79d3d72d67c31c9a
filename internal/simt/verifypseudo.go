package simt

import (
	"fmt"
	"strings"
)

// none demands that an instruction has no results.
func (v *verifier) none(in *Instr) {
	if len(in.Dst) > 0 {
		v.add("expected no result; found %d", len(in.Dst))
	}
	if strings.ContainsRune(in.Text, 0) {
		v.add("the text holds a zero byte, which would end it: %q", in.Text)
	}
}

// value looks at a value of a type: a register, or a number where numbers is set.
func (v *verifier) value(which string, op Operand, typ string, numbers bool) {
	slot := &Slot{Kinds: 1 << Register, Type: typ}
	if numbers {
		slot.Kinds |= 1 << Imm
	}
	if !slot.Kinds.Has(op.Kind) {
		v.add("%s: expected %s; found %s", which, slot, op.Kind)
		return
	}
	v.operand(place{what: which, elem: noElement}, op, slot)
}

func (v *verifier) printf(in *Instr) {
	v.none(in)
	types, err := PrintfTypes(in.Text)
	switch {
	case err != nil:
		v.add("%v", err)
		return
	case len(types) != len(in.Src):
		v.add("the format %q takes %d values; found %d", in.Text, len(types), len(in.Src))
		return
	}
	for i, typ := range types {
		v.value(fmt.Sprintf("operand %d", i+1), in.Src[i], typ, true)
	}
}

// undef looks at registers that may hold anything.
func (v *verifier) undef(in *Instr) {
	switch {
	case v.f.Host:
		v.add("a host function computes what it launches: none of its values may be undefined")
	case in.Guard != NoReg:
		v.add("expected no guard")
	case len(in.Dst) == 0 || len(in.Src) > 0:
		v.add("expected registers as results and no operands; found %s", describe(in))
	}
	for i, op := range in.Dst {
		if op.Kind != Register || op.Not {
			v.add("result %d: expected a register; found %s", i+1, op.Kind)
		}
	}
}

func (v *verifier) assert(in *Instr) {
	v.none(in)
	if len(in.Src) != 1 {
		v.add("expected one predicate; found %d operands", len(in.Src))
		return
	}
	op := in.Src[0]
	op.Not = false // either way is fine
	v.value("operand 1", op, "pred", false)
}

// ret looks at a return, which has values in a host function only.
func (v *verifier) ret(in *Instr) {
	v.none(in)
	if len(in.Src) != len(v.f.Result) {
		v.add("expected %d values to return; found %d", len(v.f.Result), len(in.Src))
		return
	}
	for i, c := range v.f.Result {
		v.value(fmt.Sprintf("operand %d", i+1), in.Src[i], c.String(), true)
	}
}

// launch checks a launch against its kernel.
func (v *verifier) launch(in *Instr) {
	l := in.Launch
	switch {
	case !v.f.Host:
		v.add("a kernel cannot launch: a host function can")
		return
	case l == nil:
		v.add("the launch does not say what to launch")
		return
	}
	for i, op := range l.Grid {
		v.size(fmt.Sprintf("grid size %d", i+1), op)
	}
	v.size("the bytes of shared memory", l.Shared)
	if l.Stream.Kind != None {
		v.value("the stream", l.Stream, "b64", true)
	}
	for _, op := range l.After {
		v.value("a token", op, "b64", false)
	}
	switch {
	case !l.Async && len(in.Dst) > 0:
		v.add("expected no result of a launch that is not asynchronous; found %d", len(in.Dst))
	case l.Async && len(in.Dst) != 1:
		v.add("expected one result, the token of an asynchronous launch; found %d", len(in.Dst))
	case l.Async:
		v.value("the token", in.Dst[0], "b64", false)
	}
	k := v.m.Kernel(l.Kernel)
	if k == nil {
		v.add("there is no kernel %q", l.Kernel)
		return
	}
	if len(in.Src) != len(k.Params) {
		v.add("kernel %s takes %d arguments; found %d", k.Name, len(k.Params), len(in.Src))
		return
	}
	for i := range k.Params {
		v.argument(&k.Params[i], in.Src[i])
	}
	if l.PDL && !WaitsForGrid(k) {
		v.add("the launch may start kernel %s before the one before it has ended (PDL), so the kernel must wait for that one on every path, "+
			"but does not", k.Title())
	}
}

// size looks at a size of a launch, which may have 32 or 64 bits.
func (v *verifier) size(which string, op Operand) {
	typ := "b64"
	if op.Kind == Register && v.f.Regs[op.Reg] == B32 {
		typ = "b32"
	}
	v.value(which, op, typ, true)
}

// argument checks a launch's argument: a value, or for a parameter of bytes a parameter of the host function of the same size.
func (v *verifier) argument(p *Param, op Operand) {
	which := "argument " + p.Name
	if p.Bytes == 0 {
		v.value(which, op, p.Type, true)
		return
	}
	own := v.params[op.Name]
	if op.Kind != Symbol || own == nil || own.Bytes != p.Bytes {
		v.add("%s: expected a parameter of %d bytes of the host function; found %s %s", which, p.Bytes, op.Kind, op.Name)
	}
}
