package main

import (
	"flag"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/toolbox/modrun"
)

var runCommand = &command{
	name: "run", args: "FILE", short: "run a Tile IR module on the CPU",
	long: `
FILE is bytecode from any compiler, or text; "-" is the standard input. No GPU is needed. run checks every access to
memory and every assumption of the kernel about its arguments. Tiles wholly outside their arrays are violations as well,
as of a grid that is too large, unless -outside says that they are meant. It reports a violation with the block and the
source position, and then writes no file.
` + modrun.Help,
	setup: func(fs *flag.FlagSet) action {
		r := &modrun.Runner{Launch: newLaunch(fs)}
		fs.BoolVar(&r.Print, "print", false, "print named arrays and those that the kernel has changed")
		outsideFlag(fs, r.Launch)
		fs.IntVar(&r.Workers, "workers", 0, "the number of blocks that run at a time; 1 runs them in order; by default the number of cores")
		return func(c *call, args []string) error { return runModule(c, args, r) }
	},
}

func runModule(c *call, args []string, r *modrun.Runner) error {
	name, err := one("file", args)
	if err != nil {
		return err
	}
	if err := cpu.CheckWorkers(r.Workers); err != nil {
		return toolbox.Usagef("-workers: %v", err)
	}
	in, err := toolbox.ReadSound(c.in, name)
	if err != nil {
		return err
	}
	r.Out, r.Notes = c.out, c.err
	return r.Run(c.ctx, in)
}

// outsideFlag declares the flag of run and bench about tiles outside.
func outsideFlag(fs *flag.FlagSet, l *modrun.Launch) {
	fs.BoolVar(&l.Outside, "outside", false, "tiles wholly outside their arrays are meant: loads give zeros, and stores do nothing")
}

// newLaunch declares the flags of run and cost.
func newLaunch(fs *flag.FlagSet) *modrun.Launch {
	l := newLaunchArgs(fs)
	fs.Func("grid", "the numbers of `blocks` along x, y and z, as in 16 or 16,4,2; by default 1", l.SetGrid)
	return l
}

// newLaunchArgs declares those of them that say what to launch, without the grid.
func newLaunchArgs(fs *flag.FlagSet) *modrun.Launch {
	l := &modrun.Launch{Grid: [3]uint32{1, 1, 1}}
	fs.StringVar(&l.Entry, "entry", "", "the `name` of the entry; by default the only one")
	add := func(name, value, usage string, all bool) {
		fs.Func(name, "`"+value+"` "+usage+"; may be repeated", func(s string) error {
			l.Args = append(l.Args, modrun.Argument{Flag: "-" + name, Text: s, All: all})
			return nil
		})
	}
	add("arg", "value", "for the next parameter: a number, or an array for a pointer", false)
	add("array", "array", "for the next parameters: pointer, extents and strides", true)
	return l
}
