package emit

import (
	"go/constant"
	"go/types"
)

// opaque lists the zero values of those types of package cute which are values of this package,
// whatever their declarations say.
var opaque = map[string]func() Value{
	"IntTuple":  func() Value { return Shape{} },
	"Layout":    func() Value { return &Layout{} },
	"TensorMap": func() Value { return zeroNumber(U64) }, // its address
	"Stream":    func() Value { return zeroNumber(U64) },
}

// zeroOpaque gives the zero value of a type of package cute, if t is one that this package knows.
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
	// Their declarations are structs, whose fields mean nothing to compiled code.
	if _, ok := n.Underlying().(*types.Struct); ok && opaqueNames[n.Obj().Name()] {
		return None{}, true
	}
	return nil, false
}

// opaqueNames lists the types whose zero values are of no use, such as a tensor without memory.
var opaqueNames = map[string]bool{"Tensor": true, "CoordTensor": true, "Kernel": true, "ComposedLayout": true,
	"CopyAtom": true, "TiledCopy": true, "ThrCopy": true, "MmaAtom": true, "TiledMma": true, "ThrMma": true}

// Zero gives the zero value of a type. It is nil for pointers, slices, interfaces and functions.
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
		// Each element may need a register, of which a thread has 255.
		em.Must(u.Len() <= maxArray, em.Pos, "an array of %d elements is too long for registers: allocate shared memory, or register memory with cute.MakeRmem", u.Len())
		a := &Array{Elems: make([]Value, u.Len())}
		for i := range a.Elems {
			a.Elems[i] = em.Zero(u.Elem())
		}
		return a
	}
	return None{}
}

// maxArray bounds the arrays that variables may hold: each element may become a register.
const maxArray = 4096

// zeroNumber gives the zero of an element type.
func zeroNumber(e *Elem) Value {
	if e == Bool {
		return constant.MakeBool(false)
	}
	return constant.MakeInt64(0)
}
