package bytecode

import (
	"github.com/cutile-go/cutile/tileir"
)

func (r *reader) functions() []*tileir.Entry {
	c := r.section(funcSection)
	n := c.count("functions", 5)
	var out []*tileir.Entry
	for range n {
		e := r.function(c)
		if !r.take(c) {
			return nil
		}
		out = append(out, e)
	}
	for c.left() > 0 {
		if at := c.offset(); c.byte("padding") != padByte {
			c.failAt(at, "something other than padding follows the functions")
		}
	}
	r.take(c)
	return out
}

func (r *reader) function(c *cursor) *tileir.Entry {
	e := &tileir.Entry{Name: r.text(c, "the function's name")}
	start := c.offset()
	fn := r.typeRef(c, "the function's type").fn
	flagsAt := c.offset()
	flags := c.byte("the function's flags")
	switch {
	case c.err != nil:
		return nil
	case fn == nil || len(fn.results) > 0:
		c.failAt(start, "function %s has no type of an entry", e.Name)
		return nil
	case flags&entryFlag == 0:
		c.failAt(flagsAt, "function %s is not a kernel", e.Name)
		return nil
	}
	e.Private = flags&privateFlag != 0
	rowAt := c.offset()
	row := r.debugRow(c, rowAt, c.varint("the function's debug row"))
	if flags&hintsFlag != 0 {
		if at := c.offset(); c.varint("the tag of the hints") != optimizationHintsTag {
			c.failAt(at, "the function's hints have another tag than %d", optimizationHintsTag)
		}
		e.Hints = r.hints(c)
	}
	n := c.count("bytes of the function's body", 1)
	base := c.offset()
	body := &cursor{data: c.bytes(n, "the function's body"), base: base, err: c.err}
	if row != nil {
		row.c = body
	}
	r.body(body, e, fn, row)
	if c.err == nil {
		c.err = body.err
	}
	return e
}

// funcReader reads the body of a function.
type funcReader struct {
	*reader
	c      *cursor
	row    *debugRow
	values []*tileir.Value // in scope, by number
	depth  int
	arena  []tileir.Value
}

func (r *reader) body(c *cursor, e *tileir.Entry, fn *funcType, row *debugRow) {
	f := &funcReader{reader: r, c: c, row: row}
	e.Loc = row.loc()
	e.Params = f.define(fn.params, nil)
	e.Body = &tileir.Block{}
	for c.err == nil && c.left() > 0 {
		e.Body.Ops = append(e.Body.Ops, f.op())
	}
	if k := len(e.Body.Ops); c.err == nil && (k == 0 || !e.Body.Ops[k-1].Info.Terminator) {
		c.fail("the body of function %s does not end in a terminator", e.Name)
	}
}

// define makes values and gives them the next numbers.
func (f *funcReader) define(types []tileir.Type, def *tileir.Op) []*tileir.Value {
	if len(types) == 0 {
		return nil
	}
	out := make([]*tileir.Value, len(types))
	for i, t := range types {
		out[i] = f.newValue(t, def)
	}
	f.values = append(f.values, out...)
	return out
}

// newValue takes a value from a chunk that grows with the function.
func (f *funcReader) newValue(t tileir.Type, def *tileir.Op) *tileir.Value {
	if len(f.arena) == cap(f.arena) {
		f.arena = make([]tileir.Value, 0, min(256, max(16, len(f.values))))
	}
	f.arena = append(f.arena, tileir.Value{Type: t, Def: def})
	return &f.arena[len(f.arena)-1]
}

func (f *funcReader) op() *tileir.Op {
	c := f.c
	start := c.offset()
	code := c.varint("the operation's number")
	info := tileir.LookupOpcode(int(min(code, 1<<20)))
	if c.err != nil || info == nil || !info.InBody {
		c.failAt(start, "unknown operation %d", code)
		return nil
	}
	if info.Since > f.version {
		c.failAt(start, "operation %s needs version %v, but the file has %v", info.Mnemonic, info.Since, f.version)
		return nil
	}
	o := &tileir.Op{Info: info, Loc: f.row.loc()}
	types := f.resultTypes(start, info)
	var flags uint64
	if info.FlagsSince != 0 && info.FlagsSince <= f.version {
		flags = c.varint("the flags of " + info.Mnemonic)
	}
	f.attrs(o, flags, types)
	f.operands(o, flags)
	f.regions(o)
	if c.err != nil {
		return o
	}
	o.Results = f.define(types, o)
	f.addLostResult(o)
	return o
}

// addLostResult gives print_tko the token that files before 13.2 do not have; nothing can refer to it, and it takes no
// number. So the module has one form for every version.
func (f *funcReader) addLostResult(o *tileir.Op) {
	for i := range o.Info.Results {
		if o.Info.Results[i].Since > f.version {
			o.Results = append(o.Results, &tileir.Value{Type: tileir.Token, Def: o})
		}
	}
}

