package emit

import (
	"go/constant"
	"go/token"
	"go/types"
	"path"
	"strconv"

	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt"
)

// Within makes a function of the program the one whose code is written, for debuggers: a call at a position, or the kernel's own if root is
// set. restore is for the end of its code. The language's own functions count as their callers.
func (em *Emitter) Within(name string, pos, call token.Pos, root bool) (restore func()) {
	b, before := em.B, em.B.Scope
	if em.Opts.Variables && !b.Host && !em.Calls.InLanguage() {
		s := &simt.Scope{Name: name, Pos: em.position(pos)}
		if !root && before != nil {
			s.Up, s.Call = before, em.position(call)
		}
		b.Scope = s
	}
	return func() { b.Scope = before }
}

// variableKey names a variable: an unrolled loop declares it several times.
type variableKey struct {
	scope *simt.Scope
	pos   token.Pos
}

// Declared tells debuggers of the variable that a cell is, which lives until a position.
func (em *Emitter) Declared(c *Cell, pos, until token.Pos, param bool) {
	if !em.Opts.Variables || em.B.Host || em.B.Scope == nil || em.Calls.InLanguage() {
		return
	}
	key := variableKey{em.B.Scope, pos}
	if em.variables == nil {
		em.variables = map[variableKey]*simt.Variable{}
	}
	v := em.variables[key]
	if v == nil {
		v = &simt.Variable{Name: c.Name, Pos: em.position(pos), Until: em.position(until), Param: param, Scope: em.B.Scope}
		em.variables[key] = v
	}
	c.known = v
	em.placed(c)
}

// placed notes where the parts of a variable are from here on. A variable that holds references alone is nowhere.
func (em *Emitter) placed(c *Cell) {
	if c.known == nil || c.v == nil || Poisoned(c.v) {
		return
	}
	p := &placer{em: em}
	t := p.value(c.v, c.Type)
	if t == nil || p.foreign || len(p.ops) == 0 || len(p.ops) > maxPieces {
		return
	}
	em.B.Emit(simt.OpVar, nil, p.ops...).Var = &simt.VarPlace{Variable: c.known, Type: t, Home: true} // nobody else changes the registers of values
}

// maxPieces is how many registers and numbers of a variable debuggers know at most: a larger one is nowhere.
const maxPieces = 1024

// placer finds the registers and numbers of a value.
type placer struct {
	em      *Emitter
	ops     []simt.Operand
	foreign bool // it has registers of another function
}

// value gives the type of a value as it lies in registers; nil for what is nowhere.
func (p *placer) value(v Value, t types.Type) *simt.VarType {
	switch v := v.(type) {
	case *Num:
		return p.number(v)
	case constant.Value, nonFinite:
		return p.static(v, t)
	case *Struct:
		return p.fields(t, len(v.Fields), func(i int) (string, Value, types.Type) {
			return v.Type.Field(i).Name(), v.Fields[i], v.Type.Field(i).Type()
		})
	case *Array:
		return p.array(v.Elems, elemTypeOf(t))
	case *Iface:
		return p.value(v.V, v.Type)
	case *Vec:
		return p.array(v.Elems, nil)
	case Shape:
		return p.tuple(v.Tuple)
	case *Layout:
		return p.layout(v)
	case *Tensor:
		return p.tensor(v, t)
	}
	return nil
}

// number is a register.
func (p *placer) number(n *Num) *simt.VarType {
	if n.fn != p.em.B.Func {
		p.foreign = true
		return nil
	}
	p.ops = append(p.ops, n.Op())
	t := elemType(n.Elem)
	if n.Elem.IsInt() && n.Elem.Bits == 64 && !n.wide {
		t.Bytes = 4
	}
	return t
}

// elemType is the type of an element in a register of its own. Integers of less than 32 bits are extended there, which leaves the low bytes as they are.
func elemType(e *Elem) *simt.VarType {
	t := &simt.VarType{Name: path.Base(e.Go), Kind: simt.VarUint, Bytes: max(e.Bits/8, 1)}
	switch {
	case e == Bool:
		t.Kind = simt.VarBool
	case e.Float:
		t.Kind = simt.VarFloat
	case e.Signed:
		t.Kind = simt.VarInt
	}
	return t
}

