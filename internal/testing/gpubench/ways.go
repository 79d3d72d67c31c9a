package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cutile-go/cutile"
	driver "github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/engine/vulkan"
)

// way is a way from a workload to a GPU.
type way struct {
	name     string
	peer     bool                               // others are compared with it
	optional bool                               // a machine without it is as good
	open     func(o *options) (*machine, error) // nil for those of peers.py
	work     []string                           // the kinds of work that it has; nil for all
}

// machine is an open way.
type machine struct {
	about string
	job   func(ctx context.Context, w *workload, p *problem) (*job, error)
	close func() error
}

// ways are in the order of the table. The device cpu is for tests and for recording machine code.
var ways = []way{
	{name: "tileiras", peer: true, open: device("cuda", by(cuda.AssemblerTileiras))},
	{name: "own", open: device("cuda", by(cuda.AssemblerOwn))},
	{name: "vulkan", optional: true, open: device("vulkan:0", hardware)},
	{name: "cublas", peer: true, optional: true, open: openBLAS, work: []string{"gemm"}},
	{name: "triton", peer: true, optional: true},
	{name: "torch", peer: true, optional: true},
	{name: "cpu", optional: true, open: device("cpu", nothing)},
}

// by has a compiler make the code that was not recorded.
func by(assembler string) func(o *options) ([]cutile.Option, error) {
	return func(o *options) ([]cutile.Option, error) {
		opts := []cutile.Option{cutile.WithAssembler(assembler)}
		if o.cubins == "" {
			return opts, nil
		}
		files, err := cuda.OpenCubins(o.cubins)
		return append(opts, cutile.WithCubins(files)), err
	}
}

func nothing(*options) ([]cutile.Option, error) { return nil, nil }

// hardware refuses software drivers for Vulkan, unless they are asked for.
func hardware(o *options) ([]cutile.Option, error) {
	infos, err := vulkan.Devices(vulkan.Usual())
	if err == nil && !o.software && len(infos) > 0 && infos[0].Device.Type == driver.CPU {
		err = errors.New("the driver is software: -software measures it, too")
	}
	return nil, err
}

// device opens a device of this module.
func device(name string, chosen func(o *options) ([]cutile.Option, error)) func(o *options) (*machine, error) {
	return func(o *options) (*machine, error) {
		opts, err := chosen(o)
		if err != nil {
			return nil, err
		}
		dev, err := cutile.Open(name, opts...)
		if err != nil {
			return nil, err
		}
		return &machine{
			about: dev.Description(),
			job: func(ctx context.Context, w *workload, p *problem) (*job, error) {
				return w.kind.prepare(ctx, dev, w.dims, p)
			},
			close: dev.Close,
		}, nil
	}
}

// wayOf finds a way by its name.
func wayOf(name string) (*way, error) {
	at := slices.IndexFunc(ways, func(w way) bool { return w.name == name })
	if at < 0 {
		return nil, fmt.Errorf("there is no way %q", name)
	}
	return &ways[at], nil
}

// serve measures the workloads in one way, and writes a row for the way and for each workload, as soon as it is known.
func (o *options) serve(ctx context.Context, name string, to io.Writer) error {
	w, err := wayOf(name)
	if err != nil {
		return err
	}
	encode := json.NewEncoder(to)
	m, err := w.open(o)
	if err != nil {
		return encode.Encode(row{Way: name, Absent: err.Error()})
	}
	if err := encode.Encode(row{Way: name, Device: m.about}); err != nil {
		return err
	}
	for i := range o.work {
		if w.work != nil && !slices.Contains(w.work, o.work[i].kind.name) {
			continue
		}
		r, err := o.one(ctx, m, &o.work[i])
		if err != nil {
			r.Error = err.Error()
		}
		r.Way, r.Work = name, o.work[i].name
		if err := encode.Encode(r); err != nil {
			return err
		}
	}
	return m.close()
}

// one measures a workload on an open machine.
func (o *options) one(ctx context.Context, m *machine, w *workload) (r row, err error) {
	p := w.kind.problem(w.dims)
	j, err := m.job(ctx, w, p)
	if err != nil {
		return r, err
	}
	defer func() {
		if e := j.close(); err == nil {
			err = e
		}
	}()
	return measure(ctx, j, p, o.timing)
}
