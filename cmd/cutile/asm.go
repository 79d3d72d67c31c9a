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
FILE is text as disasm and NVIDIA's tileirdisasm print it, with places (-g) or without, or MLIR's text of the dialect, in
its own form or the generic one, as cuda-tile-opt prints it; "-" is the standard input. It may also be bytecode, which is
written anew in another version. The module is verified before it is written; what would have no effect, such as unknown
optimization hints, is a warning. Of a text with several modules -module names the one that is written.

With -g entries and operations that the text gives no place have theirs in the text, as if that were the source.`,
	setup: func(fs *flag.FlagSet) action {
		version := fs.String("version", "", "bytecode `version`; by default the oldest from 13.2 on that has what the module needs")
		out := fs.String("o", "", "write to this `file`; by default, and for \"-\", to the standard output")
		places := fs.Bool("g", false, "places in the text are those in the source, where it names none")
		module := fs.String("module", "", "the `name` of the module, if the text has several")
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
