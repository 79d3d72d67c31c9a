package simt

import (
	"fmt"
	"strings"
)

// String names a kind in messages.
func (k OperandKind) String() string {
	names := [...]string{"nothing", "a register", "a number", "a special register", "a vector", "an address", "a label", "a symbol", `"_"`}
	if int(k) >= len(names) {
		return fmt.Sprintf("kind %d", k)
	}
	return names[k]
}

// String describes what a slot takes: "b32 register or number".
func (s Slot) String() string {
	switch {
	case s.Elems != nil:
		var elems []string
		for _, e := range s.Elems {
			elems = append(elems, e.String())
		}
		return "{" + strings.Join(elems, ", ") + "}"
	case s.Kinds.Has(Vector):
		return fmt.Sprintf("{%d x %s}", s.Len, ClassOf(s.Type))
	case s.Kinds.Has(Address):
		return "[" + s.Space + "]"
	case s.Kinds.Has(Target):
		return "label"
	case s.Kinds.Has(Special):
		return "special register"
	case s.Kinds.Has(Symbol):
		return "symbol"
	case s.Kinds.Has(Register) && s.Kinds.Has(Imm):
		return ClassOf(s.Type).String() + " or number"
	case s.Kinds.Has(Register) && s.Kinds.Has(Sink):
		return ClassOf(s.Type).String() + ` or "_"`
	case s.Kinds.Has(Register):
		return ClassOf(s.Type).String()
	case s.Kinds.Has(Sink):
		return `"_"`
	}
	return "number"
}

// String describes what a list takes: "b32 <- b32, b32 or number".
func (s Sig) String() string {
	list := func(slots []Slot) string {
		var words []string
		for _, slot := range slots {
			words = append(words, slot.String())
		}
		return strings.Join(words, ", ")
	}
	switch {
	case len(s.Dst)+len(s.Src) == 0:
		return "no operands"
	case len(s.Dst) == 0:
		return list(s.Src)
	}
	return list(s.Dst) + " <- " + list(s.Src)
}

// Operands describes the lists that a form takes; if there are many, the first ones.
func (f *Form) Operands() string {
	const shown = 4
	var lists []string
	for i, s := range f.Sigs {
		if i == shown {
			lists = append(lists, fmt.Sprintf("one of %d other lists", len(f.Sigs)-shown))
			break
		}
		lists = append(lists, s.String())
	}
	return strings.Join(lists, ", or ")
}

// String gives "0 to 7", "4".
func (r Range) String() string {
	switch {
	case r.Low == r.High:
		return fmt.Sprint(r.Low)
	case r.Step != 1:
		return fmt.Sprintf("%d to %d in steps of %d", r.Low, r.High, r.Step)
	}
	return fmt.Sprintf("%d to %d", r.Low, r.High)
}

// describe says which operands an instruction has, by kind.
func describe(in *Instr) string {
	list := func(ops []Operand) string {
		var words []string
		for _, op := range ops {
			if op.Kind == Vector {
				words = append(words, fmt.Sprintf("a vector of %d", len(op.Vec)))
			} else {
				words = append(words, op.Kind.String())
			}
		}
		return strings.Join(words, ", ")
	}
	switch {
	case len(in.Dst)+len(in.Src) == 0:
		return "no operands"
	case len(in.Dst) == 0:
		return list(in.Src)
	}
	return list(in.Dst) + " <- " + list(in.Src)
}
