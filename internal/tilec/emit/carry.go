package emit

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir"
)

// setting records where a part of a variable was assigned.
type setting struct {
	path []int
	pos  token.Pos
	in   *tileir.Loc // the call that the code is inlined at
}

// maxSettings is how many of a variable's assignments are remembered. Only messages need them.
const maxSettings = 16

// Assigned records an assignment. An earlier one to the same part is forgotten.
func (em *Emitter) Assigned(p *Place, pos token.Pos) {
	c := p.Cell
	c.sets = slices.DeleteFunc(c.sets, func(s setting) bool { return slices.Equal(s.path, p.Path) })
	if len(c.sets) == maxSettings {
		// The oldest is the least likely to be the cause.
		c.sets = c.sets[1:]
	}
	c.sets = append(c.sets, setting{p.Path, pos, em.Caller})
}

// assignment gives the position at which a loop or branch at pos assigns a part of a variable. It
// gives pos if the assignment is not known or is in another function, as messages should point into
// the code around pos.
func (em *Emitter) assignment(p *Place, pos token.Pos) token.Pos {
	for _, s := range slices.Backward(p.Cell.sets) {
		// An assignment to the whole variable assigns the part as well, and the other way round.
		n := min(len(s.path), len(p.Path))
		if s.in == em.Caller && s.pos > pos && slices.Equal(s.path[:n], p.Path[:n]) {
			return s.pos
		}
	}
	return pos
}

// cures tells what to write instead of changing a variable that no loop can carry and no branch can
// yield.
var cures = map[string]string{
	"a function":        "call each function in a branch of its own, and keep the results",
	"a pointer":         "keep a number, and choose among the variables by it",
	"a slice":           "change its elements, and keep its length in a variable",
	"a struct or array": "give both paths the same type",
	"an interface":      "keep a number, and switch on it",
	"a text":            "keep a number, and choose the text where it is printed",
	"a view or pointer": "load from each in a branch of its own, and keep the tiles",
	"an interface that holds structs of different types": "keep a number, and switch on it",
}

// fixed tells what a value is that no loop can carry, and "" if a loop can carry it. Loops carry
// tiles and numbers: everything else exists in the compiler only, which must know it on every path.
func (em *Emitter) fixed(pos token.Pos, p *Place, v Value) string {
	switch v := Content(v).(type) {
	case Function:
		return "a function"
	case None:
		return nilKind(p.typ())
	case *Place:
		return "a pointer"
	case *Slice:
		return "a slice"
	case *Struct, *List:
		// Parts that have the same types on all paths are carried one by one. This value has other
		// parts on another path.
		if t := p.typ(); t != nil && types.IsInterface(t) {
			return "an interface that holds structs of different types"
		}
		return "a struct or array"
	case Unset:
		em.Fail(em.assignment(p, pos), "a %s cannot be the result on only some paths through a loop or branch", p.typ())
	case constant.Value:
		if v.Kind() == constant.String {
			return "a text"
		}
	case *Tile:
		// Tile IR cannot yield views, and the values that belong to one must be those of the same
		// tensor.
		if v.Meta != nil || v.Desc.Kind.IsView() {
			return "a view or pointer"
		}
	}
	return ""
}

// nilKind tells what a variable is that holds nil, by its type.
func nilKind(t types.Type) string {
	if t != nil {
		switch t.Underlying().(type) {
		case *types.Signature:
			return "a function"
		case *types.Slice:
			return "a slice"
		case *types.Interface:
			return "an interface"
		}
	}
	return "a pointer"
}

// carry gives a part of a variable as a tile, which a loop can carry and a branch can yield. A
// constant becomes a tile, as it differs from turn to turn or from side to side.
func (em *Emitter) carry(pos token.Pos, p *Place, v Value) *Tile {
	what := em.fixed(pos, p, v)
	if t, ok := Content(v).(*Tile); ok && what == "" && (p.typ() == nil || t.Desc.Kind == describe.TokenKind) {
		return t
	}
	if what != "" {
		// An unrolled loop would know the value in each turn, so the loop may be lowered again.
		em.Wanted = true
		cure := cures[what]
		if Content(v) == (None{}) {
			what += ", nil on one path"
		}
		// The message names the assignment, not the loop or branch around it.
		em.Fail(em.assignment(p, pos), "%s is %s: it cannot change inside a loop or branch; %s", p.written(), what, cure)
	}
	// A constant becomes a tile of the variable's type.
	return em.As(pos, v, p.typ())
}
