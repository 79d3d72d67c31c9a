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
FILE is bytecode or text; "-" is the standard input. Nothing is run; of arrays only type and extents matter, and of .npy
files only those are read.

Bytes are those that blocks ask for, inside their tensors and masks; caches are not modelled. An element of a tile counts
one operation for a sum, product, quotient, minimum or maximum, two for fma, and one special operation for exp, sqrt and
the like, also where it lies outside the tensor; a matrix product counts 2mnk, under the type of its factors. Comparisons,
conversions and integers count nothing. The intensity is floating-point operations for each byte.

What depends on the arguments, the block and loop counters is counted exactly. What depends on data is stated below the
table, and counted as said there.
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
