package ptx

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/tileir"
)

// maxPieces is how many registers and numbers of a variable debuggers know at most: a larger one is nowhere.
const maxPieces = 1024

// observe says where a variable of the source is from here on.
func (w *writer) observe(in *ir.Instr) {
	if w.scopes == nil {
		return
	}
	o := in.Observed
	p := observer{w: w}
	place := &simt.VarPlace{Variable: w.scopes.variable(o.Variable)}
	if t := p.part(o.What); len(p.ops) <= maxPieces {
		place.Type = t
	}
	if place.Type == nil {
		p.ops = nil
	}
	w.emit(simt.OpVar, nil, p.ops...).Var = place
}

// observer finds the registers and numbers of a variable.
type observer struct {
	w   *writer
	ops []simt.Operand
}

// part gives the type of a part as it lies in registers; nil for what is nowhere.
func (p *observer) part(o *ir.ObservedPart) *simt.VarType {
	switch {
	case o == nil:
		return nil
	case o.Values != nil:
		return p.tile(o)
	case o.Parts == nil:
		t := elemType(o)
		p.ops = append(p.ops, simt.B(knownBits(o)))
		return t
	}
	before := len(p.ops)
	t := &simt.VarType{Name: o.Type, Kind: simt.VarStruct}
	for i, q := range o.Parts {
		f := p.part(q)
		switch {
		case f != nil:
			name := q.Name
			if name == "" {
				name = fmt.Sprint(i)
			}
			t.Fields = append(t.Fields, simt.VarField{Name: name, Type: f})
		case o.List:
			p.ops = p.ops[:before]
			return nil
		}
	}
	if len(t.Fields) == 0 {
		return nil
	}
	if o.List {
		return listed(t)
	}
	return t
}

// listed is an array, if its elements are alike.
func listed(t *simt.VarType) *simt.VarType {
	first := t.Fields[0].Type
	for _, f := range t.Fields[1:] {
		if !f.Type.Same(first) {
			return t
		}
	}
	return &simt.VarType{Kind: simt.VarArray, Elem: first, Len: len(t.Fields)}
}

// tile is the registers of a number, or of the elements that the thread has of a tile.
func (p *observer) tile(o *ir.ObservedPart) *simt.VarType {
	var ops []simt.Operand
	for _, v := range o.Values {
		op := p.w.use(v)
		if op.Kind == simt.Register && op.Reg == simt.NoReg { // not computed yet, or by nobody
			return nil
		}
		ops = append(ops, op)
	}
	p.ops = append(p.ops, ops...)
	t := elemType(o)
	if len(o.Shape) == 0 {
		return t
	}
	array := &simt.VarType{Kind: simt.VarArray, Elem: t, Len: len(ops)}
	t.Name = elemName(o)
	return &simt.VarType{Name: tileName(o), Kind: simt.VarStruct, Fields: []simt.VarField{{Name: "held", Type: array}}}
}

// tileName says what a tile is of which a thread holds elements: its type in the source, the elements' type and the extents.
func tileName(o *ir.ObservedPart) string {
	extents := strings.Trim(strings.ReplaceAll(fmt.Sprint(o.Shape), " ", "x"), "[]")
	return fmt.Sprintf("%s %s %s", o.Type, extents, elemName(o))
}

// elemName is Tile IR's name of an element's type.
func elemName(o *ir.ObservedPart) string {
	if o.Pointer {
		return "ptr"
	}
	return o.Elem.Name()
}

// elemType is the type of an element in a register of its own.
func elemType(o *ir.ObservedPart) *simt.VarType {
	t := &simt.VarType{Name: o.Type, Kind: simt.VarInt, Bytes: max(o.Elem.Bits()/8, 1)}
	switch {
	case o.Pointer:
		elem := *o
		elem.Pointer, elem.Type = false, o.Elem.Name()
		return &simt.VarType{Kind: simt.VarAddress, Bytes: 8, Elem: elemType(&elem)}
	case o.Elem == tileir.I1:
		t.Kind = simt.VarBool
	case o.Elem == tileir.BF16 || o.Elem == tileir.TF32: // registers have them as f32
		t.Kind, t.Bytes = simt.VarFloat, 4
	case o.Elem.IsFloat():
		t.Kind = simt.VarFloat
	case o.Unsigned:
		t.Kind = simt.VarUint
	}
	return t
}

// knownBits are the bits of a number that is known, as a register would have them, extended as its type is.
func knownBits(o *ir.ObservedPart) uint64 {
	n := o.Elem.Bits()
	switch {
	case o.Elem == tileir.BF16:
		return o.Bits << 16
	case o.Elem == tileir.TF32:
		return o.Bits << 13
	case o.Elem.IsFloat() || o.Unsigned || o.Elem == tileir.I1 || n == 64:
		return o.Bits
	}
	return uint64(int64(o.Bits<<(64-n)) >> (64 - n))
}

// variable is a variable as debuggers of the SIMT level know it.
func (s *callScopes) variable(v *tileir.Variable) *simt.Variable {
	if x := s.vars[v]; x != nil {
		return x
	}
	x := &simt.Variable{Name: v.Name, Pos: position(&v.Loc), Until: token.Position{Filename: v.Until.File, Line: v.Until.Line, Column: v.Until.Col}, Param: v.Param, Scope: s.of(&v.Loc)}
	s.vars[v] = x
	return x
}
