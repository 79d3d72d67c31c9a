package vet

import (
	"go/ast"
	"go/types"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/tilec/describe"
)

// derived lists the extents that follow from others in a kernel's declaration: what is chosen for its type parameters must
// give a number for each.
func (c *checker) derived(decl *ast.FuncDecl) (out []types.Type) {
	seen := map[types.Type]bool{}
	var walk func(t types.Type)
	walk = func(t types.Type) {
		n, ok := types.Unalias(t).(*types.Named)
		if !ok || seen[n] {
			return
		}
		seen[n] = true
		if _, ok := derivation(n); ok {
			out = append(out, n)
		}
		for a := range n.TypeArgs().Types() {
			walk(a)
		}
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			if tv := c.pass.TypesInfo.Types[e]; tv.IsType() {
				walk(tv.Type)
			}
		}
		return true
	})
	return out
}

// derivation is how a type of package tile follows from two extents.
func derivation(n *types.Named) (describe.Derivation, bool) {
	d, ok := describe.Derivations[strings.ToLower(n.Obj().Name())]
	return d, ok && isTile(n.Obj(), n.Obj().Name()) && n.TypeArgs().Len() == 2
}

// allowed reports whether there is every extent that follows from those that are chosen.
func allowed(needs []types.Type, chosen map[*types.TypeParam]int) bool {
	for _, t := range needs {
		if _, ok := extentOf(t, chosen); !ok {
			return false
		}
	}
	return true
}

// extentOf is the number that an extent stands for: 0 where that depends on more than what is chosen; ok is false if there
// is none.
func extentOf(t types.Type, chosen map[*types.TypeParam]int) (n int, ok bool) {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return chosen[t], true
	case *types.Named:
		how, ok := derivation(t)
		if !ok {
			n, _ := strconv.Atoi(strings.TrimPrefix(t.Obj().Name(), "D"))
			return n, true
		}
		a, okA := extentOf(t.TypeArgs().At(0), chosen)
		b, okB := extentOf(t.TypeArgs().At(1), chosen)
		if a == 0 || b == 0 {
			return 0, okA && okB
		}
		return how.Of(a, b)
	}
	return 0, true
}
