package vet

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/compile"
	"github.com/cutile-go/cutile/internal/diag"
)

// A kernel of which the package names no instance is compiled with type arguments that are chosen here. What its types have
// to do with each other is not known, so that a mistake of shapes or elements may be one of the choice. It is reported
// where every choice has it; two shapes that must be the same, where every choice of different extents has it, as one
// type parameter in place of two says that they are.

// extents that are tried, those first that most kernels take. The first are equal to each other, products (1) and far apart.
var extents = []int{16, 1, 32, 4, 2, 64, 128, 8, 256, 512, 1024}

// maxAttempts bounds the choices of one kernel. They end with the last mistake that all have.
const maxAttempts = 160

// maxRelated is how many extents the attempts combine well enough for relations between them: with more, only a mistake
// that mentions no extent counts.
const maxRelated = 3

// attempt is one choice of type arguments.
type attempt struct {
	args     []string
	distinct bool // no two extents are the same
}

// attempts gives the choices for a kernel, the first one alone where there are too many; nil where there is none.
func attempts(tps *types.TypeParamList) (out []attempt) {
	choices, others := make([][]string, tps.Len()), 1
	for i := range tps.Len() {
		if isDim(tps.At(i)) {
			continue
		}
		choices[i] = terms(tps.At(i).Constraint())
		if len(choices[i]) == 0 {
			return nil
		}
		others *= len(choices[i])
	}
	n := len(extents)
	for n > 1 && others*power(n, dims(tps)) > maxAttempts {
		n--
	}
	few := dims(tps) > 0 && n == 1 || others > maxAttempts
	for i := range tps.Len() {
		if isDim(tps.At(i)) {
			for _, e := range extents[:n] {
				choices[i] = append(choices[i], fmt.Sprintf("%s.D%d", tilePath, e))
			}
		}
	}
	for at := range product(choices) {
		a := attempt{distinct: true}
		used := map[string]bool{}
		for i, list := range choices {
			a.args = append(a.args, list[at[i]])
			if isDim(tps.At(i)) {
				a.distinct = a.distinct && !used[list[at[i]]]
				used[list[at[i]]] = true
			}
		}
		if out = append(out, a); few {
			break
		}
	}
	return out
}

func power(n, times int) int {
	p := 1
	for range times {
		p = min(p*n, maxAttempts+1)
	}
	return p
}

// product gives an index into each list, in all ways.
func product(lists [][]string) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		at := make([]int, len(lists))
		for yield(at) {
			i := 0
			for ; i < len(at); i++ {
				if at[i]++; at[i] < len(lists[i]) {
					break
				}
				at[i] = 0
			}
			if i == len(at) {
				return
			}
		}
	}
}

// dims is the number of type parameters that are extents.
func dims(tps *types.TypeParamList) (n int) {
	for tp := range tps.TypeParams() {
		if isDim(tp) {
			n++
		}
	}
	return n
}

func isDim(tp *types.TypeParam) bool {
	n, ok := types.Unalias(tp.Constraint()).(*types.Named)
	return ok && isTile(n.Obj(), "Dim")
}

// terms spells the types of a constraint's type set: none where it lists none, or the types under others, or types that
// depend on other type parameters.
func terms(t types.Type) (out []string) {
	i, ok := t.Underlying().(*types.Interface)
	if !ok {
		if mentions(t) {
			return nil
		}
		return []string{spellType(t)}
	}
	for e := range i.EmbeddedTypes() {
		u, union := types.Unalias(e).(*types.Union)
		if !union {
			return terms(e)
		}
		for term := range u.Terms() {
			if term.Tilde() {
				return nil
			}
			out = append(out, terms(term.Type())...)
		}
		return out
	}
	return nil
}

// compileChosen compiles a kernel with the type arguments of each attempt, and reports what does not depend on them.
func (c *checker) compileChosen(k kernel, tries []attempt) {
	var always, distinct diag.List // mistakes of types that all attempts had so far, and all of different extents
	first, firstDistinct := true, true
	wide := dims(k.fn.Signature().TypeParams()) <= maxRelated
	for _, try := range tries {
		if !first && len(always) == 0 && (!try.distinct || !firstDistinct && len(distinct) == 0) {
			continue // it decides nothing
		}
		k.args = try.args
		list, ok := c.mistakes(k)
		if !ok {
			return
		}
		if first {
			c.reportList(k.pos, slices.DeleteFunc(slices.Clone(list), func(e *diag.Error) bool { return e.OfTypes }))
			always = slices.DeleteFunc(slices.Clone(list), func(e *diag.Error) bool { return !e.OfTypes })
		}
		always = common(always, list, wide)
		if try.distinct {
			if firstDistinct {
				distinct = slices.DeleteFunc(slices.Clone(list), func(e *diag.Error) bool { return !e.SameShape })
			}
			distinct, firstDistinct = common(distinct, list, true), false
		}
		first = false
	}
	if len(tries) > 1 {
		same := func(e *diag.Error) bool {
			return slices.ContainsFunc(always, func(a *diag.Error) bool { return a.Pos == e.Pos })
		}
		c.reportList(k.pos, append(always, slices.DeleteFunc(distinct, same)...))
	}
}

// common gives the mistakes that are also in another list, at the same place, and in the same words unless extents may be
// in them.
func common(list, other diag.List, extents bool) diag.List {
	return slices.DeleteFunc(list, func(e *diag.Error) bool {
		return !slices.ContainsFunc(other, func(o *diag.Error) bool {
			return e.Pos == o.Pos && e.OfTypes == o.OfTypes && e.SameShape == o.SameShape && (extents || e.Msg == o.Msg)
		})
	})
}

// mistakes compiles a kernel; ok is false where it needs functions, with which its launches compile it, or where there is
// no source to compile.
func (c *checker) mistakes(k kernel) (list diag.List, ok bool) {
	r, err := resolve(k)
	if err == nil {
		for _, p := range r.Params() {
			if p.Kind == compile.Func {
				return nil, false
			}
		}
		_, err = r.Compile(context.Background(), compile.Facts{Args: make([]compile.ArgFacts, len(r.Params()))})
	}
	var one *diag.Error
	switch {
	case err == nil || errors.As(err, &list):
		return list, true
	case errors.As(err, &one):
		return diag.List{one}, true
	}
	c.report(k.pos, "%v", err)
	return nil, false
}
