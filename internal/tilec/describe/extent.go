package describe

import (
	"cmp"
	"fmt"
	"go/types"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/tilec/decl"
)

// MaxExtent is the greatest extent of an axis.
const MaxExtent = 65536

// Derivation is how an extent follows from two others.
type Derivation struct {
	sign string
	of   func(a, b int) (n int, whole bool)
}

// Of gives the extent; ok is false if there is none.
func (d Derivation) Of(a, b int) (n int, ok bool) {
	n, ok = d.of(a, b)
	return n, ok && n <= MaxExtent
}

// Derivations are the functions of extents that a directive may call.
var Derivations = map[string]Derivation{
	"product":  {"·", func(a, b int) (int, bool) { return a * b, true }},
	"quotient": {"/", func(a, b int) (int, bool) { return a / b, a%b == 0 }},
}

// setExtent sets the number that an extent stands for: one that the directive names, or one that follows from the extents that
// are type arguments. ok is false if these are not known.
func (w *World) setExtent(d *Desc, t *types.Named, e *decl.Expr, env map[string]types.Type) (ok bool) {
	if e.Int != nil {
		d.N = int(*e.Int)
		return true
	}
	how, ok := Derivations[e.Name]
	if !ok || len(e.Args) != 2 {
		return false
	}
	var of [2]int
	for i, a := range e.Args {
		x := w.Desc(env[a.Name])
		if x == nil || x.Kind != ExtentKind {
			return false
		}
		of[i] = x.N
	}
	n, whole := how.of(of[0], of[1])
	if text := fmt.Sprintf("%s is %d%s%d", diag.TypeText(t), of[0], how.sign, of[1]); !whole {
		d.Wrong = fmt.Sprintf("%s, which is not a whole number: choose an extent that %d divides", text, of[1])
	} else if n > MaxExtent {
		d.Wrong = fmt.Sprintf("%s = %d, but an extent is at most %d: choose smaller ones", text, n, MaxExtent)
	}
	d.N = n
	return true
}

// WrongExtent says why no value can have a type: because it mentions an extent that does not exist. It is "" for other types.
func (w *World) WrongExtent(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if d := w.Desc(t); d != nil && d.Wrong != "" {
			return d.Wrong
		}
		for a := range t.TypeArgs().Types() {
			if why := w.WrongExtent(a); why != "" {
				return why
			}
		}
	case *types.Signature:
		return cmp.Or(w.wrongIn(t.Params()), w.wrongIn(t.Results()))
	case *types.Array:
		return w.WrongExtent(t.Elem())
	}
	return ""
}

func (w *World) wrongIn(vars *types.Tuple) string {
	for v := range vars.Variables() {
		if why := w.WrongExtent(v.Type()); why != "" {
			return why
		}
	}
	return ""
}
