package simt

import (
	"go/token"
	"reflect"
	"slices"
)

// Scope is a function of the source whose code is in a kernel: the kernel's own, or one that was called and inlined. Each call has a scope of
// its own.
type Scope struct {
	Name string         // as users know it
	Pos  token.Position // of the declaration
	Up   *Scope         // the caller; nil for the kernel's own
	Call token.Position // where it is called
}

// Root is the scope of the kernel that has the code of a scope.
func (s *Scope) Root() *Scope {
	for s.Up != nil {
		s = s.Up
	}
	return s
}

// Variable is a variable of the source, for debuggers.
type Variable struct {
	Name  string
	Pos   token.Position // of the declaration
	Until token.Position // the end of the block that declares it
	Param bool
	Scope *Scope
}

// Debug reports whether kernels of the module tell debuggers of their variables.
func (m *Module) Debug() bool {
	for _, k := range m.Kernels {
		if k.Debug() {
			return true
		}
	}
	return false
}

// Debug reports whether a function tells debuggers of its variables.
func (f *Func) Debug() bool {
	return slices.ContainsFunc(f.Body, func(in Instr) bool { return in.Op == OpVar })
}

// VarKind says what a [VarType] is.
type VarKind uint8

// The kinds of types of variables.
const (
	VarInt VarKind = iota
	VarUint
	VarFloat
	VarBool
	VarAddress // of an Elem
	VarStruct  // with Fields
	VarArray   // of Len times Elem
)

// VarType is the type of a variable as it lies in registers.
type VarType struct {
	Name   string // in the source; "" for none
	Kind   VarKind
	Bytes  int // of a number
	Fields []VarField
	Elem   *VarType
	Len    int
	Word   int // of an array: the bytes of registers that hold several elements each; 0 where each number has its own
}

// VarField is a part of a structure.
type VarField struct {
	Name string
	Type *VarType
}

// Size is the number of bytes of a type.
func (t *VarType) Size() (n int) {
	switch t.Kind {
	case VarStruct:
		for _, f := range t.Fields {
			n += f.Type.Size()
		}
		return n
	case VarArray:
		return t.Len * t.Elem.Size()
	}
	return t.Bytes
}

// Pieces are the sizes in bytes of what [OpVar] has a register or a number for, in order.
func (t *VarType) Pieces() (sizes []int) {
	switch t.Kind {
	case VarStruct:
		for _, f := range t.Fields {
			sizes = append(sizes, f.Type.Pieces()...)
		}
	case VarArray:
		if t.Word > 0 {
			for at := 0; at < t.Size(); at += t.Word {
				sizes = append(sizes, min(t.Word, t.Size()-at))
			}
			return sizes
		}
		for range t.Len {
			sizes = append(sizes, t.Elem.Pieces()...)
		}
	default:
		sizes = append(sizes, t.Bytes)
	}
	return sizes
}

// Same reports whether two types are the same.
func (t *VarType) Same(u *VarType) bool { return reflect.DeepEqual(t, u) }

// VarPlace is what [OpVar] says beside its registers and numbers: which variable they are.
type VarPlace struct {
	*Variable
	Type *VarType // nil where the variable is nowhere
	Home bool     // the registers are the variable's own: it holds what is written to them; those of others hold it until then
}

// variables looks at where a variable is.
func (v *verifier) variable(in *Instr) {
	switch {
	case v.f.Host:
		v.add("a host function has no variables for debuggers")
	case in.Var == nil || in.Var.Variable == nil || in.Var.Scope == nil || in.Var.Type == nil && len(in.Src) > 0:
		v.add("expected a variable with a scope, and a type unless it is nowhere")
	case in.Guard != NoReg || len(in.Dst) > 0:
		v.add("expected no guard and no result; found %s", describe(in))
	case in.Var.Type != nil && len(in.Src) != len(in.Var.Type.Pieces()):
		v.add("variable %s has %d pieces; found %d", in.Var.Name, len(in.Var.Type.Pieces()), len(in.Src))
	}
	for i, op := range in.Src {
		if op.Kind != Register && op.Kind != Imm || op.Not {
			v.add("operand %d: expected a register or a number; found %s", i+1, op.Kind)
		}
	}
}

// Kinds are the kinds of the numbers that the pieces of a type are.
func (t *VarType) Kinds() (kinds []VarKind) {
	switch t.Kind {
	case VarStruct:
		for _, f := range t.Fields {
			kinds = append(kinds, f.Type.Kinds()...)
		}
		return kinds
	case VarArray:
		elem := []VarKind{t.Elem.Kind}
		if t.Word == 0 {
			elem = t.Elem.Kinds()
		}
		for len(kinds) < len(t.Pieces()) {
			kinds = append(kinds, elem...)
		}
		return kinds
	}
	return []VarKind{t.Kind}
}

// Merge gives the type of a variable that lies in registers as t says in one place, and as u says in another: the larger numbers of both. ok is
// false if the types have different parts.
func (t *VarType) Merge(u *VarType) (m *VarType, ok bool) {
	if t.Kind != u.Kind || t.Name != u.Name || len(t.Fields) != len(u.Fields) || t.Len != u.Len || t.Word != u.Word {
		return nil, false
	}
	r := *t
	r.Bytes = max(t.Bytes, u.Bytes)
	if t.Elem != nil {
		if r.Elem, ok = t.Elem.Merge(u.Elem); !ok {
			return nil, false
		}
	}
	r.Fields = nil
	for i, f := range t.Fields {
		g := u.Fields[i]
		ft, ok := f.Type.Merge(g.Type)
		if !ok || f.Name != g.Name {
			return nil, false
		}
		r.Fields = append(r.Fields, VarField{f.Name, ft})
	}
	return &r, true
}
