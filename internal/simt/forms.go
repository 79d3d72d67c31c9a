package simt

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"
)

// Form is an instruction of the table: an opcode with all its modifiers.
type Form struct {
	Op     string
	Sigs   []Sig // lists of operands that it takes, never empty
	Effect Effect
}

// Sig is a list of operands of a form.
type Sig struct {
	Dst, Src []Slot
	Since    Since
}

// Effect says what an instruction does beside its results.
type Effect uint8

// The effects.
const (
	Pure   Effect = iota // the same operands give the same results, and nothing else happens
	Device               // Pure, but not for host functions
	Flow                 // label, bra, ret
	Any                  // memory, other threads, time
)

// Since says where an instruction begins to exist.
type Since struct {
	PTX   int      // version of PTX: 84 for 8.4
	SM    int      // architecture and those after it
	Exact []string // "sm_90a": these targets alone
	Or    *Since   // where else; nil for nowhere
}

// Slot is the place of an operand.
type Slot struct {
	Kinds Kinds
	Type  string // of the value or of a vector's elements, PTX's name; "" of addresses and labels
	Space string // of an address, PTX's name; "" for a generic one
	Bare  bool   // of an address: without an offset
	Len   int    // elements of a vector
	Elems []Slot // of a vector whose elements are of several sorts
	Imm   []Range
	Not   bool // a predicate may be negated
	InOut bool // the old value of the result is read, too
	Join  bool // is joined to the operand before it: "d|p", "[a, {b}]"
}

// Elem gives the place of an element of a vector.
func (s *Slot) Elem(i int) Slot {
	if s.Elems != nil {
		return s.Elems[i]
	}
	e := *s
	e.Kinds &^= 1 << Vector
	return e
}

// TensorMemory is the space of addresses in tensor memory, which have 32 bits: the lane above 16 bits of the column.
const TensorMemory = "tmem"

// Kinds is a set of kinds of operand.
type Kinds uint16

// Has reports whether a kind is in the set. For a vector's slot, Register and Sink say what elements may be.
func (k Kinds) Has(kind OperandKind) bool { return k>>kind&1 != 0 }

// Range is a range of immediates, both ends included.
type Range struct{ Low, High, Step int64 }

// Has reports whether a number is in the range.
func (r Range) Has(n int64) bool { return n >= r.Low && n <= r.High && (n-r.Low)%r.Step == 0 }

// known has a *Form for each opcode that was asked for and exists.
var known sync.Map

// InHost reports whether a host function can use the instruction: it has one thread and no memory.
func (f *Form) InHost() bool { return f.Effect != Device && f.Effect != Any }

// FormOf finds an instruction by its opcode. Printf, assert and launch are no forms: their operands vary.
func FormOf(op string) (*Form, bool) {
	if f, ok := known.Load(op); ok {
		return f.(*Form), true
	}
	f := table().find(op)
	if f == nil {
		return nil, false
	}
	known.Store(op, f)
	return f, true
}

// Forms gives every instruction of the table once, in the table's order.
func Forms() iter.Seq[*Form] {
	return func(yield func(*Form) bool) {
		seen := map[string]bool{}
		for _, r := range table().rows {
			for op := range r.all() {
				if seen[op] {
					continue
				}
				seen[op] = true
				if f, _ := FormOf(op); !yield(f) {
					return
				}
			}
		}
	}
}

// SpecialType gives the type of a special register, "u32", and since when it exists.
func SpecialType(name string) (typ string, since Since, ok bool) {
	s, ok := table().specials[name]
	return s.typ, s.since, ok
}

// Specials gives the names of all special registers in the table's order.
func Specials() []string { return table().specialNames }

// First is what the least demanding list of operands of a form needs.
func (f *Form) First() Since {
	return slices.MinFunc(f.Sigs, func(a, b Sig) int {
		return cmp.Or(cmp.Compare(a.Since.SM, b.Since.SM), cmp.Compare(a.Since.PTX, b.Since.PTX))
	}).Since
}

// Sig finds the list of operands that an instruction has, by number, kind and, where lists differ in nothing else, the
// numbers that are allowed: nil if none fits. It does not look at registers.
func (f *Form) Sig(in *Instr) *Sig {
	var loose *Sig
	for i := range f.Sigs {
		s := &f.Sigs[i]
		if !fit(s.Dst, in.Dst) || !fit(s.Src, in.Src) {
			continue
		}
		if allowed(s.Src, in.Src) {
			return s
		}
		if loose == nil {
			loose = s
		}
	}
	return loose
}

// fit reports whether operands have the kinds of their slots.
func fit(slots []Slot, ops []Operand) bool {
	if len(slots) != len(ops) {
		return false
	}
	for i := range slots {
		s, op := &slots[i], &ops[i]
		switch isVector := op.Kind == Vector; {
		case isVector != s.Kinds.Has(Vector), !s.Kinds.Has(op.Kind), isVector && len(op.Vec) != s.Len:
			return false
		}
	}
	return true
}

// allowed reports whether numbers are in the ranges of their slots.
func allowed(slots []Slot, ops []Operand) bool {
	for i := range slots {
		s := &slots[i]
		if ops[i].Kind == Imm && !s.Allows(ops[i].Bits) || ops[i].Kind == Vector && s.Elems != nil && !allowed(s.Elems, ops[i].Vec) {
			return false
		}
	}
	return true
}

// Allows reports whether a number is in the ranges of a slot.
func (s *Slot) Allows(bits uint64) bool {
	return s.Imm == nil || slices.ContainsFunc(s.Imm, func(r Range) bool { return r.Has(int64(bits)) })
}

// CanSpeculate reports whether an instruction may run where nobody asked for its result: it does nothing beside that, and
// always has one. A division has none by zero, nor a shift by a count that must not be negative.
func CanSpeculate(in *Instr) bool {
	if !IsPure(in.Op) || in.Count > 0 {
		return false
	}
	words := strings.Split(in.Op, ".")
	typ := words[len(words)-1]
	if words[0] != "div" && words[0] != "rem" || typ[0] == 'f' {
		return true
	}
	by := in.Src[1]
	return by.Kind == Imm && by.Bits<<(64-TypeBits(typ)) != 0
}

// IsPure reports whether an instruction does nothing beside its results.
func IsPure(op string) bool {
	f, ok := FormOf(op)
	return ok && f.Effect <= Device
}
