package spirv

import (
	"fmt"
	"math/bits"

	"github.com/cutile-go/cutile/internal/spirv/grammar"
)

// reader is the state of [ReadWords].
type reader struct {
	g        *grammar.Grammar
	m        *Module
	in       Instr // that is read
	all      []uint32
	words    []uint32 // of the instruction, which are still to read
	literals map[ID]literal
	values   map[ID]ID // types of results, once a switch asks for one
	sets     map[ID]*grammar.Set
	operands []Operand // room for those of the next instructions
}

// room makes room for the operands of an instruction: at most one for each word.
func (r *reader) room() {
	if n := len(r.words); cap(r.operands)-len(r.operands) < n {
		r.operands = make([]Operand, 0, max(n, min(1024, len(r.all)-r.in.At)))
	}
	r.in.Operands = r.operands[len(r.operands):]
}

// typeOf gives the type of a result that was read before.
func (r *reader) typeOf(id ID) ID {
	if r.values == nil {
		r.values = map[ID]ID{}
		for i := range r.m.Instrs {
			r.values[r.m.Instrs[i].Result] = r.m.Instrs[i].Type
		}
	}
	return r.values[id]
}

func (r *reader) mistake(format string, args ...any) error {
	e := &ReadError{Word: r.in.At, Msg: fmt.Sprintf(format, args...)}
	if _, ok := r.g.Op(uint32(r.in.Op)); ok {
		e.Op = r.in.Op
	}
	return e
}

// instr reads an instruction, and remembers what later ones need to know of it.
func (r *reader) instr() error {
	op, ok := r.g.Op(uint32(r.in.Op))
	if !ok {
		return r.mistake("there is no instruction %d", r.in.Op)
	}
	r.room()
	if err := r.slots(op.Operands); err != nil {
		return err
	}
	if len(r.words) > 0 {
		return r.mistake("%d words follow the last operand", len(r.words))
	}
	n := len(r.in.Operands)
	r.in.Operands = r.in.Operands[:n:n]
	r.operands = r.operands[:len(r.operands)+n]
	if l, ok := literalOf(&r.in); ok {
		r.literals[r.in.Result] = l
	}
	switch {
	case r.in.Op == OpExtInstImport:
		set, _ := r.g.Set(r.in.Operands[0].Text())
		r.sets[r.in.Result] = set
	case r.values != nil:
		r.values[r.in.Result] = r.in.Type
	}
	return nil
}

// slots reads operands.
func (r *reader) slots(slots []grammar.Slot) error {
	for _, s := range slots {
		for n := 0; ; n++ {
			if len(r.words) == 0 && s.Many != grammar.Once || n > 0 && s.Many != grammar.Any {
				break
			}
			if err := r.operand(s.Kind); err != nil {
				return err
			}
		}
	}
	return nil
}

// take takes words for an operand.
func (r *reader) take(k *grammar.Kind, n int) (*Operand, error) {
	if n > len(r.words) {
		return nil, r.mistake("the instruction ends before the operand of kind %s", k.Name)
	}
	r.in.Operands = append(r.in.Operands, Operand{Kind: k, Words: r.words[:n:n]})
	r.words = r.words[n:]
	return &r.in.Operands[len(r.in.Operands)-1], nil
}

// operand reads an operand with its parameters.
func (r *reader) operand(k *grammar.Kind) error {
	switch k.Category {
	case grammar.ID:
		return r.id(k)
	case grammar.Literal:
		return r.literal(k)
	case grammar.Composite:
		for _, base := range k.Bases {
			if err := r.operand(base); err != nil {
				return err
			}
		}
		return nil
	}
	o, err := r.take(k, 1)
	if err != nil {
		return err
	}
	value := o.Word()
	if k.Category == grammar.Value {
		e, ok := k.Find(value)
		if !ok {
			return r.mistake("there is no %s %d", k.Name, value)
		}
		return r.slots(e.Params)
	}
	for rest := value; rest != 0; rest &= rest - 1 {
		bit := uint32(1) << bits.TrailingZeros32(rest)
		e, ok := k.Find(bit)
		if !ok {
			return r.mistake("there is no %s %#x", k.Name, bit)
		}
		if err := r.slots(e.Params); err != nil {
			return err
		}
	}
	return nil
}

