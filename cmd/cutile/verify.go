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
FILE is bytecode, or text in the form of disasm or of MLIR; "-" is the standard input. All errors are listed, each
with the line and column of a text, the entry, the operation and, if the file has it, the source position. An
operation is identified by its index in the entry's body, followed by alternating indices of a region and of an
operation in it: 4.0.2 is the third operation in the first region of the fifth operation.

With -arch, a valid module is also checked for what that GPU architecture supports, as far as that is known.

An attribute that is valid but has no effect, such as an unknown optimization hint, results in a warning.

The exit code is 1 if there is an error. The rules are those by which NVIDIA's tools refuse a module as malformed.`,
	setup: func(fs *flag.FlagSet) action {
		version := fs.String("version", "", "the bytecode `version` to verify for; by default the file's own, and the newest for text")
		arch := fs.String("arch", "", "the GPU `architecture` to check for as well, such as sm_90")
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
