package gomlx_test

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"

	bridge "github.com/cutile-go/cutile/bridge/gomlx"
	"github.com/cutile-go/cutile/device"
	"github.com/gomlx/gomlx/backends"
)

// TestLeaks executes a computation with constants and memory between kernels a thousand times, in every way that inputs are
// given, and fails to execute it as often: the device's memory is what it was before, and stays below a bound on the way.
func TestLeaks(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the collector would close what the back end forgets
	const executions = 1000
	b := open(t)
	dev := b.(*bridge.Backend).Device()
	good, wrong := of(make([]float32, 64*64), 64, 64), of(make([]float32, 64), 64)
	empty := memory(t, dev)
	exec := compile(t, b, func(b backends.Builder, x []backends.Op) []backends.Op {
		y := op(b.Dot(x[0], op(b.Constant(make([]float32, 64*64), 64, 64))))
		return []backends.Op{op(b.Dot(y, op(b.Exp(y)))), x[1]}
	}, good, good)
	fail := func(t *testing.T, in []backends.Buffer, donate []bool) {
		if _, err := exec.Execute(in, donate, 0); err == nil {
			t.Fatal("no error")
		}
	}
	succeed := func(t *testing.T, in []backends.Buffer, donate []bool) {
		out, err := exec.Execute(in, donate, 0)
		if err != nil {
			t.Fatal(err)
		}
		finalize(t, b, out...)
	}
	succeed(t, upload(t, b, good, good), []bool{true, true}) // makes the memory between kernels
	before := memory(t, dev)
	if before <= empty {
		t.Errorf("a computation with a constant takes %d bytes, the device alone %d", before, empty)
	}
	for _, c := range []struct {
		name   string
		inputs []array
		donate []bool
		run    func(t *testing.T, in []backends.Buffer, donate []bool)
	}{
		{"kept", []array{good, good}, nil, succeed},
		{"donated", []array{good, good}, []bool{true, true}, succeed},
		{"one donated", []array{good, good}, []bool{false, true}, succeed},
		{"wrong and kept", []array{good, wrong}, nil, fail},
		{"wrong and donated", []array{good, wrong}, []bool{true, true}, fail},
		{"too few", []array{good}, []bool{true}, fail},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i := range executions {
				in := upload(t, b, c.inputs...)
				c.run(t, in, c.donate)
				for j, x := range in {
					if c.donate == nil || !c.donate[j] {
						finalize(t, b, x)
					}
				}
				if i%100 == 99 {
					if now := memory(t, dev); now != before {
						t.Fatalf("after %d executions %d bytes are in use, before them %d", i+1, now, before)
					}
				}
			}
		})
	}
	late := upload(t, b, good, good)
	exec.Finalize()
	exec.Finalize()
	fail(t, late, []bool{true, true})
	if now := memory(t, dev); now != empty {
		t.Errorf("without the computation %d bytes are in use, at the beginning %d", now, empty)
	}
	if peak := dev.Stats().PeakBytes; peak > 500*64*64*4 {
		t.Errorf("up to %d bytes were in use: 100 executions were to need less", peak)
	}
}

// memory gives the bytes of the device that are in use when its work has ended.
func memory(t *testing.T, dev *device.Device) int64 {
	t.Helper()
	if err := dev.Sync(context.Background()); err != nil {
		t.Fatal(err)
	}
	probe, err := device.NewTensor[float32](dev, 0) // frees what was closed
	if err != nil {
		t.Fatal(err)
	}
	probe.Close()
	return dev.Stats().MemoryBytes
}

func finalize(t *testing.T, b backends.Backend, buffers ...backends.Buffer) {
	t.Helper()
	for _, x := range buffers {
		if err := b.BufferFinalize(x); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFinalizeWhileExecuting: executions beside Finalize succeed or say why not, and leave nothing.
func TestFinalizeWhileExecuting(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	b := open(t)
	dev := b.(*bridge.Backend).Device()
	empty := memory(t, dev)
	for range 5 {
		a := of([]float32{1, 2, 3, 4}, 2, 2)
		exec := compile(t, b, func(b backends.Builder, x []backends.Op) []backends.Op {
			return []backends.Op{op(b.Dot(x[0], op(b.Constant([]float32{1, 1, 0, 1}, 2, 2))))}
		}, a)
		var all sync.WaitGroup
		var executions atomic.Int64
		for range 4 {
			all.Go(func() {
				for {
					out, err := exec.Execute(upload(t, b, a), []bool{true}, 0)
					if err != nil {
						fails(t, err, "the computation was finalized")
						return
					}
					executions.Add(1)
					same(t, "product", download(t, b, out[0]), []float32{1, 3, 3, 7}, 2, 2)
					finalize(t, b, out...)
				}
			})
		}
		for executions.Load() < 20 {
			runtime.Gosched()
		}
		exec.Finalize()
		all.Wait()
		if now := memory(t, dev); now != empty {
			t.Fatalf("%d bytes are in use, at the beginning %d", now, empty)
		}
	}
}
