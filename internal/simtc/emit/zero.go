package emit

import (
	"go/constant"
	"go/types"
)

// opaque has the zero values of the types of package cute that are values of this package.
var opaque = map[string]func() Value{
	"IntTuple":  func() Value { return Shape{} },
	"Layout":    func() Value { return &Layout{} },
	"TensorMap": func() Value { return zeroNumber(U64) }, // its address
	"Stream":    func() Value { return zeroNumber(U64) },
}

// zeroOpaque is the zero value of a type of package cute.
func (em *Emitter) zeroOpaque(t types.Type) (Value, bool) {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != CutePath {
		return nil, false
	}
	if e, many := Numbers(t); many {
		return zeroNumber(e), true
	}
	if f := opaque[n.Obj().Name()]; f != nil {
		return f(), true
	}
	if _, ok := n.Underlying().(*types.Struct); ok && opaqueNames[n.Obj().Name()] {
		return None{}, true
	}
	return nil, false
}

// opaqueNames are the types that have no zero value of use.
var opaqueNames = map[string]bool{"Tensor": true, "CoordTensor": true, "Kernel": true, "ComposedLayout": true,
	"CopyAtom": true, "TiledCopy": true, "ThrCopy": true, "MmaAtom": true, "TiledMma": true, "ThrMma": true}

// Zero is the zero value of a type.
func (em *Emitter) Zero(t types.Type) Value {
	if e := ElemOf(t); e != nil {
		if e == Bool {
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
		s := &Struct{Type: u}
		for i := range u.NumFields() {
			s.Fields = append(s.Fields, em.Zero(u.Field(i).Type()))
		}
		return s
	case *types.Array:
		em.Must(u.Len() <= maxArray, em.Pos, "an array of %d elements is too long for registers: allocate shared memory, or register memory with cute.MakeRmem", u.Len())
		a := &Array{Elems: make([]Value, u.Len())}
		for i := range a.Elems {
			a.Elems[i] = em.Zero(u.Elem())
		}
		return a
	}
	return None{}
}

// maxArray bounds arrays of variables.
const maxArray = 4096
