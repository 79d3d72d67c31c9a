package conformance

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/testing/simttest"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// driven are the GPUs of [TestDriver], with their drivers: the oldest ones that are taken, and newer ones.
var driven = []simttest.GPU{
	{Device: fake.Device{Major: 7, Minor: 5}, CUDA: 11040},
	{Device: fake.Device{Major: 8, Minor: 9}, CUDA: 12000},
	{Device: fake.Device{Major: 9}, CUDA: 13040},
	{Device: fake.Device{Major: 10}, CUDA: 12080},
	{Device: fake.Device{Major: 12, Minor: 1}, CUDA: 13040},
}

// TestDriver runs cases through the whole CUDA engine and the text of PTX, on drivers that read the text: each case on one of the GPUs.
func TestDriver(t *testing.T) {
	testenv.Alone(t)
	cases, err := chosen()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("CUTILE_CACHE", t.TempDir())
	for i, c := range cases {
		if testing.Short() && i%7 != 0 {
			continue
		}
		gpu, way := &driven[i%len(driven)], []Way{Direct, Replayed}[i/len(driven)%2]
		t.Run(c.Name, func(t *testing.T) { onDriver(t, &c, gpu.Device, gpu.CUDA, way) })
	}
}

// TestDriverWide runs large products on GPUs with warp groups: with a driver that makes tensor maps, and with one that is too old.
func TestDriverWide(t *testing.T) {
	testenv.Alone(t)
	t.Setenv("CUTILE_CACHE", t.TempDir())
	for i, c := range wideProducts() {
		if testing.Short() && i%4 != 0 {
			continue
		}
		for _, version := range []int{12000, 11080} {
			t.Run(fmt.Sprint(c.Name, " ", version), func(t *testing.T) { onDriver(t, &c, fake.Device{Major: 9}, version, Replayed) })
		}
	}
}

func onDriver(t *testing.T, c *Case, d fake.Device, version int, way Way) {
	out := &Output{}
	gpu := simttest.GPU{Device: d, CUDA: version, Output: out}
	gpu.Device.Memory = 1 << 30
	runDriven(t, c, &gpu, out, nil, way)
}

// runDriven runs a case on a GPU of its own, as a fault loses the context. It gives what the engine said of where code is from.
func runDriven(t *testing.T, c *Case, gpu *simttest.GPU, out *Output, cubins fs.FS, way Way) (from []string) {
	s := c.Setup(c.Seed())
	if s.Fault != nil && strings.HasPrefix(s.Fault.Text, "a promise") {
		t.Skip("engines but that of the CPU trust promises")
	}
	drv := gpu.Driver()
	eng, err := cuda.Open(0, cuda.Options{Driver: drv, Choice: cuda.AssemblerOwn, Cubins: cubins})
	if err != nil {
		t.Fatal(err)
	}
	d, err := device.Open(eng, limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	r := &Runner{Device: d}
	ctx := engine.Noting(t.Context(), func(what, value string) {
		if what == "code" {
			from = append(from, value)
		}
	})
	if err := r.Run(ctx, c, []Way{way}); err != nil {
		t.Errorf("%s: %v\n%v", gpu.Device.Target(), err, gpu.Faults())
	}
	once := out.take()
	if half := once[:len(once)/2]; half+half == once { // the case ran twice, the second time with what the launch proves
		once = half
	}
	if err := checkPrints(once, s.Prints); err != nil && s.Fault == nil {
		t.Error(err)
	}
	if err := d.Close(); (err != nil) != (s.Fault != nil) {
		t.Errorf("Close: %v", err)
	}
	if leaks := drv.Leaks(); len(leaks) > 0 {
		t.Errorf("leaks: %v", leaks)
	}
	return from
}
