package bytecode_test

import (
	"fmt"
	"slices"

	. "github.com/cutile-go/cutile/tileir"
)

// groups are the operands of an operation as the table has them.
func groups(o *Op) [][]*Value {
	out := make([][]*Value, len(o.Info.Operands))
	for i := range out {
		out[i] = slices.Clone(o.Group(i))
	}
	return out
}

// regroup gives an operation other operands.
func regroup(o *Op, groups [][]*Value) {
	with := NewOp(o.Info, groups, nil, nil, nil, Loc{})
	o.Operands, o.Segments = with.Operands, with.Segments
}

func swapOperands(u *mutant) string {
	s, ok := u.anyOp(func(s site) bool { return len(s.op.Operands) > 1 })
	if !ok {
		return ""
	}
	i, j := u.rnd.IntN(len(s.op.Operands)), u.rnd.IntN(len(s.op.Operands))
	if i == j {
		return ""
	}
	o := s.op.Operands
	o[i], o[j] = o[j], o[i]
	return fmt.Sprintf("%d and %d", i, j)
}

func duplicateOperand(u *mutant) string {
	s, ok := u.anyOp(hasOperands)
	if !ok {
		return ""
	}
	g := groups(s.op)
	i := u.rnd.IntN(len(g))
	if len(g[i]) == 0 {
		return ""
	}
	g[i] = append(g[i], pick(u.rnd, g[i]))
	regroup(s.op, g)
	return s.op.Info.Operands[i].Name
}

func dropOperand(u *mutant) string {
	s, ok := u.anyOp(hasOperands)
	if !ok {
		return ""
	}
	g := groups(s.op)
	i := u.rnd.IntN(len(g))
	if len(g[i]) == 0 {
		return ""
	}
	j := u.rnd.IntN(len(g[i]))
	g[i] = slices.Delete(g[i], j, j+1)
	regroup(s.op, g)
	return fmt.Sprintf("%s %d", s.op.Info.Operands[i].Name, j)
}

// addOperand gives an optional or variadic operand a value more, of a type that is likely to fit.
func addOperand(u *mutant) string {
	open := func(in OperandInfo) bool { return in.Optional || in.Variadic }
	s, ok := u.anyOp(func(s site) bool { return slices.ContainsFunc(s.op.Info.Operands, open) })
	if !ok {
		return ""
	}
	i := u.rnd.IntN(len(s.op.Info.Operands))
	if !open(s.op.Info.Operands[i]) {
		return ""
	}
	t := u.likely(s.op, i)
	v, ok := u.fresh(s, t)
	if !ok {
		return ""
	}
	g := groups(s.op)
	g[i] = append(g[i], v)
	regroup(s.op, g)
	return fmt.Sprintf("%s of %v", s.op.Info.Operands[i].Name, t)
}

// likely is a type that an operand may have: as its fellows, a token, a mask of the first tile, or another's.
func (u *mutant) likely(o *Op, i int) Type {
	in := &o.Info.Operands[i]
	switch g := o.Group(i); {
	case len(g) > 0:
		return g[0].Type
	case in.Constraint.Kind == TokenOnly:
		return Token
	case u.rnd.IntN(5) == 0:
		return pick(u.rnd, typesOf(Newest))
	}
	all := slices.Concat(o.Results, o.Operands)
	if in.Name == "mask" {
		all = o.Operands
	}
	if len(all) == 0 {
		return i32s
	}
	t := all[0].Type
	if tile, ok := t.(*TileType); ok && in.Name == "mask" {
		return Tile(I1, tile.Shape...)
	}
	return t
}

// replaceOperand puts another value in place of one.
func replaceOperand(u *mutant) string {
	s, ok := u.anyOp(func(s site) bool { return len(s.op.Operands) > 0 && len(s.visible) > 1 })
	if !ok {
		return ""
	}
	i := u.rnd.IntN(len(s.op.Operands))
	v := pick(u.rnd, s.visible)
	if u.rnd.IntN(2) == 0 { // of the same type, if there is one
		for _, x := range s.visible {
			if x != s.op.Operands[i] && Identical(x.Type, s.op.Operands[i].Type) {
				v = x
			}
		}
	}
	s.op.Operands[i] = v
	return fmt.Sprintf("operand %d is now a %v", i, v.Type)
}

// foreignOperand uses a value that is defined later, in another region or another entry.
func foreignOperand(u *mutant) string {
	s, ok := u.anyOp(hasOperands)
	if !ok {
		return ""
	}
	i := u.rnd.IntN(len(s.op.Operands))
	all := slices.DeleteFunc(u.values(), func(v *Value) bool {
		return slices.Contains(s.visible, v) || !Identical(v.Type, s.op.Operands[i].Type)
	})
	if len(all) == 0 {
		all = []*Value{{Type: s.op.Operands[i].Type}}
	}
	s.op.Operands[i] = pick(u.rnd, all)
	return fmt.Sprintf("operand %d", i)
}

// moveBoundary gives a group's last value to the next.
func moveBoundary(u *mutant) string {
	s, ok := u.anyOp(func(s site) bool { return len(s.op.Segments) > 1 })
	if !ok {
		return ""
	}
	i := u.rnd.IntN(len(s.op.Segments) - 1)
	if s.op.Segments[i] == 0 {
		return ""
	}
	s.op.Segments = slices.Clone(s.op.Segments)
	s.op.Segments[i]--
	s.op.Segments[i+1]++
	return fmt.Sprintf("%v", s.op.Segments)
}
