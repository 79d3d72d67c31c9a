package eval

import (
	"go/types"
	"maps"
)

// An intrinsic is a function of the language that the evaluator does itself.
type intrinsic func(*ctx) []value

// intrinsics are those of package cute by the name in their //cutile:intrinsic directives.
var intrinsics = map[string]intrinsic{}

func init() {
	for _, table := range []map[string]intrinsic{tupleWords, layoutWords, tensorWords, programWords, mathWords, warpWords, atomicWords, copyWords,
		tiledWords, mmaWords, bulkWords, wgmmaWords} {
		maps.Copy(intrinsics, table)
	}
}

// one gives one result.
func give(v ...value) []value { return v }

func (c *ctx) intrinsic() []value {
	f := intrinsics[c.callee.words[0]]
	if f == nil {
		panic("BUG: eval: no intrinsic " + c.callee.words[0] + " of " + c.callee.name)
	}
	return f(c)
}

// langVar is a variable of package cute.
func langVar(o *types.Var) (value, bool) {
	if o.Pkg() == nil || o.Pkg().Path() != cutePath {
		return nil, false
	}
	f := langVars[o.Name()]
	if f == nil {
		return nil, false
	}
	return f, true
}
