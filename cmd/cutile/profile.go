package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/toolbox/emuprofile"
	"github.com/cutile-go/cutile/internal/toolbox/modrun"
	"github.com/cutile-go/cutile/internal/toolbox/traceprofile"
	"github.com/cutile-go/cutile/internal/trace"
)

var profileCommand = &command{
	name: "profile", args: "PROGRAM [ARGUMENT ...]", short: "report what a program does on devices, or what a kernel does on a model of a GPU", verbatim: true,
	long: `
profile runs a program and reports how long its kernels took, what was copied and compiled, and what the host did meanwhile.
PROGRAM is a command, a package of Go by its path, or Go files, which are built first:

  cutile profile ./examples/softmax
  cutile profile -top 10 go test ./kernels/gemm
  cutile profile -o trace.json ./myprogram -n 100
  cutile profile -graphs ./myprogram

Times of kernels are those of the device, and copies, compilations and waits those of the host; reads and writes include what
the host does for them. Devices that the program opens with WithTrace are not in the report. Each launch takes somewhat longer
than without. A program that fails is reported as far as it came, and its exit code is that of this command. One that was killed
has times of the work that it has waited for. A graph of launches is one row for each number of launches; with -graphs, the program
replays graphs launch by launch, and each kernel is a row, with the times that it has by itself. A profile of the program's own code is another matter: go tool pprof
shows one, in which kernels have labels.

With -emulate in front, "cutile profile -emulate FILE" counts instead what one kernel does, and estimates its cycles on a GPU. FILE is PTX
from any compiler, or Tile IR, bytecode or text, of which PTX is made for the target; "-" is the standard input. The kernel
runs once on the emulator, thread by thread, and no GPU is needed. docs/profile.md explains this report and the model, which
knows the published rates of units and no latencies. The lines are those of .loc directives, or else of the PTX itself; cutile
dump -stage bytecode writes Tile IR with those of Go.
` + emuprofile.Help,
	setup: func(fs *flag.FlagSet) action {
		p := &programProfile{}
		fs.StringVar(&p.out, "o", "", "write the trace to this `file`, for Perfetto (ui.perfetto.dev)")
		fs.StringVar(&p.from, "from", "", "report this trace, a `file` or a folder of them, and run nothing")
		fs.BoolVar(&p.graphs, "graphs", false, "report the kernels of graphs of launches")
		fs.IntVar(&p.top, "top", 20, "the number of `rows` of each table, 0 for all; JSON has all")
		fs.StringVar(&p.order, "sort", "total", "the `order` of rows: "+strings.Join(traceprofile.Orders(), ", "))
		k := newKernelProfile(fs)
		json := fs.Bool("json", false, "print JSON, for programs")
		return func(c *call, args []string) error {
			if err := k.excludes(fs); err != nil {
				return err
			}
			if k.emulate {
				args, err := parse(fs, args, true) // flags may stand behind the file
				if err != nil {
					return toolbox.UsageError(err.Error())
				}
				if err := k.excludes(fs); err != nil {
					return err
				}
				k.file.JSON = *json
				return k.run(c, args)
			}
			p.json = *json
			return p.run(c, args)
		}
	},
}

// programFlags are the flags of profile that are for programs. -json is for both.
var programFlags = []string{"o", "from", "graphs", "top", "sort"}

// kernelProfile is a profile of a kernel on the emulator.
type kernelProfile struct {
	emulate bool
	launch  *modrun.Launch
	file    *emuprofile.File
}

func newKernelProfile(fs *flag.FlagSet) *kernelProfile {
	f := &emuprofile.File{}
	k := &kernelProfile{launch: newLaunch(fs), file: f}
	fs.BoolVar(&k.emulate, "emulate", false, "run a kernel on the emulator")
	fs.StringVar(&f.Target, "target", "", "the `architecture` of the model, such as sm_80; by default that of the PTX, or sm_80")
	fs.Func("block", "the numbers of `threads` of a block along x, y and z, for a kernel that does not require any", f.SetBlock)
	fs.IntVar(&f.Shared, "shared", 0, "`bytes` of dynamic shared memory")
	fs.BoolVar(&f.Races, "races", false, "report data races in shared and global memory as errors")
	fs.Uint64Var(&f.Schedule, "schedule", 0, "the `seed` of an order in which warps hold one another back; by default they take turns")
	fs.BoolVar(&f.Results, "print", false, "print named arrays and those that the kernel has changed")
	fs.IntVar(&f.Workers, "workers", 0, "the number of clusters that run at a time; by default the number of cores")
	return k
}

