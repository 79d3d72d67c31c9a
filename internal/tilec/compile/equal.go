package compile

import (
	"go/token"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/tilec/emit"
	"github.com/cutile-go/cutile/internal/tilec/passes"
	"github.com/cutile-go/cutile/tileir"
)

// Equal is two numbers that must be equal at a launch, and where the kernel says so.
type Equal struct {
	A, B Number
	Pos  token.Position
}

// Number is a parameter of the entry, or a constant where Param is negative.
type Number struct {
	Param int
	Const int64
	Bits  int // of the parameter, which has a sign
}

// Of is the number at a launch with these bits of the entry's parameters.
func (n Number) Of(bits []uint64) int64 {
	if n.Param < 0 {
		return n.Const
	}
	unused := 64 - n.Bits
	return int64(bits[n.Param]) << unused >> unused
}

// equals finds the parameters of what a launch must hold.
func equals(e *tileir.Entry, all []emit.Equal) (out []Equal, err error) {
	var list diag.List
	seen := map[[2]Number]bool{}
	for _, q := range all {
		pos := token.Position{Filename: q.Loc.File, Line: q.Loc.Line, Column: q.Loc.Col}
		a, okA := number(e, q.A)
		b, okB := number(e, q.B)
		if !okA || !okB {
			list = append(list, &diag.Error{Pos: pos, Stage: diag.Lower, Source: source.Line(pos),
				Msg: "a launch can compare extents of parameters, numbers that are parameters, and constants: this is computed in the kernel"})
			continue
		}
		if !seen[[2]Number{a, b}] {
			seen[[2]Number{a, b}] = true
			out = append(out, Equal{a, b, pos})
		}
	}
	return out, list.Err()
}

func number(e *tileir.Entry, n emit.Number) (Number, bool) {
	if n.Value == nil {
		return Number{Param: -1, Const: n.Const}, true
	}
	p := passes.Origin(e, n.Value)
	if p < 0 {
		return Number{}, false
	}
	return Number{Param: p, Bits: e.Params[p].Type.(*tileir.TileType).Elem.Bits()}, true
}
