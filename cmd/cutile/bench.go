package main

import (
	"flag"
	"strings"
	"time"

	"github.com/cutile-go/cutile/bench"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/toolbox/modrun"
	"github.com/cutile-go/cutile/internal/toolbox/sweep"
)

var benchCommand = &command{
	name: "bench", args: "FILE", short: "measure a Tile IR kernel, also beside another one",
	long: `
FILE is bytecode or text; "-" is the standard input. The kernel is compiled for the device, and run until its time is
steady. Then samples are taken, each so many launches that it takes milliseconds by the events of the device. With
-against, the kernels take turns in random order, and the ratio of their times is that of the samples next to each
other: a number such as 1.52 (1.49 to 1.54) has its true median between the other two with a confidence of 95 percent.

Before it is measured, each kernel runs once on the CPU with every check of the command run, as a kernel that leaves
its arrays, or that was promised something else about its arguments, may do anything. -outside is that of run, and
-unchecked leaves the checks out, where they take too long.

Bytes are those of arrays that the kernel reads or writes, each once; operations are counted as by the command cost. With -roof
the device is measured, too: its memory by a sum of vectors, and products and arithmetic by kernels that do little else. A
part of the roof of more than 100% means that data stay in caches; -flush empties them before each launch.
` + sweep.Help + `

Options of plots: -svg draws operations a second, bytes a second, or else times, over the values of -sweep, or what -plot
says; with -plot roof, results beside the roof. Axes are logarithmic where values grow by factors, or as -log says.
` + modrun.Help,
	setup: func(fs *flag.FlagSet) action {
		b := &kernelBench{}
		b.launch = newLaunchArgs(fs)
		fs.StringVar(&b.grid, "grid", "1", "the numbers of `blocks` along x, y and z, as in 16 or {N/64},4")
		fs.Func("sweep", "measure for several values of a parameter, such as `N=128:4096:*2`", func(s string) (err error) {
			b.sweep, err = sweep.Parse(s)
			return err
		})
		fs.StringVar(&b.against, "against", "", "another `file`, whose kernel takes the same arguments and is measured in turn with the first")
		fs.StringVar(&b.otherEntry, "against-entry", "", "the `name` of the entry of -against; by default that of -entry")
		fs.StringVar(&b.otherGrid, "against-grid", "", "the `blocks` of -against; by default those of -grid")
		fs.BoolVar(&b.check, "check", false, "compare the results of -against with those of the first kernel")
		fs.BoolVar(&b.unchecked, "unchecked", false, "do not run the kernels with checks before")
		outsideFlag(fs, b.launch)
		fs.StringVar(&b.device, "device", "", "the `name` of the device, such as cpu or cuda:0; by default the one that CUTILE_DEVICE names, or the best of the machine")
		fs.IntVar(&b.workers, "workers", 0, "the number of blocks that run at a time on the CPU; by default the number of cores")
		fs.DurationVar(&b.options.Budget, "budget", 2*time.Second, "the `time` for the samples of each value; it may end earlier")
		fs.Float64Var(&b.options.Precision, "precision", 0.01, "the `width` of the interval of ratios, as a part of the ratio, at which it ends")
		fs.Int64Var(&b.flush, "flush", 0, "write that many `MiB` of other memory before each launch, so that it finds nothing in caches")
		fs.BoolVar(&b.roof, "roof", false, "measure the device as well, and say what part of it the kernels reach")
		fs.BoolVar(&b.json, "json", false, "print JSON, for programs: docs/programs.md describes it")
		fs.StringVar(&b.svg, "svg", "", "write a plot to this `file`, as SVG")
		fs.StringVar(&b.plot, "plot", "", "what the plot shows: `quantity` time, flops, bytes, speedup, roof-part or roof")
		fs.StringVar(&b.log, "log", "", "the logarithmic `axes`: x, y, xy or none")
		fs.BoolVar(&b.diff, "diff", false, "compare two files that -json has written, given in place of FILE")
		return func(c *call, args []string) error {
			if b.diff {
				return diffReports(c, args)
			}
			if err := b.complete(args); err != nil {
				return err
			}
			return b.run(c, args[0])
		}
	},
}

// kernelBench is what the command bench is asked for.
type kernelBench struct {
	launch                *modrun.Launch
	grid                  string
	sweep                 *sweep.Sweep // nil for none
	against               string
	otherEntry, otherGrid string
	check, unchecked      bool
	device                string
	workers               int
	options               bench.Options
	flush                 int64
	roof, json            bool
	svg, plot, log        string
	diff                  bool
}

// logAxes are the texts of -log.
var logAxes = []string{"", "x", "y", "xy", "none"}

// complete checks the flags.
func (b *kernelBench) complete(args []string) error {
	if _, err := one("file", args); err != nil {
		return err
	}
	if err := cpu.CheckWorkers(b.workers); err != nil {
		return toolbox.Usagef("-workers: %v", err)
	}
	const mostFlush = 1 << 16
	b.options.Flush = b.flush << 20
	known := b.plot == "" || b.plot == roofPlot
	var plots []string
	for _, q := range bench.Quantities() {
		known = known || string(q) == b.plot
		plots = append(plots, string(q))
	}
	axes := false
	for _, a := range logAxes {
		axes = axes || a == b.log
	}
	switch {
	case b.flush < 0 || b.flush > mostFlush:
		return toolbox.Usagef("-flush: %d is not from 0 to %d", b.flush, mostFlush)
	case b.options.Budget <= 0:
		return toolbox.Usagef("-budget: %v is not more than 0", b.options.Budget)
	case !(b.options.Precision > 0 && b.options.Precision < 1):
		return toolbox.Usagef("-precision: %v is not between 0 and 1", b.options.Precision)
	case !known:
		return toolbox.Usagef("-plot: %q is not one of %s, %s", b.plot, strings.Join(plots, ", "), roofPlot)
	case !axes:
		return toolbox.Usagef("-log: %q is not one of x, y, xy, none", b.log)
	case b.svg == "" && (b.plot != "" || b.log != ""):
		return toolbox.Usagef("-plot and -log are for a plot: give -svg a file")
	case b.plot == roofPlot && !b.roof:
		return toolbox.Usagef("-plot roof needs -roof")
	case b.against == "" && (b.otherEntry != "" || b.otherGrid != "" || b.check):
		return toolbox.Usagef("-against-entry, -against-grid and -check are for a second kernel: give -against a file")
	case b.against == "-":
		return toolbox.Usagef("-against: want a file: the standard input cannot be read twice")
	}
	return nil
}

// roofPlot is the plot that is no quantity.
const roofPlot = "roof"

// plotOf is the plot that was asked for.
func (b *kernelBench) plotOf() (p bench.Plot) {
	if b.plot != roofPlot {
		p.Y = bench.Quantity(b.plot)
	}
	growing := b.sweep != nil && b.sweep.Growing()
	p.LogX = strings.Contains(b.log, "x") || b.log == "" && growing
	p.LogY = strings.Contains(b.log, "y") || b.log == "" && growing && p.Y == bench.Time
	return p
}
