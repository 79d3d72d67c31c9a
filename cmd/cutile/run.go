package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/npy"
	"github.com/cutile-go/cutile/internal/toolbox"
)

var runCommand = &command{
	name: "run", args: "FILE", short: "run a Tile IR module on the CPU",
	long: `
FILE is bytecode of any front end, or text; "-" is the standard input. No GPU is needed. Every access to memory is checked,
and so is what the kernel assumes of its arguments: a fault is told with its block and its place in the source, and then no
file is written.
` + argsHelp,
	setup: func(fs *flag.FlagSet) action {
		r := &runner{launchFlags: newLaunchFlags(fs)}
		fs.BoolVar(&r.show, "print", false, "print the arrays that have a name, and those that the kernel has changed")
		fs.IntVar(&r.workers, "workers", 0, "run so many blocks at a time; 1 runs them in order; by default as many as there are cores")
		return r.run
	},
}

// runner runs one kernel.
type runner struct {
	*launchFlags
	show    bool
	workers int

	device  *cpu.Device
	bound   *bound
	buffers []engine.Buffer // by parameter
	before  [][]byte        // what unnamed arrays held
}

func (r *runner) run(c *call, args []string) error {
	if len(args) != 1 {
		return toolbox.Usagef("want one file, got %d", len(args))
	}
	if err := cpu.CheckWorkers(r.workers); err != nil {
		return toolbox.Usagef("-workers: %v", err)
	}
	in, err := toolbox.ReadSound(c.in, args[0])
	if err != nil {
		return err
	}
	entry, err := in.Entry(r.entry)
	if err != nil {
		return err
	}
	if r.bound, err = r.bind(entry); err != nil {
		return err
	}
	limits, err := limit.FromEnv()
	if err != nil {
		return err
	}
	r.device = cpu.New(cpu.Options{Workers: r.workers, Output: c.out, CheckAssumes: true, Limits: limits, StopOnCancel: true})
	defer r.device.Close()
	if err := r.allocate(); err != nil {
		return err
	}
	kernel, err := r.device.Compile(c.ctx, in.Module, entry.Name)
	if err != nil {
		return fmt.Errorf("%s: %w", in.Name, err)
	}
	if err := r.launch(c, kernel); err != nil {
		return err
	}
	return r.results(c)
}

// allocate makes the arrays.
func (r *runner) allocate() error {
	n := len(r.bound.arrays)
	r.buffers, r.before = make([]engine.Buffer, n), make([][]byte, n)
	for i, src := range r.bound.arrays {
		if src == nil {
			continue
		}
		size, err := npy.Bytes(src.typ, src.shape)
		if err != nil {
			return fmt.Errorf("%s: %w", src.arg, err)
		}
		per := src.elem.PerByte()
		if r.buffers[i], err = r.device.Alloc(int64((size + per - 1) / per)); err != nil {
			return fmt.Errorf("%s: %w", src.arg, err)
		}
		if err := r.fill(src, r.buffers[i].Host(), size); err != nil {
			return err
		}
		if src.name == "" {
			r.before[i] = slices.Clone(r.buffers[i].Host())
		}
		r.bound.bits[i] = r.buffers[i].Address()
	}
	return nil
}

// fill puts an array of size bytes into memory, where some elements share a byte.
func (r *runner) fill(src *arraySource, memory []byte, size int) error {
	if src.elem.PerByte() == 1 {
		return src.load(memory)
	}
	data := make([]byte, size)
	if err := src.load(data); err != nil {
		return err
	}
	copy(memory, dtype.PackHalves(data))
	return nil
}

// launch runs the kernel to its end.
func (r *runner) launch(c *call, k engine.Kernel) error {
	s, err := r.device.NewStream()
	if err != nil {
		return err
	}
	if err := s.Launch(k, r.grid, r.bound.bits); err != nil {
		return err
	}
	return s.Wait(c.ctx)
}

// results writes and prints the arrays.
func (r *runner) results(c *call) error {
	for i, src := range r.bound.arrays {
		if src == nil {
			continue
		}
		memory := r.buffers[i].Host()
		changed := src.name == "" && !bytes.Equal(r.before[i], memory)
		if src.elem.PerByte() > 1 {
			memory = dtype.UnpackHalves[byte](memory, src.len())
		}
		a := &npy.Array{Type: src.typ, Shape: src.shape, Data: memory}
		if src.name != "" {
			if err := writeArray(src.name, a); err != nil {
				return err
			}
		}
		if changed && src.file != "" {
			fmt.Fprintf(c.err, "note: the kernel has changed %s, and that is lost: %s NAME=%s keeps it\n", src.arg, src.flag, src.text)
		}
		if r.show && (changed || src.name != "") {
			src.print(c, a)
		}
	}
	return nil
}

func writeArray(name string, a *npy.Array) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := a.Write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// print shows an array, in the type that the kernel takes it for where it has none of its own.
func (src *arraySource) print(c *call, a *npy.Array) {
	as, title := src.typ, src.name
	if title == "" {
		title = src.arg
	}
	if want := elemTypes[src.elem][0]; as.Size() == want.Size() && !as.IsFloat() && (want.IsFloat() || !as.IsInt()) {
		as = want
	}
	fmt.Fprintf(c.out, "%s: %v %v\n", title, as, src.shape)
	a.Fprint(c.out, as)
}
