package eval

import (
	"go/constant"
	"go/types"
)

// opaque is the zero values of the types of package cute that are the evaluator's own.
var opaque = map[string]func() value{
	"IntTuple":  func() value { return shape{} },
	"Layout":    func() value { return &layoutVal{} },
	"TensorMap": func() value { return zeroNumber(u64Elem) }, // its address
	"Stream":    func() value { return zeroNumber(u64Elem) },
}

// zeroOpaque is the zero value of a type that the evaluator knows itself.
func (em *emitter) zeroOpaque(t types.Type) (value, bool) {
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

// zero is the zero value of a type.
func (em *emitter) zero(t types.Type) value {
	if e := ElemOf(t); e != nil {
		if e == boolElem {
			return constant.MakeBool(false)
		}
		return constant.MakeInt64(0)
	}
	if v, ok := em.zeroOpaque(t); ok {
		return v
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return constant.MakeString("")
		}
	case *types.Struct:
		s := &structVal{typ: u}
		for i := range u.NumFields() {
			s.fields = append(s.fields, em.zero(u.Field(i).Type()))
		}
		return s
	case *types.Array:
		em.Must(u.Len() <= maxArray, em.pos, "an array of %d elements is too long for registers: allocate shared memory, or register memory with cute.MakeRmem", u.Len())
		a := &arrayVal{elems: make([]value, u.Len())}
		for i := range a.elems {
			a.elems[i] = em.zero(u.Elem())
		}
		return a
	}
	return none{}
}

// maxArray bounds arrays of variables.
const maxArray = 4096
