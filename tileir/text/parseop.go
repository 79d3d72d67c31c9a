package text

import (
	"slices"
	"strings"

	"github.com/cutile-go/cutile/tileir"
)

// opParse collects what the text says of an operation.
type opParse struct {
	info    *tileir.Info
	names   []namedValue      // one for each result; those that share a name follow one another
	groups  [][]*tileir.Value // by operand
	seen    []bool            // operands that are known to be there or not
	attrs   []tileir.Attr
	results []tileir.Type
	regions []*tileir.Block
	args    []namedValue // block arguments that stand before their block
	checks  []func()     // what can be said only at the end
	at      map[*tileir.Value]int
}

func (s *opParse) later(check func()) { s.checks = append(s.checks, check) }

// blockArgs gives the block arguments the types of what they start with.
func (s *opParse) blockArgs() []namedValue {
	var from []*tileir.Value
	if s.info.Opcode == tileir.OpFor {
		from = s.groups[0]
	}
	if i := s.info.OperandIndex("initValues"); i >= 0 {
		from = append(from[:len(from):len(from)], s.groups[i]...)
	}
	for i := range s.args {
		s.args[i].typ = from[i].Type
	}
	return s.args
}

// op reads one operation.
func (r *parser) op() *tileir.Op {
	start := r.here()
	r.spend(opSize)
	names, sizes := r.resultNames()
	at := r.here()
	var o *tileir.Op
	if r.peek(`"`) {
		o = r.genericOp(names, at)
	} else {
		o = r.customOp(names, at)
	}
	if n := len(o.Results); len(names) > 0 && n != len(names) {
		r.failf(at, "%s has %d results, but %d are named", o.Info.Mnemonic, n, len(names))
	}
	r.text.Set(o, start)
	r.place(&o.Loc)
	i := 0
	for _, size := range sizes {
		r.define(names[i].name, names[i].at, o.Results[i:i+size]...)
		i += size
	}
	return o
}

// customOp reads an operation in the form that its format says.
func (r *parser) customOp(names []namedValue, at int) *tileir.Op {
	r.accept(dialect)
	info := r.info(at, r.ident("an operation"))
	s := newOpParse(info)
	s.names = names
	if n := len(info.Results); n > 0 && info.Results[n-1].Variadic {
		s.results = make([]tileir.Type, 0, len(names))
	} else {
		s.results = make([]tileir.Type, n)
	}
	r.elements(s, syntax(info.Opcode))
	r.attrDict(s)
	return r.finish(s, at)
}

// info finds the row of an operation.
func (r *parser) info(at int, mnemonic string) *tileir.Info {
	info := tileir.Lookup(mnemonic)
	if info == nil || !info.InBody {
		r.failAt(at, "the name of an operation")
	}
	if info.Since > r.opts.Version {
		r.failf(at, "operation %s needs version %v, but the text is read for %v", mnemonic, info.Since, r.opts.Version)
	}
	return info
}

func newOpParse(info *tileir.Info) *opParse {
	return &opParse{info: info, groups: make([][]*tileir.Value, len(info.Operands)), seen: make([]bool, len(info.Operands)),
		attrs: make([]tileir.Attr, len(info.Attrs)), regions: make([]*tileir.Block, len(info.Regions)), at: map[*tileir.Value]int{}}
}

// finish makes the operation, with types that the text leaves out.
func (r *parser) finish(s *opParse, at int) *tileir.Op {
	r.checkPending()
	if i := s.info.OperandIndex("initValues"); len(s.results) == 0 && s.info.Opcode == tileir.OpFor {
		s.results = make([]tileir.Type, len(s.groups[i])) // what the loop carries
	}
	if slices.Contains(s.results, nil) {
		o := tileir.NewOp(s.info, s.groups, s.attrs, nil, s.regions, tileir.Loc{})
		for i := range s.results {
			if s.results[i] == nil {
				s.results[i] = o.Inferred(i)
			}
		}
	}
	for i := range s.results {
		if s.results[i] == nil {
			r.failf(at, "%s: the text does not tell the type of result %d", s.info.Mnemonic, i)
		}
	}
	o := tileir.NewOp(s.info, s.groups, s.attrs, s.results, s.regions, tileir.Loc{})
	if len(s.info.Regions) == 0 {
		o.Regions = nil
	}
	for _, check := range s.checks {
		check()
	}
	return o
}

