package graph_test

import (
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/limit"
)

// TestProfile measures a program of two kernels, and runs it again, as a profile changes nothing.
func TestProfile(t *testing.T) {
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	g := graph.New()
	x := g.Parameter("x", dtype.F32, 8, 16)
	y := graph.MatMul(graph.Softmax(x, 1), graph.Transpose(x, 1, 0))
	p, err := g.Compile(t.Context(), dev, y)
	if err != nil {
		t.Fatal(err)
	}
	ones, err := device.Full[float32](dev, 1, 8, 16)
	if err != nil {
		t.Fatal(err)
	}
	profile, err := p.Profile(t.Context(), dev, ones)
	if err != nil {
		t.Fatal(err)
	}
	if len(profile) != 2 {
		t.Fatalf("a profile of %d kernels, expected 2: %v", len(profile), profile)
	}
	for _, k := range profile {
		if k.Time <= 0 || k.Operations <= 0 || k.Bytes <= 0 {
			t.Errorf("kernel %s takes %v for %d operations and %d bytes", k.Kernel, k.Time, k.Operations, k.Bytes)
		}
	}
	if text := profile.String(); !strings.Contains(text, "kernel dot(") || !strings.Contains(text, "in 2 kernels") {
		t.Errorf("the table lacks the product or the sum:\n%s", text)
	}
	if _, err := p.Profile(t.Context(), dev); err == nil || !strings.Contains(err.Error(), "0 arguments, expected 1") {
		t.Errorf("without arguments: %v", err)
	}
	out, err := p.Run(t.Context(), dev, ones)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := out[0].(*device.Tensor[float32]).Slice(); err != nil || got[0] != 1 {
		t.Errorf("the mean of ones is %v, %v", got, err)
	}
}

// slow is the CPU's engine, of which each launch takes longer than a step must be measured, and the first ones of a profile much longer.
type slow struct {
	engine.Device
	launches atomic.Int64
	first    atomic.Int64 // the number of launches that take longest
}

// The times that launches take at least.
const (
	usual   = 6 * time.Millisecond
	longest = 300 * time.Millisecond
)

func (d *slow) NewStream() (engine.Stream, error) {
	s, err := d.Device.NewStream()
	return slowStream{s, d}, err
}

type slowStream struct {
	engine.Stream
	of *slow
}

func (s slowStream) Launch(k engine.Kernel, grid [3]uint32, args []uint64) error {
	if s.of.launches.Add(1) <= s.of.first.Load() {
		time.Sleep(longest)
	} else {
		time.Sleep(usual)
	}
	return s.Stream.Launch(k, grid, args)
}

// TestProfileRuns: a profile has the least time of as many runs as are asked for.
func TestProfileRuns(t *testing.T) {
	eng := &slow{Device: cpu.New(cpu.Options{Workers: 1})}
	dev, err := device.New(eng, limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	g := graph.New()
	x := g.Parameter("x", dtype.F32, 8, 16)
	p, err := g.Compile(t.Context(), dev, graph.MatMul(graph.Softmax(x, 1), graph.Transpose(x, 1, 0)))
	if err != nil {
		t.Fatal(err)
	}
	in, err := device.Full[float32](dev, 1, 8, 16)
	if err != nil {
		t.Fatal(err)
	}
	for _, runs := range []int{1, 2, 4} {
		eng.launches.Store(0)
		eng.first.Store(2)
		profile, err := p.ProfileRuns(t.Context(), dev, runs, in)
		if err != nil {
			t.Fatal(err)
		}
		if n := eng.launches.Load(); n != int64(2*runs) {
			t.Errorf("%d runs of 2 kernels have %d launches", runs, n)
		}
		for _, k := range profile {
			if k.Time < usual || (k.Time >= longest) != (runs == 1) {
				t.Errorf("the least of %d runs, of which the first takes %v and another %v, is %v", runs, longest, usual, k.Time)
			}
		}
	}
	eng.launches.Store(0)
	if _, err := p.Profile(t.Context(), dev, in); err != nil || eng.launches.Load() != 2*graph.DefaultRuns {
		t.Errorf("a profile has %d launches (%v), expected %d", eng.launches.Load(), err, 2*graph.DefaultRuns)
	}
	for _, runs := range []int{0, -1} {
		if _, err := p.ProfileRuns(t.Context(), dev, runs, in); err == nil || !strings.Contains(err.Error(), "expected at least 1") {
			t.Errorf("a profile of %d runs: %v", runs, err)
		}
	}
}

// TestProfileLoop: a profile of several runs gives back the memory that loops make in each of them.
func TestProfileLoop(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the collector would find what a run forgets
	eng, dev := countingDevice(t)
	g := graph.New()
	out := looked(g)
	p, err := g.Compile(t.Context(), dev, graph.Add(out[0], out[0]))
	if err != nil {
		t.Fatal(err)
	}
	table, err := device.Full[float32](dev, 0.75, 10, 4)
	if err != nil {
		t.Fatal(err)
	}
	at, err := device.FromSlice(dev, []int32{0, 4, 9})
	if err != nil {
		t.Fatal(err)
	}
	var left []int64
	for _, runs := range []int{1, 5, 5} {
		profile, err := p.ProfileRuns(t.Context(), dev, runs, table, at)
		if err != nil || len(profile) != 3 {
			t.Fatalf("the profile is %v (%v), expected two kernels and a loop", profile, err)
		}
		left = append(left, settled(t, eng, dev))
	}
	if left[1] != left[0] || left[2] != left[0] {
		t.Errorf("after profiles of 1, 5 and 5 runs there are %v memories", left)
	}
}
