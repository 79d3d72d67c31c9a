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
The other program starts cutile serve, writes requests to its standard input and reads replies from its standard
output; docs/serve.md describes them. The server exits when its input ends. The Python package cutile_cpu is such a
program; it runs programs in cuTile Python without a GPU.
`,
	setup: func(fs *flag.FlagSet) action {
		var o serve.Options
		fs.IntVar(&o.Workers, "workers", 0, "the number of blocks that run at a time; 1 runs them in order; by default the number of cores")
		fs.Uint64Var(&o.Reorder, "reorder", 0, "a seed for another order of operations that neither values nor tokens order")
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
