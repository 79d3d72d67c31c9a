package access

import "github.com/cutile-go/cutile/tileir"

// use counts a use of a value and remembers the operation that makes it, or the one around it in the block where the value comes
// to be. Operations come in the order of the text.
func (in *Info) use(v *tileir.Value, o *tileir.Op) {
	n := in.values[v]
	n.uses++
	for n.block != nil && in.block[o] != n.block || n.block == nil && in.owner[in.block[o]] != nil {
		o = in.owner[in.block[o]]
	}
	n.last = o
}

// Uses counts the operands that a value is.
func (in *Info) Uses(v *tileir.Value) int { return int(in.values[v].uses) }

// LastUse is the last operation that needs a value, among those of the block in which the value comes to be: an operation with
// regions if one in them needs it, since a loop needs it in every iteration. It is nil for a value without a use.
func (in *Info) LastUse(v *tileir.Value) *tileir.Op { return in.values[v].last }

// Invariant reports whether a value is the same in all iterations of a loop: it comes to be outside, or from such values by
// operations without effects. A load is no such operation: see [Info.ReadOnly].
func (in *Info) Invariant(v *tileir.Value, loop *tileir.Op) bool {
	return in.invariant(v, loop, map[*tileir.Value]bool{})
}

// invariant looks at each value once: one that it has seen is invariant, or the search has ended.
func (in *Info) invariant(v *tileir.Value, loop *tileir.Op, seen map[*tileir.Value]bool) bool {
	if seen[v] || in.outside(v, loop) {
		return true
	}
	seen[v] = true
	if v.Def == nil || !v.Def.Info.Pure || len(v.Def.Regions) > 0 {
		return false
	}
	for _, w := range v.Def.Operands {
		if !in.invariant(w, loop, seen) {
			return false
		}
	}
	return true
}