// excludes refuses flags that are for the other kind of profile.
func (k *kernelProfile) excludes(fs *flag.FlagSet) (err error) {
	fs.Visit(func(f *flag.Flag) {
		switch program := slices.Contains(programFlags, f.Name); {
		case f.Name == "emulate" || f.Name == "json":
		case program && k.emulate:
			err = toolbox.Usagef("-%s is for a program, and not for a kernel with -emulate", f.Name)
		case !program && !k.emulate:
			err = toolbox.Usagef("-%s is for a kernel: -emulate is missing", f.Name)
		}
	})
	return err
}

func (k *kernelProfile) run(c *call, args []string) error {
	name, err := one("file", args)
	if err != nil {
		return err
	}
	f := k.file
	if err := cpu.CheckWorkers(f.Workers); err != nil {
		return toolbox.Usagef("-workers: %v", err)
	}
	f.Kernel, f.Args, f.Out, f.Notes = k.launch.Entry, k.launch.Args, c.out, c.err
	for i, n := range k.launch.Grid {
		f.Grid[i] = int(n)
	}
	return f.Run(c.ctx, c.in, name)
}

// programProfile is a profile of a program.
type programProfile struct {
	out, from, order string
	top              int
	json             bool
	graphs           bool
}

// kernelFiles are the ends of names of files that have kernels, and no programs.
var kernelFiles = []string{".ptx", ".tileir", ".tileirbc"}

// check checks the command line.
func (p *programProfile) check(args []string) error {
	switch {
	case !slices.Contains(traceprofile.Orders(), p.order):
		return toolbox.Usagef("-sort: %q is not one of %s", p.order, names.List(traceprofile.Orders()))
	case p.top < 0:
		return toolbox.Usagef("-top: %d is less than 0", p.top)
	case p.from != "" && len(args) > 0:
		return toolbox.Usagef("-from reports a trace and runs nothing, but there is also %q", args[0])
	case p.from != "" && p.graphs:
		return toolbox.Usagef("-graphs is for a program that is run, and -from reports a trace as it is")
	case p.from == "" && len(args) == 0:
		return toolbox.Usagef("want a program, such as ./examples/softmax, or a trace (-from)")
	case p.from == "" && (args[0] == "-" || slices.Contains(kernelFiles, filepath.Ext(args[0]))):
		return toolbox.Usagef("%s is no program: to run a kernel on the emulator, give -emulate in front of it", args[0])
	}
	return nil
}

func (p *programProfile) run(c *call, args []string) error {
	if err := p.check(args); err != nil {
		return err
	}
	from := p.from
	var failed error
	if from == "" {
		dir, err := os.MkdirTemp("", "cutile-profile-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if isPackage(args) {
			if args, err = buildPackage(c, args, dir); err != nil {
				return err
			}
		}
		env := []string{trace.Env + "=" + dir}
		if p.graphs {
			env = append(env, trace.GraphsEnv+"="+trace.Launches)
		}
		failed = runProgram(c, args, env...)
		if failed != nil && c.ctx.Err() == nil && !errors.As(failed, new(exitError)) {
			return failed
		}
		from = dir
	}
	err := p.report(c, from)
	if err != nil && failed != nil { // whose exit code counts
		fmt.Fprintf(c.err, "cutile profile: %v\n", err)
		return failed
	}
	return errors.Join(failed, err)
}

// report reads traces, and prints and writes what is asked for.
func (p *programProfile) report(c *call, from string) error {
	list, err := traceprofile.Read(from)
	if err != nil {
		return err
	}
	if p.out != "" {
		f, err := os.Create(p.out)
		if err != nil {
			return err
		}
		if err := errors.Join(trace.Write(f, traceprofile.Merge(list)), f.Close()); err != nil {
			return err
		}
	}
	r := traceprofile.Make(list)
	r.Sort(p.order)
	switch {
	case p.json:
		return printJSON(c.out, r)
	case len(list) == 0:
		fmt.Fprintln(c.err, "no device was opened")
		return nil
	}
	return r.Print(c.out, p.top)
}
