package emu

import (
	"context"
	"fmt"
	"go/token"
	"io"

	"github.com/cutile-go/cutile/internal/simt"
)

// HostLaunch is a launch that a host function asks for.
type HostLaunch struct {
	Kernel string
	Grid   [3]int
	Shared int
	Stream uint64   // 0 is the default stream
	After  []uint64 // tokens of launches that must have ended
	Async  bool     // the launch has a token

	Cooperative bool // all blocks run at once
	PDL         bool // it may start before the kernel before it has ended

	Args  []uint64    // by parameter
	Bytes map[int]int // by parameter that is an array of bytes: the host function's parameter that it is
	Pos   token.Position
}

// Host runs the host function and gives its results. launch does what launch instructions ask for; its result is the
// launch's token.
func (p *Program) Host(ctx context.Context, args []uint64, launch func(*HostLaunch) (uint64, error), stdout io.Writer) ([]uint64, error) {
	f := p.host
	if f == nil {
		return nil, fmt.Errorf("module %s has no host function", p.name)
	}
	r := &run{Launch: &Launch{Kernel: f.def.Name, Grid: [3]int{1, 1, 1}, Memory: &Memory{}, Stdout: stdout}, fn: f, threads: 1, onLaunch: launch}
	var err error
	if r.params, err = f.pack(args, nil); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { r.stopped.Store(true) })
	defer stop()
	c := newCluster(r)
	c.begin(0)
	for done := false; !done && !r.stopped.Load(); {
		if done, err = c.step(stepSize); err != nil {
			return nil, err
		}
	}
	if r.launchErr != nil {
		return nil, r.launchErr
	}
	return r.results, ctx.Err()
}

// hostLaunch decodes the pseudo-instruction launch.
func hostLaunch(d *decoder) exec {
	l := d.in.Launch
	if l == nil || !d.def.Host {
		d.fail("only a host function can launch, and launch must name a kernel")
		return nil
	}
	optional := func(o simt.Operand, bits int) int {
		if o.Kind == simt.None {
			return d.constant(0)
		}
		return d.src1(o, bits)
	}
	var grid [3]int
	for i, o := range l.Grid {
		grid[i] = optional(o, 64)
	}
	shared, stream := optional(l.Shared, 64), optional(l.Stream, 64)
	var after, args []int
	for _, o := range l.After {
		after = append(after, d.src1(o, 64))
	}
	var bytes map[int]int
	for i := len(d.in.Dst); i < len(d.ops); i++ {
		if p, ok := d.params[d.ops[i].Name]; ok && d.ops[i].Kind == simt.Symbol {
			if bytes == nil {
				bytes = map[int]int{}
			}
			bytes[len(args)] = p.index
		}
		args = append(args, d.launchArg(i))
	}
	dst := d.sink
	if len(d.in.Dst) == 1 {
		dst = d.dst(0)
	}
	pos := d.in.Pos
	return func(w *warp, _ uint32) {
		h := &HostLaunch{Kernel: l.Kernel, Shared: int(w.v[shared][0]), Stream: w.v[stream][0], Async: l.Async,
			Cooperative: l.Cooperative, PDL: l.PDL, Bytes: bytes, Pos: pos}
		for i, g := range grid {
			h.Grid[i] = int(w.v[g][0])
		}
		for _, a := range after {
			h.After = append(h.After, w.v[a][0])
		}
		for _, a := range args {
			h.Args = append(h.Args, w.hostValue(a))
		}
		r := w.block.cluster.run
		token, err := r.onLaunch(h)
		if err != nil {
			r.launchErr = err
			w.event, w.taken = ended, 1
			return
		}
		w.v[dst][0] = token
	}
}

// launchArg gives the index of an argument: the complement of the index of a predicate.
func (d *decoder) launchArg(i int) int {
	if d.isPred(i) {
		return ^d.psrc(i).index
	}
	return d.src(i, 64)
}

// hostValue reads what launchArg or result named.
func (w *warp) hostValue(index int) uint64 {
	if index < 0 {
		return uint64(w.p[^index] & 1)
	}
	return w.v[index][0]
}
