package emit

import (
	"go/constant"
	"go/token"

	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir"
)

// agree gives two values of one variable, from two blocks, the same type. A single truth value
// becomes a mask if the other value is one. If a value is not set on one side, it gets any value
// there, since nothing reads it.
func (em *Emitter) agree(pos token.Pos, p *Place, a, b Value, inA, inB *tileir.Block) (Value, Value) {
	// The values may differ, but not their types.
	if t := p.typ(); IsInterface(t) {
		em.sameHeld(pos, p, a, b)
	}
	x, xTile := a.(*Tile)
	y, yTile := b.(*Tile)
	switch {
	// Nothing reads the value on the side that does not set it, so the constant will do there as
	// well.
	case a == Unset{} && IsConst(Content(b)):
		a = b
	case a == Unset{} && yTile:
		em.InBlock(inA, func() { a = em.filler(pos, y) })
	case b == Unset{} && xTile:
		em.InBlock(inB, func() { b = em.filler(pos, x) })
	case xTile && yTile:
		if x.Desc.Shape != nil && y.Desc.Shape != nil && !x.Desc.Same(y.Desc) {
			em.Fail(pos, "%s is a tile of %s on one path and of %s on the other", p, typeText(x.Desc), typeText(y.Desc))
		}
	case xTile && IsBool(b) && len(x.Desc.Shape) > 0:
		// A known truth value fills the mask.
		em.InBlock(inB, func() { b = em.Constant(pos, b, x.Type) })
	case yTile && IsBool(a) && len(y.Desc.Shape) > 0:
		em.InBlock(inA, func() { a = em.Constant(pos, a, y.Type) })
	}
	return a, b
}

// filler gives any value of the type of x, which nothing will read.
func (em *Emitter) filler(pos token.Pos, x *Tile) Value {
	if x.Meta != nil || x.Desc.Shape == nil || x.Desc.Kind.IsView() || x.Desc.Pointer || x.Desc.Kind == describe.TokenKind {
		em.Fail(pos, "a view or pointer cannot be the result on only some paths through a loop or branch")
	}
	return em.Constant(pos, constant.MakeInt64(0), x.Type)
}
