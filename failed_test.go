package cutile_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/testing/simttest"
	"github.com/cutile-go/cutile/tile"
)

// TestPeerFailed: who reads what a GPU has made of another one's failed work gets the error, also by way of several devices, and who waits for the
// stream, once. What was copied before can be read.
func TestPeerFailed(t *testing.T) {
	for _, tells := range []string{"Slice", "Sync", "a pinned copy"} {
		_, a, b := twoGPUs(t, fake.Options{Run: func(l *fake.Launch) error {
			if len(l.Args) == 0 || l.Device == 0 && l.Grid[0] == 3 {
				time.Sleep(10 * time.Millisecond)
				return errors.New("boom")
			}
			return runDouble(l)
		}})
		ctx := t.Context()
		x, y, before := ramp(t, a, 48), zeros[float32](t, b, 48), zeros[float32](t, b, 48)
		must(t, before.Copy(ctx, x))
		holds(t, "what was copied before", before.Narrow(0, 0, 3), "[1 2 3]")
		must(t, cutile.Launch(ctx, a.Grid(3), double[tile.D16], x)) // fails
		must(t, y.Copy(ctx, x))
		must(t, cutile.Launch(ctx, b.Grid(2), double[tile.D16], y))
		const want = "the context of cuda:0 and all its memory are lost"
		switch tells {
		case "Slice":
			for range 2 {
				_, err := y.Slice()
				fails(t, err, want, "double")
			}
		case "Sync":
			fails(t, b.Sync(ctx), want)
			must(t, b.Sync(ctx))
		default:
			p := pinned(t, b, 48)
			must(t, p.CopyFrom(ctx, b.Stream(), y))
			fails(t, p.Use(ctx, func([]float32) error { return errors.New("it is called") }), want)
		}
		holds(t, "what was copied before, later", before.Narrow(0, 0, 3), "[1 2 3]")
		fails(t, a.Sync(ctx), want)
	}
}

// failingModel is a model of a device's streams and tensors whose kernels fail.
type failingModel struct {
	streams []*failingStream
	tensors []*failingTensor
}

type failingStream struct {
	on     *cutile.Stream
	failed *incident // of which nobody was told
	deps   []*incident
}

type failingTensor struct {
	x      *cutile.Tensor[float32]
	want   []float32
	by     *failingStream // the last that wrote it
	deps   []*incident    // work that failed, on which the contents depend
	unsure bool           // the program was told, and reads what is there
}

// incident is work that failed.
type incident struct {
	of   *failingStream
	told bool
}

func (i *incident) tell() {
	if i.told = true; i.of.failed == i {
		i.of.failed = nil
	}
}

func union(a, b []*incident, keep func(*incident) bool) []*incident {
	for _, i := range b {
		if keep(i) && !slices.Contains(a, i) {
			a = append(a, i)
		}
	}
	return a
}

func always(*incident) bool   { return true }
func untold(i *incident) bool { return !i.told }

// writes notes work of a stream that reads some tensors and writes another, of which some may stay as it was.
func (s *failingStream) writes(to *failingTensor, part bool, from ...*failingTensor) {
	var deps []*incident
	unsure := false
	for _, f := range from {
		deps = union(deps, f.deps, always)
		unsure = unsure || f.unsure
	}
	if part {
		deps = union(deps, to.deps, untold)
	}
	s.deps = union(s.deps, deps, always)
	if s.failed != nil {
		deps = union(deps, []*incident{s.failed}, always)
	}
	to.deps, to.by, to.unsure = deps, s, unsure
}

// step does something random, on the device and in the model.
func (m *failingModel) step(ctx context.Context, t *testing.T, r *rand.Rand) string {
	s := m.streams[r.IntN(len(m.streams))]
	p := r.Perm(len(m.tensors))
	a, b, c := m.tensors[p[0]], m.tensors[p[1]], m.tensors[p[2]]
	switch r.IntN(8) {
	case 0:
		must(t, cutile.Launch(ctx, s.on.Grid(1), breaks[tile.D16], c.x))
		if s.failed == nil {
			s.failed = &incident{of: s}
		}
		s.writes(c, true, c)
		return "fail"
	case 1:
		must(t, c.x.Copy(ctx, a.x))
		copy(c.want, a.want)
		c.by.writes(c, false, a)
		return "copy"
	case 2:
		c.want = slices.Repeat([]float32{float32(r.IntN(5))}, 16)
		must(t, c.x.Write(ctx, c.want))
		c.by.writes(c, false)
		return "write"
	case 3:
		m.sync(ctx, t, s)
		return "sync"
	}
	must(t, cutile.Launch(ctx, s.on, add[tile.D16], a.x, b.x, c.x))
	for i := range c.want {
		c.want[i] = a.want[i] + b.want[i]
	}
	s.writes(c, true, a, b)
	return "add"
}

