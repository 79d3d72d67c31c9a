package tileir

import (
	"errors"
	"fmt"
	"slices"
)

// Verify checks a module against all requirements of the format and of NVIDIA's assembler: the types of operands and results,
// attributes, the rules of each operation, structure, visibility of operands, and that the version has everything that is used.
// It returns all faults joined, each a [*VerifyError], but at most the first 1000.
func Verify(m *Module, v Version) error {
	_, err := Check(m, v)
	return err
}

// Warnings lists valid parts that have no effect: optimisation hints that NVIDIA's tools drop, because they do not know them or
// because their values are of another kind or out of range.
func Warnings(m *Module, v Version) []*VerifyError {
	warnings, _ := Check(m, v)
	return warnings
}

// Check returns the results of [Warnings] and [Verify] at the cost of one of them.
func Check(m *Module, v Version) (warnings []*VerifyError, err error) {
	c, err := newChecker(m, v)
	if err != nil {
		return nil, err
	}
	c.check()
	return c.warnings, errors.Join(c.errs...)
}

func newChecker(m *Module, v Version) (*checker, error) {
	if m == nil || !slices.Contains(Versions(), v) {
		return nil, &VerifyError{What: fmt.Sprintf("cannot verify for version %v: it is not one of %v", v, Versions())}
	}
	return &checker{module: m, version: v, types: map[Type]bool{}, calls: map[*Loc]bool{}}, nil
}

// Verify checks the module, like the function [Verify].
func (m *Module) Verify(v Version) error { return Verify(m, v) }

// maxFaults limits how many faults are collected.
const maxFaults = 1000

// enough is the panic of a checker that has collected as many faults as it may.
type enough struct{}

func (c *checker) check() {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case enough:
			what := fmt.Sprintf("more than %d faults; the others are left out", maxFaults)
			c.errs[maxFaults] = &VerifyError{What: what}
		default:
			panic(e)
		}
	}()
	if !c.complete() {
		return
	}
	c.names()
	for _, g := range c.module.Globals {
		c.about = g
		c.global(g)
	}
	c.about = nil
	for _, e := range c.module.Entries {
		c.checkEntry(e)
	}
	for i := range c.module.Listed {
		if what := c.module.Listed[i].fault(); what != "" {
			c.fail("%s", what)
		}
	}
}

// complete refuses globals and entries that are nil, which the other checks rely on.
func (c *checker) complete() bool {
	for i, g := range c.module.Globals {
		if g == nil {
			c.fail("global %d is nil", i)
		}
	}
	for i, e := range c.module.Entries {
		if e == nil {
			c.fail("entry %d is nil", i)
		}
	}
	return len(c.errs) == 0
}
