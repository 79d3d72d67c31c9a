package main

import (
	"flag"
	"fmt"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/tileir/text"
)

var verifyCommand = &command{
	name: "verify", args: "FILE", short: "check a Tile IR module against the rules of the format and the dialect",
	long: `
FILE is bytecode, or text as disasm prints it or as MLIR does; "-" is the standard input. All errors are listed, each with line and column
of a text, the entry, the operation and, where the file says it, the place in the source. An operation is named by its
index in the entry's body, then by turns the index of a region and that of an operation in it: 4.0.2 is the third
operation in the first region of the fifth one.

With -arch a sound module is also held against what that GPU architecture takes, as far as it is known.

What is right but would have no effect, such as unknown optimization hints, is a warning.

The exit code is 1 where something is wrong. The rules are those by which NVIDIA's tools refuse a module as malformed.`,
	setup: func(fs *flag.FlagSet) action {
		version := fs.String("version", "", "the bytecode `version` to verify for; by default the file's own, and the newest for text")
		arch := fs.String("arch", "", "the GPU `architecture` to check for, too, such as sm_90")
		return func(c *call, args []string) error { return verify(c, args, *version, *arch) }
	},
}

func verify(c *call, args []string, version, arch string) error {
	name, err := one("file", args)
	if err != nil {
		return err
	}
	v, err := toolbox.Version(version)
	if err != nil {
		return err
	}
	if err := toolbox.CheckArch(arch); err != nil {
		return err
	}
	in, err := toolbox.Read(c.in, name, text.ParseOptions{Version: v})
	if err != nil {
		return err
	}
	if v == 0 {
		v = in.OwnVersion()
	}
	if err := in.Verify(v); err != nil {
		return err
	}
	in.Warn(c.err, v)
	target := ""
	if arch != "" {
		if err := in.VerifyTarget(arch); err != nil {
			return err
		}
		target = " and " + arch
	}
	ops := 0
	for range in.Module.All() {
		ops++
	}
	fmt.Fprintf(c.out, "%s: %s, %s, %s: right for version %v%s\n", in.Name, in.Form(), names.Plural(len(in.Module.Entries), "entry"),
		names.Plural(ops, "operation"), v, target)
	return nil
}