// sync waits for a stream, which tells of all that its work depends on.
func (m *failingModel) sync(ctx context.Context, t *testing.T, s *failingStream) {
	t.Helper()
	fails := s.failed != nil || len(s.deps) > 0
	if err := s.on.Sync(ctx); (err != nil) != fails {
		t.Fatalf("Sync gives %v; an error was to come: %v", err, fails)
	}
	if s.failed != nil {
		s.failed.tell()
	}
	for _, i := range s.deps {
		i.tell()
	}
	s.deps = nil
	for _, x := range m.tensors {
		if x.by == s && len(x.deps) > 0 {
			x.deps, x.unsure = nil, true
		}
	}
}

// look reads all tensors. One that does not depend on failed work may tell an error of the stream that wrote it, once.
func (m *failingModel) look(t *testing.T) {
	t.Helper()
	for i, x := range m.tensors {
		got, err := x.x.Slice()
		if err != nil && len(x.deps) == 0 && x.by.failed != nil {
			x.by.failed.tell()
			got, err = x.x.Slice()
		}
		switch {
		case len(x.deps) > 0 && err == nil:
			t.Fatalf("tensor %d depends on failed work, but is %v", i, got[:2])
		case len(x.deps) > 0 && !strings.Contains(err.Error(), "breaks"):
			t.Fatalf("tensor %d gives %v", i, err)
		case len(x.deps) > 0:
			if x.by.failed != nil {
				x.by.failed.tell()
			}
		case err != nil:
			t.Fatalf("tensor %d does not depend on failed work, but gives %v", i, err)
		case !x.unsure && !slices.Equal(got, x.want):
			t.Fatalf("tensor %d is %v, want %v", i, got[:2], x.want[:2])
		}
	}
}

// TestFailedStreams compares random work on several streams, of which some fails, with a model: what depends on it cannot be read without an
// error, and what does not can be read.
func TestFailedStreams(t *testing.T) {
	for _, checks := range []string{"on", "off"} {
		t.Setenv("CUTILE_CHECKS", checks)
		dev, err := cutile.Open("cpu")
		must(t, err)
		ctx, r := t.Context(), rand.New(rand.NewPCG(3, 9))
		for round := range 300 {
			m := &failingModel{streams: []*failingStream{{on: dev.Stream()}}}
			for range 2 {
				s, err := dev.NewStream()
				must(t, err)
				m.streams = append(m.streams, &failingStream{on: s})
			}
			for range 5 {
				want := slices.Repeat([]float32{float32(r.IntN(5))}, 16)
				x, err := cutile.FromSlice(dev, want)
				must(t, err)
				m.tensors = append(m.tensors, &failingTensor{x: x, want: want, by: m.streams[0]})
			}
			var did []string
			for range 1 + r.IntN(12) {
				did = append(did, m.step(ctx, t, r))
				if t.Failed() {
					break
				}
			}
			m.look(t)
			if t.Failed() {
				t.Fatalf("round %d: %v", round, did)
			}
			dev.Sync(ctx) // which may have an error
			must(t, dev.Sync(ctx))
			for _, x := range m.tensors {
				if _, err := x.x.Slice(); err != nil {
					t.Fatalf("round %d: after Sync has told: %v", round, err)
				}
				must(t, x.x.Close())
			}
			must(t, errors.Join(m.streams[1].on.Close(), m.streams[2].on.Close()))
		}
		must(t, dev.Close())
	}
}

