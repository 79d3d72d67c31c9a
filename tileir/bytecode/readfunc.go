package bytecode

import (
	"math"
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

func (r *reader) functions(m *tileir.Module) {
	c := r.section(funcSection)
	n := c.count("functions", 5)
	r.mem.entries.next = n
	r.mem.expect(r.expectedOps(c), len(r.debug.attrs))
	m.Entries = room[*tileir.Entry](&r.budget, n)
	for i := range m.Entries {
		m.Entries[i] = r.function(c)
		if !r.take(c) {
			return
		}
	}
	for c.left() > 0 {
		if at := c.offset(); c.byte("padding") != padByte {
			c.failAt(at, "something other than padding follows the functions")
		}
	}
	r.take(c)
}

// expectedOps guesses how many operations there are: one for each place, else for some bytes.
func (r *reader) expectedOps(c *cursor) int {
	if n := len(r.debug.ids) / 8; n > 0 {
		return n
	}
	return c.left() / 8
}

func (r *reader) function(c *cursor) *tileir.Entry {
	e := r.mem.entries.one(&r.budget)
	r.begin(e)
	name := r.textID(c, "the function's name")
	start := c.offset()
	typeID := r.typeID(c, "the function's type")
	flagsAt := c.offset()
	flags := c.byte("the function's flags")
	rowAt := c.offset()
	row := c.varint("the function's debug row")
	if c.err != nil {
		return nil
	}
	e.Name = r.strings[name]
	fn, _ := r.types[typeID].value.(*tileir.FuncType)
	switch {
	case fn == nil || len(fn.Results) > 0:
		c.failAt(start, "function %s has no type of an entry: expected one without results", e.Name)
	case flags&entryFlag == 0:
		c.failAt(flagsAt, "function %s is not a kernel", e.Name)
	}
	places := r.debugRow(c, rowAt, row)
	if c.err != nil {
		return nil
	}
	e.Private = flags&privateFlag != 0
	f := &r.fn
	*f = funcReader{reader: r, c: c, row: places}
	e.Loc = f.place()
	r.useType(typeID)
	r.useString(name)
	if flags&hintsFlag != 0 {
		if at := c.offset(); c.varint("the tag of the hints") != optimizationHintsTag {
			c.failAt(at, "the function's hints have another tag than %d", optimizationHintsTag)
		}
		e.Hints = r.hints(c)
	}
	n := c.count("bytes of the function's body", 1)
	base := c.offset()
	r.body = cursor{data: c.bytes(n, "the function's body"), base: base, err: c.err}
	f.c, r.now = &r.body, &r.body
	f.entry(e, fn)
	r.now = c
	if c.err == nil {
		c.err = r.body.err
	}
	return e
}

// funcReader reads the body of a function.
type funcReader struct {
	*reader
	c     *cursor
	row   debugRow
	depth int
}

func (f *funcReader) entry(e *tileir.Entry, fn *tileir.FuncType) {
	f.values = f.values[:0]
	e.Params = f.newValues(len(fn.Params), nil)
	for i, p := range e.Params {
		p.Type = fn.Params[i]
	}
	f.define(e.Params)
	e.Body = f.mem.blocks.one(&f.budget)
	e.Body.Ops = f.readOps(func(int) bool { return f.c.left() > 0 })
	if n := len(e.Body.Ops); f.c.err == nil && (n == 0 || !e.Body.Ops[n-1].Info.Terminator) {
		f.c.fail("the body of function %s does not end in a terminator", e.Name)
	}
}

// readOps reads operations while more says so of how many there are.
func (f *funcReader) readOps(more func(n int) bool) []*tileir.Op {
	from := len(f.ops)
	for f.c.err == nil && more(len(f.ops)-from) {
		o := f.op()
		f.ops = append(f.ops, o)
	}
	if f.c.err != nil {
		return nil
	}
	out := copied(&f.mem.opRefs, &f.budget, f.ops[from:])
	f.ops = f.ops[:from]
	return out
}

// newValues makes values without type.
func (f *funcReader) newValues(n int, def *tileir.Op) []*tileir.Value {
	if n <= 0 {
		return nil
	}
	vals := f.mem.values.take(&f.budget, n)
	refs := f.mem.valueRefs.take(&f.budget, n)
	for i := range vals {
		vals[i].Def = def
		refs[i] = &vals[i]
	}
	return refs
}

// readTypes reads the types of values.
func (f *funcReader) readTypes(vs []*tileir.Value, what string) {
	for _, v := range vs {
		if v.Type = f.valueType(f.c, what); f.c.err != nil {
			return
		}
	}
}

// define gives values the next numbers.
func (f *funcReader) define(vs []*tileir.Value) { f.values = append(f.values, vs...) }

func (f *funcReader) op() *tileir.Op {
	c := f.c
	start := c.offset()
	code := c.varint("the operation's number")
	info := tileir.LookupOpcode(int(min(code, math.MaxInt32)))
	if c.err != nil || info == nil || !info.InBody {
		c.failAt(start, "unknown operation %d", code)
		return nil
	}
	if info.Since > f.version {
		c.failAt(start, "operation %s needs version %v, but the file has %v", info.Mnemonic, info.Since, f.version)
		return nil
	}
	o := f.mem.ops.one(&f.budget)
	f.begin(o)
	o.Info, o.Loc = info, f.place()
	results := f.results(start, o)
	var flags uint64
	if info.FlagsSince != 0 && info.FlagsSince <= f.version {
		flags = c.varintOf("the flags of ", info.Mnemonic)
	}
	f.attrs(o, flags, results)
	f.operands(o, flags)
	f.regions(o)
	if c.err != nil {
		return o
	}
	f.define(results)
	o.Results = results
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

// results makes the results, which are in scope only after the operation.
func (f *funcReader) results(start int, o *tileir.Op) []*tileir.Value {
	n := fixedResults(o.Info, f.version)
	if o.Info.CountTypes {
		got := f.c.count("results", 1)
		if n >= 0 && got != n {
			f.c.failAt(start, "%s has %d results, not %d", o.Info.Mnemonic, n, got)
			return nil
		}
		n = got
	}
	out := f.newValues(n, o)
	f.readTypes(out, "the type of a result")
	return out
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

// take reads n operands onto the end of those that are being read.
func (f *funcReader) take(n int) {
	if need := len(f.pending) + n; need > cap(f.pending) {
		f.spend(8 * need)
		f.pending = slices.Grow(f.pending, n)
	}
	for ; n > 0 && f.c.err == nil; n-- {
		f.pending = append(f.pending, f.operand())
	}
}

func (f *funcReader) operands(o *tileir.Op, flags uint64) {
	in := o.Info.Operands
	f.pending = f.pending[:0]
	switch o.Info.Operand {
	case tileir.PlainIDs:
		f.take(len(in))
	case tileir.TotalThenIDs:
		start := f.c.offset()
		n := f.c.countOf("operands of ", o.Info.Mnemonic, 1)
		if o.Segments = f.segments(o.Info, n); o.Segments == nil {
			f.c.failAt(start, "%s cannot have %d operands", o.Info.Mnemonic, n)
			return
		}
		f.take(n)
	case tileir.Segmented:
		o.Segments = f.mem.ints.take(&f.budget, len(in))
		for i := range in {
			n := 1
			if in[i].Since > f.version || in[i].Optional && flags>>in[i].FlagBit&1 == 0 {
				n = 0
			} else if in[i].Variadic {
				n = f.c.count(in[i].Name, 1)
			}
			f.take(n)
			o.Segments[i] = n
		}
	}
	o.Operands = copied(&f.mem.valueRefs, &f.budget, f.pending)
}

// segments shares n operands out where at most one group has no fixed number; nil if that cannot be.
func (f *funcReader) segments(info *tileir.Info, n int) []int {
	rest := n
	for i := range info.Operands {
		if in := &info.Operands[i]; !in.Optional && !in.Variadic {
			rest--
		}
	}
	out := f.mem.ints.take(&f.budget, len(info.Operands))
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
		f.c.failAt(start, "more than %d nested regions", maxDepth)
	}
	o.Regions = f.mem.blockRefs.take(&f.budget, len(o.Info.Regions))
	for i := range o.Regions {
		at := f.c.offset()
		switch n := f.c.varint("the number of blocks"); {
		case f.c.err != nil:
			return
		case n == 0 && o.Info.Regions[i].Optional:
		case n == 1:
			o.Regions[i] = f.block()
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
	b := f.mem.blocks.one(&f.budget)
	b.Args = f.newValues(c.count("block arguments", 1), nil)
	f.readTypes(b.Args, "the type among the block arguments")
	f.define(b.Args)
	start := c.offset()
	n := c.count("operations", 2)
	b.Ops = f.readOps(func(have int) bool { return have < n })
	if c.err == nil && (n == 0 || !b.Ops[n-1].Info.Terminator) {
		c.failAt(start, "a block does not end in a terminator")
	}
	f.values = f.values[:scope]
	return b
}