// static is a number that is known. Texts are nowhere.
func (p *placer) static(v Value, t types.Type) *simt.VarType {
	if c, ok := v.(constant.Value); ok && c.Kind() == constant.String {
		return nil
	}
	e := (*Elem)(nil)
	if t != nil {
		e = ElemOf(t)
	}
	if e == nil {
		if c, ok := v.(constant.Value); !ok || c.Kind() != constant.Int {
			return nil
		}
		e = Int
	}
	wide := e.IsInt() && e.Bits == 64
	op := p.em.Operand(v, e, wide)
	if op.Kind != simt.Imm {
		return nil
	}
	p.ops = append(p.ops, op)
	return elemType(e)
}

// fields is a structure of parts; those that are nowhere are left out.
func (p *placer) fields(t types.Type, n int, part func(i int) (string, Value, types.Type)) *simt.VarType {
	out := &simt.VarType{Kind: simt.VarStruct}
	if t != nil {
		out.Name = types.TypeString(t, (*types.Package).Name)
	}
	for i := range n {
		name, v, ft := part(i)
		if f := p.value(v, ft); f != nil {
			out.Fields = append(out.Fields, simt.VarField{Name: name, Type: f})
		}
	}
	if len(out.Fields) == 0 {
		return nil
	}
	return out
}

func elemTypeOf(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	if a, ok := t.Underlying().(*types.Array); ok {
		return a.Elem()
	}
	return nil
}

// array is an array of numbers, or a structure if its elements differ.
func (p *placer) array(elems []Value, t types.Type) *simt.VarType {
	s := p.fields(nil, len(elems), func(i int) (string, Value, types.Type) { return strconv.Itoa(i), elems[i], t })
	if s == nil || len(s.Fields) != len(elems) {
		return s
	}
	first := s.Fields[0].Type
	for _, f := range s.Fields[1:] {
		if !f.Type.Same(first) {
			return s
		}
	}
	return &simt.VarType{Kind: simt.VarArray, Elem: first, Len: len(elems)}
}

// tuple is a shape, a stride or a coordinate.
func (p *placer) tuple(t layout.Tuple) *simt.VarType {
	if n, ok := t.IsLeaf(); ok {
		return p.value(p.em.OfInt(n), nil)
	}
	if t.Depth() == 0 { // an underscore
		return nil
	}
	parts := t.Modes()
	return p.fields(nil, len(parts), func(i int) (string, Value, types.Type) { return strconv.Itoa(i), Shape{parts[i]}, nil })
}

func (p *placer) layout(l *Layout) *simt.VarType {
	parts := []struct {
		name string
		of   layout.Tuple
	}{{"shape", l.Shape()}, {"stride", l.Stride()}}
	return p.fields(nil, len(parts), func(i int) (string, Value, types.Type) { return parts[i].name, Shape{parts[i].of}, nil })
}

// tensor is the registers of a tensor, or else its address, where it begins behind that, and its layout.
func (p *placer) tensor(t *Tensor, of types.Type) *simt.VarType {
	if t.Space != Rmem {
		parts := []struct {
			name string
			v    Value
		}{{"base", t.Base}, {"offset", p.em.OfInt(t.Off)}, {"layout", t.Layout}}
		s := p.fields(of, len(parts), func(i int) (string, Value, types.Type) { return parts[i].name, parts[i].v, nil })
		if s != nil && s.Fields[0].Name == "base" {
			s.Fields[0].Type = &simt.VarType{Kind: simt.VarAddress, Bytes: s.Fields[0].Type.Bytes, Elem: elemType(t.Elem)}
		}
		return s
	}
	if t.Regs.fn != p.em.B.Func {
		p.foreign = true
		return nil
	}
	for _, r := range t.Regs.Words {
		p.ops = append(p.ops, simt.R(r))
	}
	word := 4
	if t.Elem.Bits == 64 {
		word = 8
	}
	e := elemType(t.Elem)
	return &simt.VarType{Kind: simt.VarArray, Elem: e, Len: len(t.Regs.Words) * word / e.Bytes, Word: word}
}
