package main

import (
	"flag"
	"fmt"

	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/tileir/diff"
)

var diffCommand = &command{
	name: "diff", args: "A B", short: "compare two Tile IR modules by their structure",
	long: `
A and B are bytecode or text; one of them may be "-", the standard input. Entries and globals are matched by name (if
each side has a single entry, they match), and operations by their order. The names and numbers of values are ignored,
and so are source positions, the producer, the bytecode's version and whether attributes with their default value are
written.

  - 12    an operation that only A has, identified as by verify
  + 12    an operation that only B has
  ! 12 | 13  an operation that has changed, with the differences, A's side first

The exit code is 0 if the modules are equal, 1 if they differ, and 2 if one cannot be read.`,
	failed: exitTrouble,
	setup: func(fs *flag.FlagSet) action {
		quiet := fs.Bool("q", false, "print nothing; only the exit code tells whether they differ")
		return func(c *call, args []string) error { return compare(c, args, *quiet) }
	},
}

// exitTrouble is diff's exit code for modules that cannot be compared.
const exitTrouble = 2

func compare(c *call, args []string, quiet bool) error {
	if len(args) != 2 {
		return toolbox.Usagef("want two files, got %d", len(args))
	}
	var in [2]*toolbox.File
	for i, name := range args {
		var err error
		if in[i], err = toolbox.ReadSound(c.in, name); err != nil {
			return err
		}
	}
	report := diff.Compare(in[0].Module, in[1].Module)
	if !quiet {
		fmt.Fprintf(c.out, "--- %s, %s\n+++ %s, %s\n%s", in[0].Name, in[0].Form(), in[1].Name, in[1].Form(), report)
	}
	if !report.Equal() {
		return exitError{code: exitFailed}
	}
	return nil
}
