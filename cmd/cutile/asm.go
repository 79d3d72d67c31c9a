package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

var asmCommand = &command{
	name: "asm", args: "FILE", short: "write Tile IR text as bytecode",
	long: `
FILE is text in the form that disasm and NVIDIA's tileirdisasm print, with positions (-g) or without, or the dialect's
text in MLIR's form, either its own form or the generic one, as cuda-tile-opt prints it; "-" is the standard input.
FILE may also be bytecode, which is then written in another version. The module is verified before it is written. An
attribute that has no effect, such as an unknown optimization hint, results in a warning. If the text has several
modules, -module selects the one that is written.

With -g, entries and operations without a position in the text get their position in the text itself, as if it were
the source.`,
	setup: func(fs *flag.FlagSet) action {
		version := fs.String("version", "", "bytecode `version`; by default the oldest from 13.2 on that supports the module")
		out := fs.String("o", "", "write to this `file`; by default, and for \"-\", to the standard output")
		places := fs.Bool("g", false, "use positions in the text as source positions where the text names none")
		module := fs.String("module", "", "the `name` of the module to write, if the text has several")
		return func(c *call, args []string) error {
			return asm(c, args, *version, *out, text.ParseOptions{Places: *places, Module: *module})
		}
	},
}

func asm(c *call, args []string, version, out string, opts text.ParseOptions) error {
	name, err := one("file", args)
	if err != nil {
		return err
	}
	v, err := toolbox.Version(version)
	if err != nil {
		return err
	}
	opts.Version = v
	in, err := toolbox.Read(c.in, name, opts)
	if err != nil {
		return err
	}
	if v == 0 {
		v = toolbox.OldestFor(in.Module)
	}
	if err := in.Verify(v); err != nil {
		return err
	}
	in.Warn(c.err, v)
	data, err := bytecode.Write(in.Module, v, bytecode.Options{})
	if err != nil {
		return fmt.Errorf("%s: %w", in.Name, err)
	}
	if out == "" || out == "-" {
		_, err = c.out.Write(data)
		return err
	}
	return os.WriteFile(out, data, 0o644)
}
