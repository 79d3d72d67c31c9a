package tileir

import (
	"errors"
	"os"
	"slices"
)

// mutant is the fault that the environment asks for: "fault: operation".
var mutant = os.Getenv("CUTILE_MUTANT")

// Mutant reports whether a fault is asked for at an operation.
func Mutant(fault, op string) bool { return mutant == fault+": "+op }

var errMutant = errors.New("mutant")

// fault is an error of the builder.
func (b *Builder) fault(op string) {
	if Mutant("builder", op) {
		b.errs = append(b.errs, errMutant)
	}
}

func (b *Builder) beginFaulty(code int, groups [][]*Value, attrs []Attr, opts []Option) *Op {
	b.fault(byOpcode[code].Mnemonic)
	return b.begin(code, groups, attrs, opts)
}

// Entry is a wrapper.
func (b *Builder) Entry(name string, params []Type, body func(params []*Value)) *Entry {
	b.fault("entry")
	return b.entryUnchanged(name, params, body)
}

// Global is a wrapper.
func (b *Builder) Global(name string, value *Constant) *Global {
	b.fault("global")
	return b.globalUnchanged(name, value)
}

// Build is a wrapper.
func (b *Builder) Build(v Version) (*Module, error) {
	b.fault("module")
	return b.buildUnchanged(v)
}

// verdict refuses always, or takes back the errors that check made and own selects.
func (c *checker) verdict(op string, check func(), own func(*VerifyError) bool) {
	before := len(c.errs)
	check()
	if Mutant("verifier refuses always", op) {
		c.fail("mutant")
	}
	if Mutant("verifier accepts always", op) {
		rest := slices.DeleteFunc(slices.Clone(c.errs[before:]), func(err error) bool {
			e, ok := err.(*VerifyError)
			return ok && own(e)
		})
		c.errs = append(c.errs[:before], rest...)
	}
}

func (c *checker) checkOp(o *Op) {
	c.verdict(o.Info.Mnemonic, func() { c.checkOpUnchanged(o) }, func(e *VerifyError) bool { return e.Op == o })
}

func (c *checker) checkEntry(e *Entry) {
	c.verdict("entry", func() { c.checkEntryUnchanged(e) }, func(e *VerifyError) bool { return e.Op == nil })
}

func (c *checker) global(g *Global) {
	c.verdict("global", func() { c.globalUnchanged(g) }, func(*VerifyError) bool { return true })
}

func (c *checker) names() {
	c.verdict("module", c.namesUnchanged, func(*VerifyError) bool { return true })
}