// resultNames reads the left side: "%a, %b:2 =". It gives a name for each value, and how many share each name.
func (r *parser) resultNames() (names []namedValue, sizes []int) {
	if !r.peek("%") {
		return nil, nil
	}
	for {
		n := r.newName("a result")
		size := 1
		if r.accept(":") {
			at := r.here()
			if size = int(r.natural("the number of results", maxResults)); size == 0 {
				r.failAt(at, "one result or more")
			}
			r.spend(size * valueSize)
		}
		sizes = append(sizes, size)
		for range size {
			names = append(names, n)
		}
		if !r.accept(",") {
			r.expect("=")
			return names, sizes
		}
	}
}

// elements reads what a format says.
func (r *parser) elements(s *opParse, es []element) {
	for i := range es {
		e := &es[i]
		switch e.mark {
		case 0:
			if strings.HasPrefix(e.text, " :") {
				r.attrDict(s)
			}
			r.expect(e.text)
		case '$':
			s.seen[e.operand] = true
			s.groups[e.operand] = r.operandValues(s, &s.info.Operands[e.operand])
		case '#':
			r.elementTypes(s, e)
		case '@':
			s.attrs[e.attr] = r.attr(&s.info.Attrs[e.attr])
		case '~':
			r.roundingAttr(s, e)
		case '?':
			if r.present(s, e) {
				r.elements(s, e.inside)
				if e.attr >= 0 && s.info.Attrs[e.attr].Coding == tileir.UnitAttr {
					s.attrs[e.attr] = tileir.Bool(true)
				}
			}
			if e.operand >= 0 {
				s.seen[e.operand] = true
			}
		case '!':
			e.directive.parse(r, s)
		}
	}
}

func (r *parser) roundingAttr(s *opParse, e *element) {
	a := &s.info.Attrs[e.attr]
	if r.accept("rounding <") {
		s.attrs[e.attr] = r.attr(a)
		r.expect(">")
		return
	}
	for i := range a.Enum.Values {
		if a.Enum.Values[i].Text == e.text {
			s.attrs[e.attr] = tileir.Int(a.Enum.Values[i].Value)
		}
	}
}

// present decides whether the optional part of a format is there: what it begins with comes next.
func (r *parser) present(s *opParse, e *element) bool {
	switch {
	case e.operand >= 0 && s.seen[e.operand]:
		return len(s.groups[e.operand]) > 0
	}
	first, rest := &e.inside[0], e.inside[1:]
	if first.mark == 0 && strings.TrimSpace(first.text) == "" {
		first, rest = &rest[0], rest[1:]
	}
	switch first.mark {
	case '$':
		return r.peek("%")
	case '@':
		return r.peekEnum(s.info.Attrs[first.attr].Enum)
	case '!':
		return r.peek(first.directive.begins)
	}
	if len(rest) > 0 && rest[0].mark == '$' && strings.TrimSpace(first.text) == "," {
		return r.peekOperand(s, rest[0].operand)
	}
	return r.peek(first.text)
}

func (r *parser) peekEnum(e *tileir.Enum) bool {
	return slices.ContainsFunc(e.Values, func(v tileir.EnumValue) bool { return r.peek(v.Text) })
}

// peekOperand tells optional operands apart by the type of the value that comes next. A mask and a padding value of i1 look
// alike; then it is the mask, and so is what fits neither.
func (r *parser) peekOperand(s *opParse, i int) bool {
	start, pending := r.pos, r.pending
	defer func() { r.pos, r.pending = start, pending }()
	if !r.accept(",") || !r.peek("%") {
		return false
	}
	t := r.value().Type
	for j := range s.info.Operands[i+1:] {
		if in := &s.info.Operands[i+1+j]; in.Optional && in.Constraint.Allows(t) && !s.info.Operands[i].Constraint.Allows(t) {
			return false
		}
	}
	return true
}