// id reads the number of a result.
func (r *reader) id(k *grammar.Kind) error {
	o, err := r.take(k, 1)
	if err != nil {
		return err
	}
	id := o.ID()
	if id == 0 || uint32(id) >= r.m.Bound {
		return r.mistake("ID %d is not from 1 to %d, which the bound allows", id, r.m.Bound-1)
	}
	if k.Name != "IdResultType" && k.Name != "IdResult" {
		return nil
	}
	r.in.Operands = r.in.Operands[:len(r.in.Operands)-1]
	if k.Name == "IdResult" {
		r.in.Result = id
	} else {
		r.in.Type = id
	}
	return nil
}

// literal reads a string or a number.
func (r *reader) literal(k *grammar.Kind) error {
	switch k.Name {
	case "LiteralString":
		return r.text(k)
	case "LiteralContextDependentNumber":
		return r.number(k, r.in.Type)
	case "LiteralExtInstInteger":
		return r.extended(k)
	case "LiteralSpecConstantOpInteger":
		return r.specOp(k)
	case "LiteralInteger":
		if r.in.Op == OpSwitch {
			return r.number(k, r.typeOf(r.in.Operands[0].ID()))
		}
	}
	_, err := r.take(k, 1)
	return err
}

// number reads a number of a type.
func (r *reader) number(k *grammar.Kind, typ ID) error {
	l, ok := r.literals[typ]
	if !ok {
		return r.mistake("the type of the number, ID %d, is no integer or float of at most 64 bits that is declared before", typ)
	}
	o, err := r.take(k, l.words())
	if err == nil {
		o.Type = typ
	}
	return err
}

// text reads a string, which ends in the first word that has a zero byte; what follows the zero is zero, too.
func (r *reader) text(k *grammar.Kind) error {
	for i, w := range r.words {
		for shift := 0; shift < 32; shift += 8 {
			if w>>shift&0xff != 0 {
				continue
			}
			if w>>shift != 0 {
				return r.mistake("bytes that are not zero follow the end of a string")
			}
			_, err := r.take(k, i+1)
			return err
		}
	}
	return r.mistake("a string does not end within the instruction")
}

// extended reads the code of an extended instruction with its operands. Of a set that the grammar does not have, all are IDs.
func (r *reader) extended(k *grammar.Kind) error {
	id := r.in.Operands[len(r.in.Operands)-1].ID()
	set, ok := r.sets[id]
	if !ok {
		return r.mistake("ID %d is no set of extended instructions that is imported before", id)
	}
	o, err := r.take(k, 1)
	if err != nil {
		return err
	}
	o.Set = id
	if set == nil {
		return nil
	}
	op, ok := set.Op(o.Word())
	if !ok {
		return r.mistake("%s has no instruction %d", set.Name, o.Word())
	}
	return r.exactly(op.Operands)
}

// specOp reads the code of the instruction that makes a specialisation constant, and its operands.
func (r *reader) specOp(k *grammar.Kind) error {
	o, err := r.take(k, 1)
	if err != nil {
		return err
	}
	op, ok := r.g.Op(o.Word())
	if !ok || !op.HasType() || !op.HasResult() || o.Word() == uint32(OpSpecConstantOp) {
		return r.mistake("instruction %d makes no constant", o.Word())
	}
	return r.exactly(op.Operands[2:])
}

// exactly reads the operands of an instruction within another one, which are all that is left.
func (r *reader) exactly(slots []grammar.Slot) error {
	if err := r.slots(slots); err != nil {
		return err
	}
	if len(r.words) > 0 {
		return r.mistake("%d words follow the last operand", len(r.words))
	}
	return nil
}
