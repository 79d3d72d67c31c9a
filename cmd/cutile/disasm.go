package main

import (
	"flag"
	"fmt"

	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

var disasmCommand = &command{
	name: "disasm", args: "FILE", short: "print Tile IR bytecode as text",
	long: `
FILE is bytecode of version 13.1 to 13.4; "-" is the standard input. The text is the same as that of NVIDIA's
tileirdisasm, and -g has the same effect as there. With -mlir, the module is printed in MLIR's text of the dialect, as
by cuda-tile-opt, and with -generic in MLIR's generic form. asm converts each of these texts back to bytecode.`,
	setup: func(fs *flag.FlagSet) action {
		var opts text.PrintOptions
		fs.BoolVar(&opts.Debug, "g", false, "also print debug information")
		fs.BoolVar(&opts.MLIR, "mlir", false, "print a module as MLIR does")
		fs.BoolVar(&opts.Generic, "generic", false, "print a module in MLIR's generic form")
		places := fs.Bool("places", false, "add the source position of each operation as a comment")
		return func(c *call, args []string) error { return disasm(c, args, opts, *places) }
	},
}

func disasm(c *call, args []string, opts text.PrintOptions, places bool) error {
	if places && opts != (text.PrintOptions{}) {
		return toolbox.Usagef("-places cannot be given with -g, -mlir or -generic")
	}
	opts.MLIR = opts.MLIR || opts.Generic
	name, err := one("file", args)
	if err != nil {
		return err
	}
	data, name, err := toolbox.ReadBytes(c.in, name)
	if err != nil {
		return err
	}
	m, _, err := bytecode.Read(data)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if places {
		return text.PrintPlaced(c.out, m)
	}
	return text.Print(c.out, m, opts)
}
