package text

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// operandValues reads one value, or for a variadic operand as many as there are.
func (r *parser) operandValues(s *opParse, in *tileir.OperandInfo) []*tileir.Value {
	if !in.Variadic {
		return []*tileir.Value{r.operand(s)}
	}
	var out []*tileir.Value
	for r.peek("%") {
		out = append(out, r.operand(s))
		if !r.accept(",") {
			break
		}
	}
	return out
}

// operand reads a value and takes note of its place.
func (r *parser) operand(s *opParse) *tileir.Value {
	at := r.here()
	v := r.value()
	s.at[v] = at
	return v
}

func (r *parser) elementTypes(s *opParse, e *element) {
	switch {
	case e.operand >= 0:
		r.typesOf(s, s.groups[e.operand])
		if g := s.groups[e.operand]; len(g) == 1 && g[0].Type != nil {
			r.tiedTypes(s, e.name, g[0].Type)
		}
	case s.info.Results[e.result].Variadic:
		s.results = r.types()
	default:
		s.results[e.result] = r.resultType(&s.info.Results[e.result].Constraint)
		r.tiedTypes(s, e.name, s.results[e.result])
	}
}

// resultType reads the type of a result. One that must be a view is looked at at once, as what follows depends on it.
func (r *parser) resultType(k *tileir.Constraint) tileir.Type {
	at := r.here()
	t := r.typ()
	if k.Kind >= tileir.TensorViewOnly && !k.Allows(t) {
		r.failf(at, "expected %v, but found %v", k, t)
	}
	return t
}

// types reads types with commas between.
func (r *parser) types() []tileir.Type {
	out := []tileir.Type{r.typ()}
	for r.accept(",") {
		r.spend(valueSize)
		out = append(out, r.typ())
	}
	return out
}

// typesOf reads the types of values, which are known already.
func (r *parser) typesOf(s *opParse, vs []*tileir.Value) {
	for i, v := range vs {
		if i > 0 {
			r.expect(",")
		}
		r.sameType(s, v, r.typ())
	}
}

// tiedTypes checks operands, whose types the text leaves out, against the type of the operand or result that they share it with
// by the table.
func (r *parser) tiedTypes(s *opParse, name string, t tileir.Type) {
	for i := range s.info.Traits {
		if t := &s.info.Traits[i]; t.Name != "same_type" || !slices.Contains(t.Args, name) {
			continue
		}
		for _, other := range s.info.Traits[i].Args {
			j := s.info.OperandIndex(other)
			if j < 0 || hasType(syntax(s.info.Opcode), j) {
				continue
			}
			for _, v := range s.groups[j] {
				r.sameType(s, v, t)
			}
		}
	}
}

// hasType reports whether a format has the types of an operand.
func hasType(es []element, operand int) bool {
	return slices.ContainsFunc(es, func(e element) bool {
		return e.mark == '#' && e.operand == operand || hasType(e.inside, operand)
	})
}

// sameType refuses an operand that has another type than the text gives it.
func (r *parser) sameType(s *opParse, v *tileir.Value, t tileir.Type) {
	if v.Type != nil && !tileir.Identical(v.Type, t) {
		r.later(s.at[v], "the value has type %v, but the text says %v", v.Type, t)
	}
}