// TestFailedReaders: each way to read what other streams made of failed work gives the error, until Sync has told it.
func TestFailedReaders(t *testing.T) {
	another := open(t)
	for name, read := range map[string]func(ctx context.Context, z *cutile.Tensor[float32]) error{
		"Slice": func(_ context.Context, z *cutile.Tensor[float32]) error { _, err := z.Slice(); return err },
		"Item": func(_ context.Context, z *cutile.Tensor[float32]) error {
			_, err := z.Narrow(0, 3, 4).Item()
			return err
		},
		"transposed": func(_ context.Context, z *cutile.Tensor[float32]) error {
			_, err := z.Reshape(4, 4).T().Slice()
			return err
		},
		"WriteTo": func(_ context.Context, z *cutile.Tensor[float32]) error { _, err := z.WriteTo(io.Discard); return err },
		"Share":   func(ctx context.Context, z *cutile.Tensor[float32]) error { _, err := cutile.Share(ctx, z); return err },
		"Freeze":  func(ctx context.Context, z *cutile.Tensor[float32]) error { return z.Freeze(ctx) },
		"Copy": func(ctx context.Context, z *cutile.Tensor[float32]) error {
			return zeros[float32](t, another, 16).Copy(ctx, z)
		},
		"copy on the device": func(ctx context.Context, z *cutile.Tensor[float32]) error {
			c, err := z.Permute(0).Reshape(4, 4).T().Contiguous()
			if err == nil {
				_, err = c.Slice()
			}
			return err
		},
		"pinned": func(ctx context.Context, z *cutile.Tensor[float32]) error {
			p := pinned(t, z.Device(), 16)
			must(t, p.CopyFrom(ctx, z.Device().Stream(), z))
			return p.Use(ctx, func([]float32) error { return nil })
		},
		"event": func(ctx context.Context, z *cutile.Tensor[float32]) error {
			e, err := z.Device().Stream().Record()
			must(t, err)
			return e.Sync(ctx)
		},
		"function of the program": func(ctx context.Context, z *cutile.Tensor[float32]) error {
			s, err := z.Device().NewStream()
			must(t, err)
			use := core.Part{Use: core.Use{Memory: z.Untyped().Memory}, Bytes: 64}
			must(t, s.Internal().Host(ctx, "f", []core.Part{use}, func([][]byte) error { t.Error("it is called"); return nil }))
			return s.Sync(ctx)
		},
		"graph": func(ctx context.Context, z *cutile.Tensor[float32]) error {
			s, err := z.Device().NewStream()
			must(t, err)
			w := zeros[float32](t, z.Device(), 16)
			g, err := s.Capture(func() error { return cutile.Launch(ctx, s, add[tile.D16], z, z, w) })
			must(t, err)
			must(t, g.Replay(s))
			_, err = w.Slice()
			return err
		},
		"a graph that writes it, too": func(ctx context.Context, z *cutile.Tensor[float32]) error {
			s, err := z.Device().NewStream()
			must(t, err)
			w := zeros[float32](t, z.Device(), 16)
			g, err := s.Capture(func() error {
				return errors.Join(cutile.Launch(ctx, s, add[tile.D16], z, z, w), cutile.Launch(ctx, s, scale[tile.D16], w, 2, z))
			})
			must(t, err)
			must(t, g.Replay(s))
			_, err = w.Slice()
			return err
		},
		"Sync":        func(ctx context.Context, z *cutile.Tensor[float32]) error { return z.Device().Stream().Sync(ctx) },
		"Device.Sync": func(ctx context.Context, z *cutile.Tensor[float32]) error { return z.Device().Sync(ctx) },
		"Close":       func(_ context.Context, z *cutile.Tensor[float32]) error { return z.Device().Stream().Close() },
	} {
		for _, told := range []bool{false, true} {
			dev := open(t)
			ctx := t.Context()
			s, err := dev.NewStream()
			must(t, err)
			x, y, z := ramp(t, dev, 16), zeros[float32](t, dev, 16), ramp(t, dev, 16)
			must(t, cutile.Launch(ctx, s.Grid(1), breaks[tile.D16], x))
			must(t, cutile.Launch(ctx, dev, scale[tile.D16], x, 2, y))
			must(t, cutile.Launch(ctx, dev, scale[tile.D16], y, 2, z))
			if told { // to somebody else
				_, err := x.Slice()
				fails(t, err, "breaks")
			}
			err = read(ctx, z)
			if fails(t, err, "breaks", "as it should"); t.Failed() {
				t.Fatalf("%s, told before: %v", name, told)
			}
			if n := strings.Count(err.Error(), "as it should"); n != 1 {
				t.Errorf("%s tells it %d times: %v", name, n, err)
			}
			dev.Sync(ctx) // which may have an error
			must(t, dev.Sync(ctx))
			if _, err := z.Slice(); err != nil {
				t.Errorf("%s, after Sync: %v", name, err)
			}
			must(t, dev.Close())
		}
	}
}

// TestGraphSuspects: where a graph of several kernels fails on a GPU, the error has the name and the place of each, as the program knows them.
func TestGraphSuspects(t *testing.T) {
	ptxGPU(t, &simttest.GPU{Device: fake.Device{Major: 9}, CUDA: 13040, Silent: true})
	dev, err := cutile.Open("cuda", cutile.WithAssembler("own"))
	must(t, err)
	defer dev.Close()
	ctx := t.Context()
	x, z := ramp(t, dev, 64), zeros[float32](t, dev, 64)
	s, err := dev.NewStream()
	must(t, err)
	g, err := s.Capture(func() error {
		return errors.Join(cutile.Launch(ctx, s, scale[tile.D16], x, 2, z), cutile.Launch(ctx, s.Grid(4), breaks[tile.D16], x))
	})
	must(t, err)
	must(t, g.Replay(s))
	fails(t, s.Sync(ctx), "kernel cutile_test.scale[D16] (", "kernels_test.go:", ") or cutile_test.breaks[D16] (")
}
