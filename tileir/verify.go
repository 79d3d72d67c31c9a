package tileir

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/cutile-go/cutile/internal/names"
)

// checker holds what Verify knows on its way through a module.
type checker struct {
	module   *Module
	version  Version
	errs     []error
	warnings []*VerifyError
	types    map[Type]bool // types that were looked at, by identity; false for wrong ones
	globals  map[string]*Global
	unsound  bool // the current operation has a type that was found wrong, here or before

	about    any // the *Global, or the *Entry by its name, that is looked at outside of entries
	entry    *Entry
	calls    map[*Loc]bool // positions of calls that were found valid, with all outside of them
	function *Scope        // of the source, that the entry was made of; nil if no place is known
	op       *Op
	path     []int
	visible  map[*Value]bool // false for those that are out of scope
	parents  []*Op           // operations around the current one, outermost first
}

// fail records a fault of the current operation, entry or module.
func (c *checker) fail(format string, args ...any) {
	if c.errs = append(c.errs, c.fault(format, args...)); len(c.errs) > maxFaults {
		panic(enough{})
	}
}

// warn records what a tool would pass over.
func (c *checker) warn(format string, args ...any) {
	if len(c.warnings) < maxFaults {
		c.warnings = append(c.warnings, c.fault(format, args...))
	}
}

// fault describes what is wrong with the current operation, entry or module.
func (c *checker) fault(format string, args ...any) *VerifyError {
	e := &VerifyError{Op: c.op, What: fmt.Sprintf(format, args...)}
	if c.entry != nil {
		e.Entry, e.Loc = c.entry.Name, c.entry.Loc
	}
	if c.op != nil {
		e.Path, e.Loc = slices.Clone(c.path), c.op.Loc
	}
	e.Text = c.module.textPos(c.op, c.entry, c.about)
	return e
}

func (c *checker) global(g *Global) {
	switch {
	case g.Value == nil || g.Value.Type == nil:
		c.fail("global %s has no value", names.Symbol(g.Name))
		return
	case g.Value.Type.Rank() != 1:
		c.fail("global %s: expected a value of rank 1, but found %v", names.Symbol(g.Name), g.Value.Type)
	case !c.checkType("global "+names.Symbol(g.Name), g.Value.Type):
	case !g.Value.Fits():
		c.fail("global %s: %s", names.Symbol(g.Name), misfit(g.Value))
	}
	if g.Loc.Outermost().Scope != nil {
		c.fail("global %s: its position lies in a function, which no global can", names.Symbol(g.Name))
	}
	if g.Align < 0 || g.Align&(g.Align-1) != 0 {
		c.fail("global %s: alignment %d is not a power of two", names.Symbol(g.Name), g.Align)
	}
	if (g.Private || g.Constant) && c.version < V13_3 {
		c.fail("global %s is private or constant, which needs version %v, but the target is %v", names.Symbol(g.Name), V13_3, c.version)
	}
}

func (c *checker) checkEntry(e *Entry) {
	c.entry, c.op, c.path, c.parents = e, nil, c.path[:0], c.parents[:0]
	defer func() { c.entry, c.op = nil, nil }()
	c.visible = make(map[*Value]bool, 64)
	for i, p := range e.Params {
		name := "parameter " + strconv.Itoa(i)
		if !p.Typed() {
			c.fail("%s has no type", name)
			continue
		}
		if t, ok := p.Type.(*TileType); (!ok || t.Rank() != 0) && e.Kind == KernelEntry {
			c.fail("%s: expected a tile of rank 0, but found %v", name, p.Type)
		} else if _, scalar := p.Type.(ScalarType); !scalar {
			c.checkType(name, p.Type)
		}
	}
	c.define(e.Params)
	c.hints("the entry", e.Hints, entryHints)
	c.entryPlace()
	if e.Body == nil || len(e.Body.Ops) == 0 {
		c.fail("the body is empty; it must end in return")
		return
	}
	if len(e.Results) > 0 && e.Kind == KernelEntry {
		c.fail("an entry returns nothing, but it has %d results", len(e.Results))
	}
	c.block(e.Body)
	c.op = nil
	if last := e.Body.Ops[len(e.Body.Ops)-1]; last.Info != nil && last.Info.Opcode != OpReturn && e.Kind != LooseOps {
		c.fail("the body must end in return, but ends in %s", last.Info.Mnemonic)
	}
	if len(e.Body.Args) > 0 {
		c.fail("the body has block arguments; parameters belong to the entry")
	}
}

// define makes values visible.
func (c *checker) define(vs []*Value) {
	for _, v := range vs {
		if _, seen := c.visible[v]; seen {
			c.fail("a value is defined twice")
		}
		c.visible[v] = true
	}
}

