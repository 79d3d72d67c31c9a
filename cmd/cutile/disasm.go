package main

import (
	"flag"
	"fmt"

	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

var disasmCommand = &command{
	name: "disasm", args: "FILE", short: "print Tile IR bytecode as text",
	long: `
FILE is bytecode of version 13.1 to 13.4, "-" the standard input. The text is that of NVIDIA's tileirdisasm,
and -g does what it does there. asm makes bytecode of it again.`,
	setup: func(fs *flag.FlagSet) action {
		debug := fs.Bool("g", false, "print debug information, too")
		places := fs.Bool("places", false, "add the place in the source to each operation, as a comment")
		return func(c *call, args []string) error { return disasm(c, args, *debug, *places) }
	},
}

func disasm(c *call, args []string, debug, places bool) error {
	if debug && places {
		return usagef("-g and -places cannot both be given")
	}
	if len(args) != 1 {
		return usagef("want one file, got %d", len(args))
	}
	data, name, err := readFile(c, args[0])
	if err != nil {
		return err
	}
	m, _, err := bytecode.Read(data)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if places {
		return printPlaced(c.out, m)
	}
	return tileir.Print(c.out, m, tileir.PrintOptions{Debug: debug})
}
