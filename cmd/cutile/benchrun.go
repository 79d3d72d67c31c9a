package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	api "github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/bench"
	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/tilec/cost"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/toolbox/modrun"
	"github.com/cutile-go/cutile/tileir"
)

// measured is one of the kernels that are measured.
type measured struct {
	name   string
	file   *toolbox.File
	entry  *tileir.Entry
	grid   string
	kernel engine.Kernel
}

// run measures, and writes the report.
func (b *kernelBench) run(c *call, name string) error {
	list, err := b.kernels(c.in, name)
	if err != nil {
		return err
	}
	opts := []api.Option{api.WithOutput(io.Discard)}
	if b.workers > 0 {
		opts = append(opts, api.WithWorkers(b.workers))
	}
	dev, err := api.Open(b.device, opts...)
	if err != nil {
		return err
	}
	defer dev.Close()
	report, err := b.measure(c.ctx, dev, list)
	if err != nil {
		return err
	}
	var svg bytes.Buffer
	if b.svg != "" {
		draw := report.WriteSVG
		if b.plot == roofPlot {
			draw = report.WriteRoof
		}
		if err := draw(&svg, b.plotOf()); err != nil {
			return err
		}
		if err := os.WriteFile(b.svg, svg.Bytes(), 0o666); err != nil {
			return err
		}
	}
	write := report.WriteTable
	if b.json {
		write = report.WriteJSON
	}
	if err := write(c.out); err != nil {
		return err
	}
	return failures(report)
}

// failures is the error of a report in which something was not measured.
func failures(r *bench.Report) error {
	failed, all := 0, 0
	for _, row := range r.Rows {
		if row.Error != "" {
			failed, all = failed+1, all+1
		}
		for _, x := range row.Results {
			if all++; x.Error != "" {
				failed++
			}
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d measurements failed", failed, all)
	}
	return nil
}

// kernels reads the files.
func (b *kernelBench) kernels(in io.Reader, name string) (list []*measured, err error) {
	add := func(name, entry, grid string) error {
		f, err := toolbox.ReadSound(in, name)
		if err != nil {
			return err
		}
		m := &measured{file: f, grid: grid}
		if m.entry, err = f.Entry(entry); err != nil {
			return err
		}
		m.name = m.entry.Name
		list = append(list, m)
		return nil
	}
	if err := add(name, b.launch.Entry, b.grid); err != nil || b.against == "" {
		return list, err
	}
	entry, grid := b.launch.Entry, b.grid
	if b.otherEntry != "" {
		entry = b.otherEntry
	}
	if b.otherGrid != "" {
		grid = b.otherGrid
	}
	if err := add(b.against, entry, grid); err != nil {
		return nil, err
	}
	if list[0].name == list[1].name { // they differ in their files or grids
		for i, file := range []string{name, b.against} {
			list[i].name = fmt.Sprintf("%s (%s)", list[i].name, filepath.Base(file))
		}
	}
	if list[0].name == list[1].name {
		list[1].name += " again"
	}
	return list, nil
}

// measure makes the report.
func (b *kernelBench) measure(ctx context.Context, dev *api.Device, list []*measured) (*bench.Report, error) {
	for _, m := range list {
		var err error
		if m.kernel, err = dev.Internal().Compile(ctx, m.file.Module, m.entry.Name, m.entry.Name); err != nil {
			return nil, fmt.Errorf("%s: %w", m.file.Name, err)
		}
		defer m.kernel.Close()
	}
	if b.roof {
		roof, err := bench.Roof(ctx, dev)
		if err != nil {
			return nil, err
		}
		b.options.Roof = roof
	}
	b.options.Check = b.check
	for _, m := range list {
		b.options.Title = strings.TrimPrefix(b.options.Title+" against "+m.name, " against ")
	}
	var placed []*modrun.Placed
	empty := func() {
		for _, p := range placed {
			p.Close()
		}
		placed = nil
	}
	defer empty()
	cases := func(x int64) (out []bench.Case, err error) {
		empty()
		for _, m := range list {
			c, p, err := b.prepare(ctx, dev, m, x)
			if p != nil {
				placed = append(placed, p)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.name, err)
			}
			out = append(out, c)
		}
		return out, nil
	}
	if b.sweep != nil {
		if _, err := b.bound(list[0], b.sweep.Values[0]); err != nil { // a mistake in the arguments is that of all values
			return nil, err
		}
		return bench.Sweep(ctx, b.sweep.Name, b.sweep.Values, cases, b.options)
	}
	only, err := cases(0)
	if err != nil {
		return nil, err
	}
	return bench.Compare(ctx, only, b.options)
}

// launchOf is a launch with the arguments for a value of the parameter.
type launchOf struct {
	modrun.Launch
	*modrun.Bound
}

// bound puts a value into the arguments of a kernel.
func (b *kernelBench) bound(m *measured, x int64) (*launchOf, error) {
	l := &launchOf{Launch: modrun.Launch{Entry: m.entry.Name, Outside: b.launch.Outside}}
	grid, err := b.sweep.Fill(m.grid, x)
	if err != nil {
		return nil, err
	}
	if err := l.SetGrid(grid); err != nil {
		return nil, toolbox.Usagef("-grid %s: %v", grid, err)
	}
	for _, a := range b.launch.Args {
		if a.Text, err = b.sweep.Fill(a.Text, x); err != nil {
			return nil, err
		}
		l.Args = append(l.Args, a)
	}
	l.Bound, err = l.Bind(m.entry)
	return l, err
}

// prepare makes a case of a kernel, with arrays of its own.
func (b *kernelBench) prepare(ctx context.Context, dev *api.Device, m *measured, x int64) (c bench.Case, p *modrun.Placed, err error) {
	l, err := b.bound(m, x)
	if err != nil {
		return c, nil, err
	}
	if !b.unchecked {
		if err := l.Try(ctx, m.file); err != nil {
			return c, nil, err
		}
	}
	if p, err = l.Place(dev.Internal()); err != nil {
		return c, p, err
	}
	stream := dev.Stream().Internal()
	c = bench.Case{Name: m.name, Reset: p.Reset, Work: api.Work{On: dev, Name: m.name, Run: func() error {
		return stream.Launch(m.kernel, l.Grid, p.Bits, p.Uses)
	}}}
	tensors, err := p.Tensors()
	if err != nil {
		return c, p, err
	}
	for _, t := range tensors {
		c.Outputs = append(c.Outputs, device.Typed(dev, t))
	}
	report, err := cost.Count(m.entry, cost.Signed(p.Bits), l.Grid)
	if err != nil {
		return c, p, nil // which is no reason not to measure
	}
	loaded, stored := report.Traffic(m.entry, p.Sizes)
	c.Bytes = loaded + stored
	for _, o := range report.Ops() {
		c.Ops = append(c.Ops, api.Ops(o))
	}
	return c, p, nil
}
