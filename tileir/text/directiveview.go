package text

import (
	"strconv"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/tileir"
)

// Directives of views and of globals.

// layout: extents and strides of a tensor view, the dynamic ones as values.

func printLayout(p *printer, o *tileir.Op) {
	if len(o.Results) == 0 {
		return
	}
	if t, ok := o.Results[0].Type.(*tileir.TensorViewType); ok {
		p.text(", shape = [")
		p.mixed(t.Shape, o.Group(1))
		p.text("], strides = [")
		p.mixed(t.Strides, o.Group(2))
		p.text("]")
	}
}

// mixed prints extents or strides, with the next value for each that is dynamic.
func (p *printer) mixed(xs []int64, dynamic []*tileir.Value) {
	p.list(len(xs), func(i int) {
		switch {
		case xs[i] != tileir.Dynamic:
			p.text(strconv.FormatInt(xs[i], 10))
		case len(dynamic) > 0:
			p.value(dynamic[0])
			dynamic = dynamic[1:]
		default:
			p.text("?")
		}
	})
}

func parseLayout(r *parser, s *opParse) {
	t := &tileir.TensorViewType{}
	mixed := func(xs *[]int64, group int) {
		r.list("]", func() {
			if r.peek("%") {
				s.groups[group] = append(s.groups[group], r.operand(s))
				*xs = append(*xs, tileir.Dynamic)
				return
			}
			*xs = append(*xs, r.integer("an extent, a stride or a value"))
		})
	}
	at := r.here()
	r.expect(", shape = [")
	mixed(&t.Shape, 1)
	r.expect(", strides = [")
	mixed(&t.Strides, 2)
	s.later(func() {
		got, ok := s.results[0].(*tileir.TensorViewType)
		if t.Elem = tileir.NoElem; ok {
			t.Elem, t.PtrAttr = got.Elem, got.PtrAttr
		}
		if !tileir.Identical(t, s.results[0]) {
			r.failAt(at, "extents and strides as in the type %v", s.results[0])
		}
	})
}

// dynamicType: the type of the base if it carries the pointer attribute, and that of the dynamic extents and strides if
// there are any.

func layoutTypes(groups [][]*tileir.Value) []*tileir.Value {
	var out []*tileir.Value
	if len(groups[0]) > 0 && groups[0][0] != nil {
		if t, ok := groups[0][0].Type.(*tileir.TileType); ok && t.PtrAttr {
			out = append(out, groups[0][0])
		}
	}
	if dynamic := append(groups[1][:len(groups[1]):len(groups[1])], groups[2]...); len(dynamic) > 0 {
		out = append(out, dynamic[0])
	}
	return out
}

func printDynamicType(p *printer, o *tileir.Op) {
	if vs := layoutTypes([][]*tileir.Value{o.Group(0), o.Group(1), o.Group(2)}); len(vs) > 0 {
		p.types(vs)
		p.text(" -> ")
	}
}

func parseDynamicType(r *parser, s *opParse) {
	if vs := layoutTypes(s.groups); len(vs) > 0 {
		r.typesOf(s, vs)
		r.expect("->")
	}
}

// indexTypes: one type for all indices of a view if they share it, else each.

func printIndexTypes(p *printer, o *tileir.Op) {
	index := o.Named("index")
	if len(index) == 0 {
		return
	}
	same := true
	for _, v := range index[1:] {
		same = same && v != nil && index[0] != nil && tileir.Identical(v.Type, index[0].Type)
	}
	if same {
		index = index[:1]
	}
	p.text(", ")
	p.types(index)
}

func parseIndexTypes(r *parser, s *opParse) {
	index := s.groups[s.info.OperandIndex("index")]
	if len(index) == 0 && r.accept(",") {
		r.typ()
	}
	for i := range index {
		if i > 0 && !r.peek(",") {
			return
		}
		r.expect(",")
		r.typesOf(s, index[i:i+1])
	}
}

// firstType: one type for all results.

func printFirstType(p *printer, o *tileir.Op) { p.types(o.Results[:min(1, len(o.Results))]) }

// viewRank is the rank of a tensor or of what a view views, 0 of anything else.
func viewRank(t tileir.Type) int {
	switch t := t.(type) {
	case *tileir.TensorViewType:
		return len(t.Shape)
	case tileir.ViewType:
		return len(t.TensorView().Shape)
	}
	return 0
}

func parseFirstType(r *parser, s *opParse) {
	t := r.typ()
	n := len(s.names)
	if n == 0 && len(s.groups[0]) > 0 {
		n = viewRank(s.groups[0][0].Type)
	}
	s.results = make([]tileir.Type, n)
	for i := range s.results {
		s.results[i] = t
	}
}

// symbol: the name of a global.

func printSymbol(p *printer, o *tileir.Op) {
	name, _ := o.Attr("name").(tileir.String)
	p.text("@", names.Symbol(string(name)))
}

func parseSymbol(r *parser, s *opParse) {
	s.attrs[s.info.AttrIndex("name")] = tileir.String(r.symbol())
}
