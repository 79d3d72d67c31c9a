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
	f := intrinsics[c.fv.decl.Dir.Words[0]]
	if f == nil {
		panic("BUG: eval: no intrinsic " + c.fv.decl.Dir.Words[0] + " of " + c.fv.name)
	}
	return f(c)
}

// opaque is the zero values of the types of package cute that are the evaluator's own.
var opaque = map[string]func() value{
	"IntTuple":  func() value { return shape{} },
	"Layout":    func() value { return &layoutVal{} },
	"TensorMap": func() value { return zeroNumber(u64Elem) }, // its address
	"Stream":    func() value { return zeroNumber(u64Elem) },
}

// zeroOpaque is the zero value of a type that the evaluator knows itself.
func (ev *evaluator) zeroOpaque(t types.Type) (value, bool) {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != cutePath {
		return nil, false
	}
	if e, many := numbers(t); many {
		return zeroNumber(e), true
	}
	if f := opaque[n.Obj().Name()]; f != nil {
		return f(), true
	}
	if _, ok := n.Underlying().(*types.Struct); ok && opaqueNames[n.Obj().Name()] {
		return none{}, true
	}
	return nil, false
}

// opaqueNames are the types that have no zero value of use.
var opaqueNames = map[string]bool{"Tensor": true, "CoordTensor": true, "Kernel": true, "ComposedLayout": true,
	"CopyAtom": true, "TiledCopy": true, "ThrCopy": true, "MmaAtom": true, "TiledMma": true, "ThrMma": true}

// langVar is a variable of package cute.
func (ev *evaluator) langVar(o *types.Var) (value, bool) {
	if o.Pkg() == nil || o.Pkg().Path() != cutePath {
		return nil, false
	}
	f := langVars[o.Name()]
	if f == nil {
		return nil, false
	}
	return f, true
}
