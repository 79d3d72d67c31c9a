package conformance

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/engine/shadow"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/testing/simttest"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
)

// withState are the cases whose kernels have a variable that may change, so that their launches are not compared.
var withState = map[string]bool{"global/table": true, "global/count": true}

// TestShadow runs every eleventh case, or with CUTILE_OWN=all every case, on a driver that runs PTX, with each launch compared with the CPU:
// what is right there does not differ.
func TestShadow(t *testing.T) {
	cases, err := chosen()
	if err != nil {
		t.Fatal(err)
	}
	every := 11
	switch {
	case threadtest.All():
		every = 1
	case testing.Short():
		every = 44
	}
	t.Setenv("CUTILE_CACHE", t.TempDir())
	var compared, left int64
	for i, c := range cases {
		if fault := c.Setup(c.Seed()).Fault; i%every != 0 || fault != nil && strings.HasPrefix(fault.Text, "a promise") {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			n := onShadow(t, &c)
			compared, left = compared+n.Compared, left+n.Left
		})
	}
	t.Logf("%d launches were compared, and %d were not", compared, left)
}

// onShadow runs a case on a GPU of its own.
func onShadow(t *testing.T, c *Case) device.Stats {
	gpu := simttest.GPU{Device: fake.Device{Major: 9, Memory: 1 << 30}, CUDA: 13040}
	eng, err := cuda.Open(0, cuda.Options{Driver: gpu.Driver(), Choice: cuda.AssemblerOwn})
	if err != nil {
		t.Fatal(err)
	}
	d, err := device.Open(shadow.New(eng, engine.Options{Shadow: &engine.Shadow{}}), limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	if err := (&Runner{Device: d}).Run(t.Context(), c, []Way{Direct}); err != nil {
		t.Error(err)
	}
	n, fails := d.Stats(), c.Setup(c.Seed()).Fault != nil
	if want := (n.Launches > 0) && !fails && !withState[c.Name]; want != (n.Compared == n.Launches && n.Launches > 0) {
		t.Errorf("of %d launches %d were compared and %d were not", n.Launches, n.Compared, n.Left)
	}
	if err := d.Close(); (err != nil) != fails {
		t.Errorf("Close: %v", err)
	}
	return n
}
