package compile_test

import (
	"time"

	"github.com/cutile-go/cutile/tile"
)

// wrongRest are the kernels below: what changes on its way through a loop or branch, texts that are cut, formats that end early.
var wrongRest = []any{
	maskChangesInLoop[d16, d32], maskChangesInBranch[d16, d32], viewOnOneWay[d16], formatEndsInVerb, formatEndsInFlags, formatPercent, textCutTooFar, textCutNegative,
	textIndexed, methodOfOther, functionOfOther, lateMistakes, poisonedResult, poisonedCondition, poisonedLoop, mistakeInCall, requireInBranch,
	requireEqualInBranch, requireEqualOfConstants, requireEqualOfSum, requireEqualOfFloat,
}

func maskChangesInLoop[A, B tile.Dim](x tile.In[vec[A]], y tile.In[vec[B]], n int, z tile.Out[vec[A]]) {
	m := x.Load(0) > 0
	for i := range n { // want 2 "m is a tile of bool [16] on one path and of bool [32] on the other"
		m = y.Load(i) > 0
	}
	z.Store(tile.Where(m, x.Load(0), 0))
}

func maskChangesInBranch[A, B tile.Dim](x tile.In[vec[A]], y tile.In[vec[B]], n int, z tile.Out[vec[A]]) {
	m := x.Load(0) > 0
	if n > 3 { // want 2 "m is a tile of bool [32] on one path and of bool [16] on the other"
		m = y.Load(0) > 0
	}
	z.Store(tile.Where(m, x.Load(0), 0))
}

func viewOnOneWay[A tile.Dim](x tile.In[vec[A]], n int, z tile.Out[vec[A]]) {
	pick := func() (v tile.In[vec[A]], ok bool) {
		if n > 3 { // want 3 "v is a view or pointer: it cannot change inside a loop or branch"
			return x, true
		}
		return
	}
	v, _ := pick()
	z.Store(v.Load(0))
}

func formatEndsInVerb(n int, z tile.Out[v16]) {
	tile.Print("n is %", n) // want 2 "the format ends inside a verb"
	z.Store(1)
}

func formatEndsInFlags(n int, z tile.Out[v16]) {
	tile.Print("n is %+5.3", n) // want 2 "the format ends inside a verb"
	z.Store(1)
}

func formatPercent(n int, z tile.Out[v16]) {
	tile.Print("100%% of %d %d\n", n) // want 2 "the format has more verbs than there are arguments"
	z.Store(1)
}

func textCutTooFar(z tile.Out[v16]) {
	s, n := "abc", 4
	z.Store(v16(len(s[:n]))) // want 21 "slice bound 4 is outside [0, 3]"
}

func textCutNegative(z tile.Out[v16]) {
	s, n := "abc", 2
	z.Store(v16(len(s[n : n-1]))) // want 20 "slice bound 2 is outside [0, 1]"
}

func textIndexed(z tile.Out[v16]) {
	s, n := "abc", 3
	z.Store(v16(s[n])) // want 16 "index 3 is outside [0, 3)"
}

func methodOfOther(z tile.Out[v16]) {
	d := time.Duration(3)     // want 7 "time.Duration cannot be used in a kernel: package time has no registered source"
	z.Store(v16(d.Seconds())) // not looked at
}

func functionOfOther(z tile.Out[v16]) {
	z.Store(v16(time.Unix(0, 0).Nanosecond())) // want 14 "time.Unix cannot be used in a kernel: package time has no registered source"
}

// lateMistakes has mistakes after one another: each is reported, and what uses a value that a mistake spoiled is not.
func lateMistakes(n int, z tile.Out[v16]) {
	s := []int{1, 2}
	a := s[n] // want 9 "the index must be known when the kernel is compiled"
	b := a + 1
	c := -b
	if c > 3 {
		c = s[5] // not looked at
	}
	for range c {
		b++
	}
	z.Store(v16(b))
	d := s[n+1] // want 9 "the index must be known when the kernel is compiled"
	z.Store(v16(d))
}

func spoiled(n int) (int, bool) {
	s := []int{1, 2}
	if s[n] > 1 { // want 7 "the index must be known when the kernel is compiled"
		return 1, true
	}
	return 2, false
}

func poisonedResult(n int, z tile.Out[v16]) {
	a, ok := spoiled(n)
	if ok {
		z.Store(v16(a))
	}
	s := []int{1}
	z.Store(v16(s[n])) // want 16 "the index must be known when the kernel is compiled"
}

func poisonedCondition(n int, z tile.Out[v16]) {
	s := []int{1, 2}
	ok := s[n] > 1 // want 10 "the index must be known when the kernel is compiled"
	if ok && n > 3 || !ok {
		z.Store(1)
	}
	switch s[0] {
	case s[n]: // want 9 "the index must be known when the kernel is compiled"
		z.Store(2)
	}
}

func poisonedLoop(n int, z tile.Out[v16]) {
	s := []int{1, 2}
	x := 0
	for i := 0; i < s[n]; i++ { // want 20 "the index must be known when the kernel is compiled"
		x += i
	}
	for i := s[n]; i < 4; i++ { // want 13 "the index must be known when the kernel is compiled"
		x += i
	}
	z.Store(v16(x))
}

func outer(n int) int { return inner(n) + 1 }

func inner(n int) int {
	s := []int{1, 2}
	return s[n] // want 11 "the index must be known when the kernel is compiled"
}

func mistakeInCall(n int, z tile.Out[v16]) {
	z.Store(v16(outer(n)))
}

func requireInBranch(n int, z tile.Out[v16]) {
	if n > 3 {
		tile.Require(n > 4, "n is small") // want 3 "the condition of Require must be known when the kernel is compiled"
	}
	z.Store(1)
}

func requireEqualInBranch(x tile.In[v16], n int, z tile.Out[v16]) {
	if n > 3 {
		tile.RequireEqual(x.Len(0), n) // want 3 "a launch cannot check what depends on a branch or loop of the kernel: require it outside of them"
	}
	z.Store(x.Load(0))
}

func requireEqualOfConstants(n int, z tile.Out[v16]) {
	tile.RequireEqual(2, 1+1)
	tile.RequireEqual(2, 3) // want 2 "2 and 3 must be the same"
	z.Store(1)
}

func requireEqualOfSum(n int, z tile.Out[v16]) {
	tile.RequireEqual(n+1, 3) // want 2 "a launch can compare extents of parameters, numbers that are parameters, and constants: this is computed in the kernel"
	z.Store(1)
}

func requireEqualOfFloat(f float32, z tile.Out[v16]) {
	tile.RequireEqual(int(f), 3) // want 2 "a launch can compare extents of parameters, numbers that are parameters, and constants: this is computed in the kernel"
	z.Store(1)
}