// block checks the operations of a block, which ends in its only terminator; after it its values are out of scope.
func (c *checker) block(b *Block) {
	c.define(b.Args)
	c.path = append(c.path, 0)
	for i, o := range b.Ops {
		c.path[len(c.path)-1] = i
		c.op = o
		if o == nil || o.Info == nil {
			c.op = nil
			c.fail("operation %v is nil or has no row of the table", c.path)
			continue
		}
		c.checkOp(o)
		c.op = o
		if last := i == len(b.Ops)-1; last != o.Info.Terminator && !c.open() {
			if last {
				c.fail("a block must end in a terminator, but ends in %s", o.Info.Mnemonic)
			} else {
				c.fail("operations follow a terminator")
			}
		}
	}
	c.path = c.path[:len(c.path)-1]
	for _, v := range b.Args {
		c.visible[v] = false
	}
	for _, o := range b.Ops {
		if o != nil {
			for _, v := range o.Results {
				c.visible[v] = false
			}
		}
	}
}

// open reports whether the current block need not end in a terminator: one of a test.
func (c *checker) open() bool {
	if n := len(c.parents); n > 0 {
		return c.parents[n-1].Info.Opcode == OpForeign
	}
	return c.entry.Kind == LooseOps
}

// checkOp checks one operation in steps; a later step relies on the earlier ones.
func (c *checker) checkOp(o *Op) {
	before := len(c.errs)
	c.unsound = false
	c.shape(o)
	whole := len(c.errs) == before
	if whole {
		c.operands(o)
		c.results(o)
		c.attrs(o)
	}
	if len(c.errs) == before && !c.unsound {
		for i := range o.Info.Traits {
			c.trait(o, &o.Info.Traits[i])
		}
		if len(c.errs) == before {
			for _, rule := range rules[o.Info.Opcode] {
				rule(c, o)
			}
		}
	}
	c.place(&o.Loc)
	c.effects(o)
	if whole && typed(o.Operands) && typed(o.Results) {
		c.regions(o) // rules in there look at the operation's types
	}
	c.op = o
	if n := c.visibleResults(o); n <= len(o.Results) {
		c.define(o.Results)
		for _, lost := range o.Results[n:] {
			c.visible[lost] = false
		}
	}
}

// typed reports whether all values are there and have a type.
func typed(vs []*Value) bool {
	return !slices.ContainsFunc(vs, func(v *Value) bool { return !v.Typed() })
}

// visibleResults is how many results the version has; it lacks the token of print_tko before 13.2.
func (c *checker) visibleResults(o *Op) int {
	n := len(o.Results)
	for i := range o.Info.Results {
		if o.Info.Results[i].Since > c.version {
			n--
		}
	}
	return max(n, 0)
}

// shape checks the numbers of things, so that everything else can be found.
func (c *checker) shape(o *Op) {
	in := o.Info
	if !in.InBody {
		c.fail("%s is not an operation of a body", in.Mnemonic)
		return
	}
	if in.Since > c.version {
		c.fail("the operation needs version %v, but the target is %v", in.Since, c.version)
	}
	if len(o.Attrs) != len(in.Attrs) {
		c.fail("expected %d attributes, but found %d", len(in.Attrs), len(o.Attrs))
	}
	if len(o.Regions) != len(in.Regions) {
		c.fail("expected %d regions, but found %d", len(in.Regions), len(o.Regions))
	}
	for i, b := range o.Regions[:min(len(o.Regions), len(in.Regions))] {
		if (b == nil || len(b.Ops) == 0) && !in.Regions[i].Optional {
			c.fail("region %s is empty", in.Regions[i].Name)
		}
	}
	if o.Segments == nil && len(o.Operands) != len(in.Operands) {
		c.fail("expected %d operands, but found %d", len(in.Operands), len(o.Operands))
	}
	if o.Segments != nil {
		n, negative := 0, false
		for _, s := range o.Segments {
			n += s
			negative = negative || s < 0
		}
		if len(o.Segments) != len(in.Operands) || n != len(o.Operands) || negative {
			c.fail("the segments %v do not fit %d operands in %d groups", o.Segments, len(o.Operands), len(in.Operands))
		}
	}
	if n := len(in.Results); n == 0 || !in.Results[n-1].Variadic {
		if len(o.Results) != n {
			c.fail("expected %d results, but found %d", n, len(o.Results))
		}
	}
}

// regions checks the blocks of an operation. Their terminators are looked at by rules.
func (c *checker) regions(o *Op) {
	c.parents = append(c.parents, o)
	for i, b := range o.Regions {
		c.op = o
		if b == nil || len(b.Ops) == 0 {
			continue
		}
		c.path = append(c.path, i)
		for j, a := range b.Args {
			if !a.Typed() {
				c.fail("block argument %d of region %s has no type", j, o.Info.Regions[i].Name)
			} else {
				c.checkType("block argument "+strconv.Itoa(j), a.Type)
			}
		}
		c.block(b)
		c.path = c.path[:len(c.path)-1]
	}
	c.parents = c.parents[:len(c.parents)-1]
}
