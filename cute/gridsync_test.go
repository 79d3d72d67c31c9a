package cute_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
)

// TestGridSync runs a kernel whose blocks wait for each other, with more blocks than the emulator runs at once otherwise, on the CPU and
// on a GPU, and again with the same barrier from a graph of launches.
func TestGridSync(t *testing.T) {
	cpu, _ := open(t)
	drv, gpu := openFake(t, 13040)
	for name, dev := range map[string]*cutile.Device{"cpu": cpu, "cuda": gpu} {
		t.Run(name, func(t *testing.T) {
			const blocks, steps = 100, 3
			x := must(cutile.NewTensor[int32](dev, 4*blocks))(t)
			y, bar := must(cutile.NewTensor[int32](dev, 4*blocks))(t), must(cutile.NewTensor[uint32](dev, 1))(t)
			want := make([]int32, 4*blocks)
			for i := range want {
				want[i] = int32(i * i)
			}
			check(t, x.Write(t.Context(), want))
			rotate := func() error {
				return cute.Jit(runRotate)(cute.Of[int32](x), cute.Of[int32](y), cute.Of[uint32](bar), blocks, steps)
			}
			stream := dev.Stream()
			g := must(stream.Capture(rotate))(t)
			for _, run := range []func() error{rotate, func() error { return g.Replay(stream) }} {
				check(t, run())
				for range steps {
					want = append(want[len(want)-1:], want[:len(want)-1]...)
					for i := range want {
						want[i]++
					}
				}
				if got := must(x.Slice())(t); !slices.Equal(got, want) {
					t.Fatalf("got %v, want %v", got, want)
				}
			}
		})
	}
	launches := attributed(t, drv)
	if want := (cudrv.LaunchAttribute{ID: cudrv.Cooperative, Value: [16]uint32{1}}); len(launches) != 2 || launches[0] != want || launches[1] != want {
		t.Errorf("launches with attributes %v, want two with %v", launches, want)
	}
}

// attributed lists the attributes of the launches on a GPU, each of which must have one.
func attributed(t *testing.T, drv *fake.Driver) (all []cudrv.LaunchAttribute) {
	t.Helper()
	for _, c := range drv.Trace() {
		switch c.Name {
		case "cuLaunchKernel":
			t.Errorf("a launch without an attribute: %v", c)
		case "cuLaunchKernelEx":
			attrs := c.Args[len(c.Args)-1].([]cudrv.LaunchAttribute)
			if len(attrs) != 1 {
				t.Errorf("a launch with the attributes %v", attrs)
			}
			all = append(all, attrs...)
		}
	}
	return all
}

// TestCooperativeTooLarge launches more blocks than can run at once.
func TestCooperativeTooLarge(t *testing.T) {
	cpu, _ := open(t)
	_, gpu := openFake(t, 13040)
	for dev, want := range map[*cutile.Device][]string{
		cpu: {"kernel rotate: a cooperative launch runs all blocks at once, which are 5000 blocks, but the most are 1024"},
		gpu: {"kernel rotate", "the GPU runs 4224 of them, 32 on each of 132 multiprocessors: launch no more"},
	} {
		x, bar := must(cutile.NewTensor[int32](dev, 20000))(t), must(cutile.NewTensor[uint32](dev, 1))(t)
		err := cute.Jit(runRotate)(cute.Of[int32](x), cute.Of[int32](x), cute.Of[uint32](bar), 5000, 1)
		if err == nil {
			err = dev.Sync(t.Context())
		}
		wantError(t, err, want...)
		if strings.Contains(err.Error(), "kernel rotate: kernel rotate") {
			t.Errorf("the error names its kernel twice: %v", err)
		}
	}
}

// TestNotCooperative: a kernel whose blocks wait for each other is refused in a launch that may not run all of them at once.
func TestNotCooperative(t *testing.T) {
	dev, _ := open(t)
	x, bar := must(cutile.NewTensor[int32](dev, 8))(t), must(cutile.NewTensor[uint32](dev, 1))(t)
	wantError(t, cute.Jit(runAlone)(cute.Of[int32](x), cute.Of[uint32](bar)), "gridsync_kernels_test.go:12", "set Cooperative in the cute.Launch of this kernel")
}

// TestCooperativeOfOldDrivers: a driver that knows no cooperative launches refuses, and runs nothing.
func TestCooperativeOfOldDrivers(t *testing.T) {
	drv, dev := openFake(t, 13040)
	drv.Fail("cuLaunchKernelEx", 1, cudrv.NotFound)
	x, bar := must(cutile.NewTensor[int32](dev, 8))(t), must(cutile.NewTensor[uint32](dev, 1))(t)
	wantError(t, cute.Jit(runRotate)(cute.Of[int32](x), cute.Of[int32](x), cute.Of[uint32](bar), 2, 1), "rotate", "CUDA_ERROR_NOT_FOUND")
}

