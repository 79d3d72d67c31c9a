package main

import (
	"flag"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/serve"
	"github.com/cutile-go/cutile/internal/toolbox"
)

var serveCommand = &command{
	name: "serve", short: "run Tile IR kernels on the CPU for another program",
	long: `
The other program starts this one, writes requests to its standard input and reads the replies from its standard output;
docs/serve.md describes them. The server ends when its input does. The Python package cutile_cpu, with which programs in
cuTile Python run without a GPU, is such a program.
`,
	setup: func(fs *flag.FlagSet) action {
		var o serve.Options
		fs.IntVar(&o.Workers, "workers", 0, "run so many blocks at a time; 1 runs them in order; by default as many as there are cores")
		fs.Uint64Var(&o.Reorder, "reorder", 0, "a seed: operations that neither values nor tokens order run in another order")
		return func(c *call, args []string) error {
			if len(args) > 0 {
				return toolbox.Usagef("want no arguments, got %d", len(args))
			}
			if err := cpu.CheckWorkers(o.Workers); err != nil {
				return toolbox.Usagef("-workers: %v", err)
			}
			return serve.Serve(c.ctx, c.in, c.out, o)
		}
	},
}