// fixedResults is the number of results in the given version, -1 where the operation says how many.
func fixedResults(info *tileir.Info, v tileir.Version) int {
	n := 0
	for i := range info.Results {
		if info.Results[i].Variadic {
			return -1
		}
		if info.Results[i].Since <= v {
			n++
		}
	}
	return n
}

func (f *funcReader) resultTypes(start int, info *tileir.Info) []tileir.Type {
	n := fixedResults(info, f.version)
	if info.CountTypes {
		got := f.c.count("results", 1)
		if n >= 0 && got != n {
			f.c.failAt(start, "%s has %d results, not %d", info.Mnemonic, n, got)
			return nil
		}
		n = got
	}
	if n <= 0 || f.c.err != nil {
		return nil
	}
	types := make([]tileir.Type, n)
	for i := range types {
		types[i] = f.valueType(f.c, "the type of a result")
		if f.c.err != nil {
			return nil
		}
	}
	return types
}

// operand reads a reference to a value.
func (f *funcReader) operand() *tileir.Value {
	start := f.c.offset()
	i := f.c.varint("an operand")
	if i >= uint64(len(f.values)) {
		f.c.failAt(start, "an operand is value %d, but only %d are in scope", i, len(f.values))
		return nil
	}
	return f.values[i]
}

func (f *funcReader) take(n int, out []*tileir.Value) []*tileir.Value {
	for range n {
		v := f.operand()
		if f.c.err != nil {
			return nil
		}
		out = append(out, v)
	}
	return out
}

func (f *funcReader) operands(o *tileir.Op, flags uint64) {
	in := o.Info.Operands
	switch o.Info.Operand {
	case tileir.PlainIDs:
		o.Operands = f.take(len(in), make([]*tileir.Value, 0, len(in)))
	case tileir.TotalThenIDs:
		start := f.c.offset()
		n := f.c.count("operands of "+o.Info.Mnemonic, 1)
		o.Segments = segments(o.Info, n)
		if o.Segments == nil {
			f.c.failAt(start, "%s cannot have %d operands", o.Info.Mnemonic, n)
			return
		}
		o.Operands = f.take(n, make([]*tileir.Value, 0, n))
	case tileir.Segmented:
		o.Segments = make([]int, len(in))
		for i := range in {
			n := 1
			if in[i].Since > f.version || in[i].Optional && flags>>in[i].FlagBit&1 == 0 {
				n = 0
			} else if in[i].Variadic {
				n = f.c.count(in[i].Name, 1)
			}
			o.Operands = f.take(n, o.Operands)
			o.Segments[i] = n
		}
	}
}

// segments shares n operands out where at most one group has no fixed number; nil where that cannot be.
func segments(info *tileir.Info, n int) []int {
	rest := n
	for i := range info.Operands {
		if in := &info.Operands[i]; !in.Optional && !in.Variadic {
			rest--
		}
	}
	out := make([]int, len(info.Operands))
	for i := range out {
		switch in := &info.Operands[i]; {
		case in.Variadic, in.Optional && rest <= 1:
			out[i], rest = rest, 0
		case in.Optional:
			return nil
		default:
			out[i] = 1
		}
		if out[i] < 0 {
			return nil
		}
	}
	if rest != 0 {
		return nil
	}
	return out
}

func (f *funcReader) regions(o *tileir.Op) {
	if len(o.Info.Regions) == 0 || f.c.err != nil {
		return
	}
	start := f.c.offset()
	if n := f.c.varint("the number of regions"); n != uint64(len(o.Info.Regions)) {
		f.c.failAt(start, "%s has %d regions, not %d", o.Info.Mnemonic, len(o.Info.Regions), n)
		return
	}
	f.depth++
	if f.depth > maxDepth {
		f.c.failAt(start, "more than %d regions in one another", maxDepth)
	}
	for i := range o.Info.Regions {
		at := f.c.offset()
		switch n := f.c.varint("the number of blocks"); {
		case f.c.err != nil:
			return
		case n == 0 && o.Info.Regions[i].Optional:
			o.Regions = append(o.Regions, nil)
		case n == 1:
			o.Regions = append(o.Regions, f.block())
		default:
			f.c.failAt(at, "region %s of %s has %d blocks", o.Info.Regions[i].Name, o.Info.Mnemonic, n)
		}
	}
	f.depth--
}

// block reads a block. Its values go out of scope at its end, and their numbers are used again.
func (f *funcReader) block() *tileir.Block {
	c := f.c
	scope := len(f.values)
	types := f.valueTypes(c, "block arguments")
	b := &tileir.Block{Args: f.define(types, nil)}
	start := c.offset()
	n := c.count("operations", 2)
	if n > 0 {
		b.Ops = make([]*tileir.Op, 0, min(n, 64))
	}
	for range n {
		if b.Ops = append(b.Ops, f.op()); c.err != nil {
			return b
		}
	}
	if c.err == nil && (n == 0 || !b.Ops[n-1].Info.Terminator) {
		c.failAt(start, "a block does not end in a terminator")
	}
	f.values = f.values[:scope]
	return b
}