// TestPDL launches kernels that may start before the ones before them have ended.
func TestPDL(t *testing.T) {
	cpu, _ := open(t)
	drv, gpu := openFake(t, 13040)
	for name, dev := range map[string]*cutile.Device{"cpu": cpu, "cuda": gpu} {
		t.Run(name, func(t *testing.T) {
			x := must(cutile.FromSlice(dev, []int32{0, 1, 2, 3}))(t)
			check(t, cute.Jit(runEarly)(cute.Of[int32](x), cute.C(true), true))
			if got := must(x.Slice())(t); !slices.Equal(got, []int32{3, 7, 11, 15}) {
				t.Errorf("got %v", got)
			}
			wantError(t, cute.Jit(runEarly)(cute.Of[int32](x), cute.C(false), true), "gridsync_kernels_test.go:38",
				"so startsEarly must call cute.GridWait on every path, but does not")
			wantError(t, cute.Jit(runBoth)(cute.Of[int32](x), true), "gridsync_kernels_test.go:", "PDL of a launch must be known when the function is compiled")
		})
	}
	launches := attributed(t, drv)
	if want := (cudrv.LaunchAttribute{ID: cudrv.ProgrammaticSerialization, Value: [16]uint32{1}}); len(launches) != 2 || launches[0] != want || launches[1] != want {
		t.Errorf("launches with attributes %v, want two with %v", launches, want)
	}
}

// TestOccupancy asks how many blocks run at once.
func TestOccupancy(t *testing.T) {
	cpu := must(cutile.Open("cpu", cutile.WithWorkers(4)))(t)
	defer cpu.Close()
	_, gpu := openFake(t, 13040)
	for dev, want := range map[*cutile.Device]cutile.Occupancy{
		cpu: {Blocks: 256, Multiprocessors: 4, Threads: 4},
		gpu: {Blocks: 32, Multiprocessors: 132, Threads: 4, Registers: 32},
	} {
		x, bar := must(cutile.NewTensor[int32](dev, 8))(t), must(cutile.NewTensor[uint32](dev, 1))(t)
		e := must(cute.Compile(t.Context(), cute.Jit(runRotate), x, x, bar, 2, 1))(t)
		all := must(e.Occupancy(t.Context(), dev))(t)
		if len(all) != 1 || all[0] != want || all[0].Resident() != want.Blocks*want.Multiprocessors {
			t.Errorf("%v: %+v, want %+v", dev, all, want)
		}
		other := gpu
		if dev == gpu {
			other = cpu
		}
		_, err := e.Occupancy(t.Context(), other)
		wantError(t, err, "was compiled for "+map[bool]string{true: "sm_90", false: "cpu"}[dev == gpu])
		_, err = e.Occupancy(t.Context(), nil)
		wantError(t, err, "the device is nil")
		check(t, e.Close())
		_, err = e.Occupancy(t.Context(), dev)
		wantError(t, err, "closed")
	}
}

// TestGridSyncDeadlock: where the blocks that are left wait for one that has ended, the launch ends with the line; a block that only takes long is
// waited for.
func TestGridSyncDeadlock(t *testing.T) {
	const turns = 10_000
	for _, c := range []struct {
		name                         string
		blocks, threads, stray, late int
		want                         string
	}{
		{"one ends", 4, 1, 3, -1, "3 of 4 blocks wait until all have called GridSync, here or elsewhere, and the others have ended"},
		{"one ends, others have several warps", 5, 70, 0, -1, "4 of 5 blocks"},
		{"one ends after long", 4, 33, 2, 2, "3 of 4 blocks"},
		{"more blocks than workers run otherwise", 100, 1, 50, -1, "99 of 100 blocks"},
		{"none ends, one comes late", 4, 64, -1, 1, ""},
	} {
		t.Log(c.name)
		for _, options := range [][]cutile.Option{{cutile.WithWorkers(1)}, {cutile.WithWorkers(3)}, {cutile.WithWorkers(2), cutile.WithChecks()}} {
			dev := must(cutile.Open("cpu", options...))(t)
			x, bar := must(cutile.NewTensor[int32](dev, c.blocks))(t), must(cutile.NewTensor[uint32](dev, 2))(t)
			err := cute.Jit(runStrays)(cute.Of[int32](x), cute.Of[uint32](bar), c.blocks, cute.C(c.threads), c.stray, c.late, turns)
			if err == nil {
				err = dev.Sync(t.Context())
			}
			if c.want == "" {
				check(t, err)
			} else {
				wantError(t, err, "gridsync_kernels_test.go:68", "kernel strays", "deadlock: "+c.want)
			}
			dev.Close()
		}
	}
}
