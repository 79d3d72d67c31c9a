package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

var disasmCommand = &command{
	name: "disasm", args: "FILE", short: "print Tile IR bytecode as text",
	long: `
FILE is bytecode of version 13.1 to 13.4, "-" the standard input. The text is that of NVIDIA's tileirdisasm.`,
	setup: func(fs *flag.FlagSet) action {
		places := fs.Bool("g", false, "add the place in the source to each operation, as a comment")
		return func(c *call, args []string) error { return disasm(c, args, *places) }
	},
}

func disasm(c *call, args []string, places bool) error {
	if len(args) != 1 {
		return usagef("want one file, got %d", len(args))
	}
	name := args[0]
	var data []byte
	var err error
	if name == "-" {
		name = "standard input"
		data, err = io.ReadAll(c.in)
	} else {
		data, err = os.ReadFile(name)
	}
	if err != nil {
		return err
	}
	m, _, err := bytecode.Read(data)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return tileir.Print(c.out, m, tileir.PrintOptions{Debug: places})
}
