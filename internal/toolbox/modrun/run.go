// Package modrun runs an entry of a Tile IR module on the CPU, with arguments as text and arrays in .npy files.
package modrun

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/npy"
)

// Runner runs one kernel.
type Runner struct {
	*Launch
	Print   bool // the arrays that have a name, and those that the kernel has changed
	Workers int  // as in [cpu.Options]

	Out   io.Writer // for what is printed, by the kernel, too
	Notes io.Writer // for what is lost

	device  *cpu.Device
	bound   *Bound
	buffers []engine.Buffer // by parameter
	before  [][]byte        // what unnamed arrays held
}

// Run runs an entry of a verified module, and writes and prints its arrays. No array is written after a fault.
func (r *Runner) Run(ctx context.Context, f *toolbox.File) error {
	if err := r.run(ctx, f); err != nil {
		return err
	}
	defer r.device.Close()
	return r.results()
}

// run runs the kernel to its end on a device that checks. Without an error, the device is open, and the buffers have the results.
func (r *Runner) run(ctx context.Context, f *toolbox.File) error {
	entry, err := f.Entry(r.Entry)
	if err != nil {
		return err
	}
	if r.bound, err = r.Bind(entry); err != nil {
		return err
	}
	limits, err := limit.FromEnv()
	if err != nil {
		return err
	}
	r.device = cpu.New(cpu.Options{Workers: r.Workers, Output: r.Out, CheckAssumes: true, Limits: limits, StopOnCancel: true})
	if err = r.allocate(); err == nil {
		var kernel engine.Kernel
		if kernel, err = r.device.Compile(ctx, f.Module, entry.Name); err != nil {
			err = fmt.Errorf("%s: %w", f.Name, err)
		} else {
			err = r.launch(ctx, kernel)
		}
	}
	if err != nil {
		r.device.Close()
	}
	return err
}

// allocate makes the arrays.
func (r *Runner) allocate() error {
	n := len(r.bound.arrays)
	r.buffers, r.before = make([]engine.Buffer, n), make([][]byte, n)
	for i, src := range r.bound.arrays {
		if src == nil {
			continue
		}
		file, size, err := src.bytes()
		if err != nil {
			return fmt.Errorf("%s: %w", src, err)
		}
		per := src.elem.PerByte()
		if r.buffers[i], err = r.device.Alloc(int64((size + per - 1) / per)); err != nil {
			return fmt.Errorf("%s: %w", src, err)
		}
		if err := src.place(r.buffers[i].Host(), file); err != nil {
			return err
		}
		if src.name == "" {
			r.before[i] = slices.Clone(r.buffers[i].Host())
		}
		r.bound.Bits[i] = r.buffers[i].Address()
	}
	return nil
}

// launch runs the kernel to its end.
func (r *Runner) launch(ctx context.Context, k engine.Kernel) error {
	s, err := r.device.NewStream()
	if err != nil {
		return err
	}
	if err := s.(engine.Checking).LaunchChecked(k, r.Grid, r.bound.Bits, &engine.Watch{Outside: r.Outside, Allow: "give -outside"}); err != nil {
		return err
	}
	return s.Wait(ctx)
}

// results writes and prints the arrays.
func (r *Runner) results() error {
	for i, src := range r.bound.arrays {
		if src == nil {
			continue
		}
		if err := r.result(src, r.before[i], r.buffers[i].Host()); err != nil {
			return err
		}
	}
	return nil
}

// result writes and prints one array.
func (r *Runner) result(src *arraySource, before, memory []byte) error {
	changed := src.name == "" && !bytes.Equal(before, memory)
	data, err := src.elements(memory)
	if err != nil {
		return err
	}
	a := &npy.Array{Type: src.typ, Shape: src.shape, Data: data}
	if src.name != "" {
		if err := writeArray(src.name, a); err != nil {
			return err
		}
	}
	if changed && src.file != "" {
		fmt.Fprintf(r.Notes, "note: the kernel has changed %s, and the change is lost: %s NAME=%s keeps it\n", src, src.Flag, src.Text)
	}
	if r.Print && (changed || src.name != "") {
		src.print(r.Out, a)
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
func (src *arraySource) print(w io.Writer, a *npy.Array) {
	as, title := src.typ, src.name
	if title == "" {
		title = src.String()
	}
	if want := elemTypes[src.elem][0]; as.Size() == want.Size() && !as.IsFloat() && (want.IsFloat() || !as.IsInt()) {
		as = want
	}
	fmt.Fprintf(w, "%s: %v %v\n", title, as, src.shape)
	printArray(w, a, as)
}
