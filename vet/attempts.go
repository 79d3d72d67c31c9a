package vet

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/tilec/compile"
)

// A kernel of which the package names no instance is compiled with type arguments that are chosen here. What its types have
// to do with each other is not known, so that a mistake of shapes or elements may be one of the choice. It is reported
// where every choice has it; two shapes that must be the same, where every choice of different extents has it, as one
// type parameter in place of two says that they are.

// extents that are tried, those first that most kernels take. The first are equal to each other, products (1) and far apart;
// those behind the usual ones are for kernels with quotients that nothing less has.
var extents = []int{16, 1, 32, 4, 2, 64, 128, 8, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536}

// usual is how many extents are tried for most kernels.
const usual = 11

// maxAttempts bounds the choices of one kernel. They end with the last mistake that all have.
const maxAttempts = 160

// maxCombined bounds the combinations of extents that are looked at for those that give numbers for all others.
const maxCombined = 100_000

// maxRelated is how many extents the attempts combine well enough for relations between them: with more, only a mistake
// that mentions no extent counts.
const maxRelated = 3

// attempt is one choice of type arguments.
type attempt struct {
	args     []string
	distinct bool // no two extents are the same
}

// attempts gives the choices for a kernel, one alone where there are too many; nil if there is none. needs are the extents
// that follow from those that are chosen: choices that give no number for one are left out. never says that all do so.
func attempts(tps *types.TypeParamList, needs []types.Type) (out []attempt, never bool) {
	choices, others := make([][]string, tps.Len()), 1
	for i := range tps.Len() {
		if isDim(tps.At(i)) {
			continue
		}
		choices[i] = terms(tps.At(i).Constraint())
		if len(choices[i]) == 0 {
			return nil, false
		}
		others *= len(choices[i])
	}
	n := usual
	for n > 1 && others*power(n, dims(tps)) > maxAttempts {
		n--
	}
	few := dims(tps) > 0 && n == 1 || others > maxAttempts
	list, never := chooseExtents(tps, n, needs)
	for _, chosen := range list {
		a := attempt{distinct: true}
		used := map[int]bool{}
		for i := range choices {
			if n, ok := chosen[tps.At(i)]; ok {
				choices[i] = []string{fmt.Sprintf("%s.D%d", tilePath, n)}
				a.distinct = a.distinct && !used[n]
				used[n] = true
			}
		}
		for at := range product(choices) {
			a.args = nil
			for i, list := range choices {
				a.args = append(a.args, list[at[i]])
			}
			if out = append(out, a); few {
				return out, never
			}
		}
	}
	return out, never
}

// sizes is an extent for each type parameter that is one.
type sizes map[*types.TypeParam]int

// chooseExtents combines the first n extents for the type parameters. Where others must follow from them, greater ones are
// combined, too, until there are as many combinations as without. never says that no combination gives a number for all.
func chooseExtents(tps *types.TypeParamList, n int, needs []types.Type) (list []sizes, never bool) {
	want := power(n, dims(tps))
	for m := n; ; m++ {
		fit := slices.DeleteFunc(combined(tps, extents[:m]), func(s sizes) bool { return !allowed(needs, s) })
		switch {
		case len(fit) >= want:
			return thinned(fit, want), false
		case m < len(extents) && power(m+1, dims(tps)) <= maxCombined:
		case len(fit) > 0:
			return fit, false
		default:
			return combined(tps, extents[:n]), m == len(extents)
		}
	}
}

// combined gives all combinations of extents.
func combined(tps *types.TypeParamList, extents []int) (out []sizes) {
	var params []*types.TypeParam
	var lists [][]int
	for tp := range tps.TypeParams() {
		if isDim(tp) {
			params, lists = append(params, tp), append(lists, extents)
		}
	}
	for at := range product(lists) {
		s := sizes{}
		for i, tp := range params {
			s[tp] = extents[at[i]]
		}
		out = append(out, s)
	}
	return out
}

// thinned gives n elements of a list, evenly.
func thinned[T any](list []T, n int) (out []T) {
	for i := range n {
		out = append(out, list[i*len(list)/n])
	}
	return out
}

func power(n, times int) int {
	p := 1
	for range times {
		p = min(p*n, maxCombined+1)
	}
	return p
}

// product gives an index into each list, in all ways.
func product[T any](lists [][]T) func(yield func([]int) bool) {
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

// compileChosen compiles a kernel with the type arguments of each attempt, and reports what does not depend on them. An attempt
// for which an extent that follows from others is none says nothing else.
func (c *checker) compileChosen(k kernel, tries []attempt) {
	var always, distinct, none diag.List // mistakes of types that all attempts had so far, all of different extents, all without an extent
	first, firstDistinct, firstNone := true, true, true
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
		if slices.ContainsFunc(list, noExtent) {
			if firstNone {
				none = list
			}
			none, firstNone = common(none, list, k.never), false
			continue
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
	if first {
		c.reportList(k.pos, none)
	} else if len(tries) > 1 {
		same := func(e *diag.Error) bool {
			return slices.ContainsFunc(always, func(a *diag.Error) bool { return a.Pos == e.Pos })
		}
		c.reportList(k.pos, append(always, slices.DeleteFunc(distinct, same)...))
	}
}

func noExtent(e *diag.Error) bool { return e.NoExtent }

// common gives the mistakes that are also in another list, at the same position, and in the same words unless extents may be
// in them.
func common(list, other diag.List, extents bool) diag.List {
	return slices.DeleteFunc(list, func(e *diag.Error) bool {
		return !slices.ContainsFunc(other, func(o *diag.Error) bool {
			return e.Pos == o.Pos && e.OfTypes == o.OfTypes && e.SameShape == o.SameShape && (extents || e.Msg == o.Msg)
		})
	})
}

// mistakes compiles a kernel; ok is false if it needs functions, with which its launches compile it, or where there is
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
