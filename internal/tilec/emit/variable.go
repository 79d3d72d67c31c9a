package emit

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir"
)

// maxParts is how many parts of a variable debuggers know at most: a larger one is nowhere.
const maxParts = 1024

// told is what debuggers know of a variable: the value that it had when a note was made.
type told struct {
	known bool
	v     Value
}

// variableKey names a variable: an unrolled loop declares it several times.
type variableKey struct {
	caller *tileir.Loc
	pos    token.Pos
}

// Declared tells debuggers of the variable that a cell is, whose scope ends at a position. Those of the language's own functions count
// as nothing.
func (em *Emitter) Declared(c *Cell, pos, until token.Pos, param bool) {
	if em.Notes == nil || em.Calls.InLanguage() {
		return
	}
	key := variableKey{em.Caller, pos}
	v := em.variables[key]
	if v == nil {
		if em.variables == nil {
			em.variables = map[variableKey]*tileir.Variable{}
		}
		at, end := source.Fset.Position(pos), source.Fset.Position(until)
		v = &tileir.Variable{
			Name: c.Name, Param: param,
			Loc:   tileir.Loc{File: at.Filename, Line: at.Line, Col: at.Column, Caller: em.Caller, Scope: em.Callee},
			Until: tileir.Loc{File: end.Filename, Line: end.Line, Col: end.Column},
		}
		em.variables[key] = v
	}
	c.variable = v
}

// Observe makes notes of the variables that have changed since their last note. It must come where a block of statements begins and behind each
// statement. Functions that combine values have none, as the regions of their operations hold nothing else.
func (em *Emitter) Observe() {
	if em.Notes == nil || em.Combining || em.Calls.InLanguage() {
		return
	}
	for _, c := range em.Cells {
		if c.variable == nil || c.told.known && c.told.v == c.V {
			continue
		}
		c.told = told{true, c.V}
		p := parter{em: em}
		what := p.value(c.V, c.Type)
		if p.n > maxParts {
			what = nil
		}
		em.Block.Ops = append(em.Block.Ops, em.Notes.Add(c.variable, what, em.Loc()))
	}
}

// parter finds the parts of a value. Pointers and slices are nowhere: what they lead to may change while their variable does not.
type parter struct {
	em *Emitter
	n  int
}

// value gives what a debugger sees of a value of a type, which may be unknown: nil for nothing.
func (p *parter) value(v Value, t types.Type) *tileir.VariablePart {
	if p.n++; p.n > maxParts {
		return nil
	}
	switch v := v.(type) {
	case *Tile:
		return p.tile(v, t)
	case constant.Value, NonFinite:
		return p.number(v, t)
	case *Struct:
		return p.fields(v)
	case *List:
		return p.list(v)
	case *Held:
		return p.value(v.V, v.Type)
	}
	return nil
}

// tile is a value of the device. Views are nowhere: the tensors that they show are parts beside them.
func (p *parter) tile(v *Tile, t types.Type) *tileir.VariablePart {
	if _, ok := v.V.Type.(*tileir.TileType); !ok {
		return nil
	}
	if v.Type != nil {
		t = v.Type
	}
	return &tileir.VariablePart{Type: typeName(t), Value: v.V, Unsigned: unsigned(v.Desc)}
}

// number is a number that is known when the kernel is compiled.
func (p *parter) number(v Value, t types.Type) *tileir.VariablePart {
	d := p.em.NumberDesc(t)
	if t == nil || d == nil {
		if k, ok := v.(constant.Value); !ok || k.Kind() != constant.Int {
			return nil
		}
		t = types.Typ[types.Int]
		d = p.em.TileDesc(t)
	}
	if d.Pointer || len(d.Shape) > 0 {
		return nil
	}
	held, err := TypeOf(d.Elem).Hold(v)
	if err != nil {
		return nil
	}
	bits, ok := p.em.encode(held, d.Elem)
	if !ok {
		return nil
	}
	return &tileir.VariablePart{Type: typeName(t), Elem: d.Elem.IR, Bits: bits, Unsigned: unsigned(d)}
}

// fields is a structure. Those of a part that is embedded in a type of the language are its own.
func (p *parter) fields(s *Struct) *tileir.VariablePart {
	st, ok := s.Type.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	out := &tileir.VariablePart{Type: typeName(s.Type)}
	for i, v := range s.Fields {
		f := st.Field(i)
		if s, ok := v.(*Slice); ok && s.Of != nil && source.IsLanguage(f.Pos()) && !f.Exported() {
			v = &List{Type: s.Of.Cell.Type, Elems: s.Elems()} // nobody sets the elements
		}
		part := p.value(v, f.Type())
		switch {
		case part == nil:
		case f.Embedded() && source.IsLanguage(f.Pos()) && len(part.Parts) > 0 && !part.List:
			out.Parts = append(out.Parts, part.Parts...)
		default:
			part.Name = f.Name()
			out.Parts = append(out.Parts, part)
		}
	}
	if len(out.Parts) == 0 {
		return nil
	}
	return out
}

// list is an array, unless some of its elements are nowhere.
func (p *parter) list(l *List) *tileir.VariablePart {
	out := &tileir.VariablePart{List: true}
	var elem types.Type
	if l.Type != nil {
		elem = ElemType(l.Type)
	}
	for _, v := range l.Elems {
		part := p.value(v, elem)
		if part == nil {
			return nil
		}
		out.Parts = append(out.Parts, part)
	}
	if len(out.Parts) == 0 {
		return nil
	}
	return out
}

func typeName(t types.Type) string {
	if t == nil {
		return ""
	}
	return types.TypeString(t, (*types.Package).Name)
}

func unsigned(d *describe.Desc) bool {
	return d != nil && d.Elem.IR.IsInt() && !d.Elem.Signed()
}
