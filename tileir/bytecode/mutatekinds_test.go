package bytecode_test

import (
	"fmt"
	"slices"

	. "github.com/cutile-go/cutile/tileir"
)

// mutation is one kind of change. It says what it did, or "" where the module has nothing of the kind.
type mutation struct {
	name   string
	weight int
	apply  func(u *mutant) string
}

// mutations are all kinds. Those that leave more modules valid weigh more.
var mutations = []mutation{
	{"type of an operand", 8, operandType}, {"type of a result", 6, resultType}, {"type of an argument", 2, argumentType},
	{"type of an operation", 8, operationType}, {"a type everywhere", 4, typeEverywhere},
	{"an element everywhere", 6, elementEverywhere}, {"an extent everywhere", 4, extentEverywhere},

	{"operands swapped", 2, swapOperands}, {"operand twice", 3, duplicateOperand}, {"operand dropped", 3, dropOperand},
	{"operand added", 5, addOperand}, {"operand replaced", 4, replaceOperand}, {"operand from elsewhere", 2, foreignOperand},
	{"group boundary", 2, moveBoundary},

	{"enum value", 10, enumValue}, {"enum out of range", 2, enumOutOfRange}, {"attribute dropped", 3, dropAttribute},
	{"attribute added", 5, addAttribute}, {"truth value", 4, truthValue}, {"integer", 5, integerValue},
	{"list", 5, listValue}, {"constant", 4, constantValue}, {"predicate", 4, predicateValue}, {"hint", 4, hintValue},
	{"text", 8, textValue}, {"attribute of another kind", 1, otherKind},

	{"operation removed", 3, removeOperation}, {"operation moved", 4, moveOperation}, {"operation twice", 2, repeatOperation},
	{"operation added", 4, addOperation}, {"operation replaced", 4, replaceOperation}, {"operation wrapped", 3, wrapOperation},
	{"terminator removed", 2, removeTerminator}, {"terminator replaced", 3, replaceTerminator},
	{"result added or dropped", 3, countResults}, {"region", 2, changeRegion}, {"block arguments", 3, changeArguments},

	{"entry", 3, changeEntry}, {"parameters", 3, changeParameters}, {"global", 4, changeGlobal},
	{"hints of an entry", 2, entryHint}, {"version", 3, otherVersion}, {"place", 3, changePlace},
}

// tally counts what mutations were of: their kinds, the operations that they changed, and the rows that explained
// something.
type tally struct{ kinds, ops, rows map[string]int }

func newTally() *tally { return &tally{map[string]int{}, map[string]int{}, map[string]int{}} }

// mutate applies a mutation or two and describes them.
func (u *mutant) mutate(count *tally) []string {
	total := 0
	for _, k := range mutations {
		total += k.weight
	}
	var out []string
	for steps := 1 + u.rnd.IntN(5)/3; len(out) < steps; {
		i, at := 0, u.rnd.IntN(total)
		for ; at >= mutations[i].weight; i++ {
			at -= mutations[i].weight
		}
		u.target = nil
		what := mutations[i].apply(u)
		if what == "" {
			continue
		}
		if u.target != nil {
			what = u.target.Info.Mnemonic + ": " + what
			count.ops[u.target.Info.Mnemonic]++
		}
		count.kinds[mutations[i].name]++
		out = append(out, mutations[i].name+": "+what)
	}
	return out
}

func hasOperands(s site) bool { return len(s.op.Operands) > 0 }
func hasResults(s site) bool  { return len(s.op.Results) > 0 }

func operandType(u *mutant) string {
	s, ok := u.anyOp(hasOperands)
	if !ok {
		return ""
	}
	i := u.rnd.IntN(len(s.op.Operands))
	t := typeNear(u.rnd, s.op.Operands[i].Type)
	v, ok := u.fresh(s, t)
	if !ok {
		return ""
	}
	s.op.Operands[i] = v
	return fmt.Sprintf("operand %d is of %v", i, t)
}

func resultType(u *mutant) string {
	s, ok := u.anyOp(hasResults)
	if !ok {
		return ""
	}
	r := pick(u.rnd, s.op.Results)
	old := r.Type
	r.Type = typeNear(u.rnd, old)
	return fmt.Sprintf("%v became %v", old, r.Type)
}

func argumentType(u *mutant) string {
	s, ok := u.anyOp(func(s site) bool { return len(s.block.Args) > 0 })
	if !ok {
		return ""
	}
	a := pick(u.rnd, s.block.Args)
	old := a.Type
	a.Type = typeNear(u.rnd, old)
	return fmt.Sprintf("block argument %v became %v", old, a.Type)
}

// operationType changes a type of an operation wherever the operation has it.
func operationType(u *mutant) string {
	s, ok := u.anyOp(func(s site) bool { return len(s.op.Operands)+len(s.op.Results) > 0 })
	if !ok {
		return ""
	}
	from := pick(u.rnd, slices.Concat(s.op.Operands, s.op.Results)).Type
	to := typeNear(u.rnd, from)
	v, ok := u.fresh(s, to)
	if !ok {
		return ""
	}
	for i, x := range s.op.Operands {
		if Identical(x.Type, from) {
			s.op.Operands[i] = v
		}
	}
	for _, r := range s.op.Results {
		if Identical(r.Type, from) {
			r.Type = to
		}
	}
	u.refitConstant(s.op)
	return fmt.Sprintf("%v became %v", from, to)
}

// refitConstant gives a constant's data the type of its result.
func (u *mutant) refitConstant(o *Op) {
	for i, a := range o.Attrs {
		if c, ok := a.(*Constant); ok && len(o.Results) > 0 {
			if t, ok := o.Results[0].Type.(*TileType); ok {
				o.Attrs[i] = refit(c, t)
			}
		}
	}
}

func typeEverywhere(u *mutant) string {
	from := pick(u.rnd, append(u.values(), &Value{Type: i32s})).Type
	to := typeNear(u.rnd, from)
	u.mapTypes(func(t Type) Type {
		if Identical(t, from) {
			return to
		}
		return t
	})
	return fmt.Sprintf("%v became %v", from, to)
}

func elementEverywhere(u *mutant) string {
	from, ok := elemOf(pick(u.rnd, append(u.values(), &Value{Type: i32s})).Type)
	if !ok {
		return ""
	}
	to := elemNear(u.rnd, from)
	u.mapTypes(func(t Type) Type { return withElem(t, from, to) })
	return fmt.Sprintf("%v became %v", from, to)
}

func elemOf(t Type) (Elem, bool) {
	switch t := t.(type) {
	case *TileType:
		return t.Elem, true
	case *TensorViewType:
		return t.Elem, true
	}
	return NoElem, false
}

func extentEverywhere(u *mutant) string {
	t, ok := pick(u.rnd, append(u.values(), &Value{Type: f32v})).Type.(*TileType)
	if !ok || t.Rank() == 0 {
		return ""
	}
	from, to := pick(u.rnd, t.Shape), pick(u.rnd, []int{1, 2, 8, 16, 32, 64, 128})
	u.mapTypes(func(t Type) Type { return withExtent(t, from, to) })
	return fmt.Sprintf("%d became %d", from, to)
}
