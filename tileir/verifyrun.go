package tileir

import "fmt"

// maxFaults limits how many faults are collected.
const maxFaults = 1000

// enough is the panic of a checker that has collected the most faults.
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
