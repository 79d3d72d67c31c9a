package main

import (
	"flag"

	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/toolbox/optable"
)

var opsCommand = &command{
	name: "ops", args: "[NAME]", short: "show the table of Tile IR's operations",
	long: `
With a NAME, ops shows everything about one operation. In the table, ? marks optional parts, and * marks parts that
may occur any number of times. -version and -arch leave out operations, fields and element types that the version or
the architecture does not support.`,
	setup: func(fs *flag.FlagSet) action {
		version := fs.String("version", "", "the bytecode `version`; by default the newest")
		arch := fs.String("arch", "", "the GPU `architecture`, such as sm_90; by default all")
		asJSON := fs.Bool("json", false, "print JSON, for programs")
		return func(c *call, args []string) error { return ops(c, args, *version, *arch, *asJSON) }
	},
}

func ops(c *call, args []string, version, arch string, asJSON bool) error {
	v, err := toolbox.Version(version)
	if err != nil {
		return err
	}
	if err := toolbox.CheckArch(arch); err != nil {
		return err
	}
	table := optable.For(v, arch)
	var list []optable.Op
	switch len(args) {
	case 0:
		list = table.All()
	case 1:
		op, err := table.Find(args[0])
		if err != nil {
			return err
		}
		list = append(list, op)
	default:
		return toolbox.Usagef("want one operation, got %d", len(args))
	}
	switch {
	case asJSON:
		return printJSON(c.out, list)
	case len(args) == 1:
		list[0].Print(c.out)
	default:
		optable.Print(c.out, list)
	}
	return nil
}
