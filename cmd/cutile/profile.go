package main

import (
	"flag"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/toolbox/emuprofile"
)

var profileCommand = &command{
	name: "profile", args: "FILE", short: "count what a kernel does, and estimate its cycles on a GPU",
	long: `
FILE is PTX from any compiler, or Tile IR, bytecode or text, of which PTX is made for the target; "-" is the standard
input. With -emulate, which is needed, the kernel runs once on the emulator, thread by thread, and no GPU is needed.
docs/profile.md explains the report and the model, which knows the published rates of units and no latencies. The lines
are those of .loc directives, or else of the PTX itself; cutile dump -stage bytecode writes Tile IR with those of Go.
` + emuprofile.Help,
	setup: func(fs *flag.FlagSet) action {
		l := newLaunch(fs)
		f := &emuprofile.File{}
		emulate := fs.Bool("emulate", false, "run the kernel on the emulator")
		fs.StringVar(&f.Target, "target", "", "the `architecture` of the model, such as sm_80; by default that of the PTX, or sm_80")
		fs.BoolVar(&f.JSON, "json", false, "print JSON, for programs")
		fs.Func("block", "the numbers of `threads` of a block along x, y and z, for a kernel that does not require any", f.SetBlock)
		fs.IntVar(&f.Shared, "shared", 0, "`bytes` of dynamic shared memory")
		fs.BoolVar(&f.Races, "races", false, "report data races in shared and global memory as errors")
		fs.Uint64Var(&f.Schedule, "schedule", 0, "the `seed` of an order in which warps hold one another back; by default they take turns")
		fs.BoolVar(&f.Results, "print", false, "print named arrays and those that the kernel has changed")
		fs.IntVar(&f.Workers, "workers", 0, "the number of clusters that run at a time; by default the number of cores")
		return func(c *call, args []string) error {
			name, err := one("file", args)
			switch {
			case err != nil:
				return err
			case !*emulate:
				return toolbox.Usagef("-emulate is missing: there is no other way to profile a kernel yet")
			}
			if err := cpu.CheckWorkers(f.Workers); err != nil {
				return toolbox.Usagef("-workers: %v", err)
			}
			f.Kernel, f.Args, f.Out, f.Notes = l.Entry, l.Args, c.out, c.err
			for i, n := range l.Grid {
				f.Grid[i] = int(n)
			}
			return f.Run(c.ctx, c.in, name)
		}
	},
}
