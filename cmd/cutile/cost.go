package main

import (
	"flag"
	"fmt"

	"github.com/cutile-go/cutile/internal/tilec/cost"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/toolbox/modrun"
)

var costCommand = &command{
	name: "cost", args: "FILE", short: "count the bytes and operations of a Tile IR kernel for given arguments",
	long: `
FILE is bytecode or text; "-" is the standard input. Nothing is run. Only the types and extents of arrays matter, and
only these are read from .npy files.

Bytes are those that blocks access inside their tensors and masks; caches are not modelled. For each element of a
tile, a sum, product, quotient, minimum or maximum counts as one operation, fma as two, and exp, sqrt and the like as
one special operation, even if the element lies outside the tensor. A matrix product counts as 2mnk operations of the
type of its factors. Comparisons, conversions and integer operations do not count. The intensity is the number of
floating-point operations for each byte.

Costs that depend on the arguments, the block and loop counters are counted exactly. Costs that depend on data are
listed below the table, with the way in which they are counted.
` + modrun.Help,
	setup: func(fs *flag.FlagSet) action {
		l := newLaunch(fs)
		return func(c *call, args []string) error { return countCost(c, args, l) }
	},
}

func countCost(c *call, args []string, l *modrun.Launch) error {
	name, err := one("file", args)
	if err != nil {
		return err
	}
	in, err := toolbox.ReadSound(c.in, name)
	if err != nil {
		return err
	}
	entry, err := in.Entry(l.Entry)
	if err != nil {
		return err
	}
	b, err := l.Bind(entry)
	if err != nil {
		return err
	}
	report, err := cost.Count(entry, cost.Signed(b.Bits), l.Grid)
	if err != nil {
		return fmt.Errorf("%s: %w", in.Name, err)
	}
	report.Print(c.out, entry, l.Grid)
	return nil
}
