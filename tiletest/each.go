package tiletest

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/native/host"
)

// Each runs a test on every engine of the machine, each as a subtest with a device of its own:
//   - checks/forward, checks/backward and checks/shuffled: the CPU with checks, on one device, so that the blocks of a
//     kernel that the test launches once run in these orders; of a kernel that it launches more often, the orders follow each other;
//   - cpu/interpreter, and cpu/avx2, cpu/avx512 or cpu/neon, as far as the machine has them: the CPU without checks, with
//     the environment variable CUTILE_CPU set;
//   - each GPU, such as cuda:0. Vulkan drivers that compute on the CPU are left out, but for the one that CUTILE_DEVICE names.
//
// Options are those of every device; a cutile.WithChecks among them makes the CPU interpret everything. The subtests do not run in
// parallel. Each has a name of its own in go test -run.
func Each(t *testing.T, test func(t *testing.T, dev *cutile.Device), opts ...cutile.Option) {
	t.Helper()
	t.Run("checks", func(t *testing.T) {
		dev := opened(t, "cpu", append(slices.Clone(opts), cutile.WithChecks())...)
		for _, order := range []string{"forward", "backward", "shuffled"} {
			t.Run(order, func(t *testing.T) { test(t, dev) })
		}
	})
	for _, level := range host.Levels() {
		t.Run("cpu/"+level.String(), func(t *testing.T) {
			t.Setenv("CUTILE_CHECKS", "off")
			t.Setenv(host.Env, level.String())
			test(t, opened(t, "cpu", opts...))
		})
	}
	names := cutile.Devices()
	for i, name := range names {
		software := strings.HasPrefix(name, "vulkan") && i > slices.Index(names, "cpu") && name != os.Getenv("CUTILE_DEVICE")
		if !strings.HasPrefix(name, "cpu") && !software {
			t.Run(name, func(t *testing.T) { test(t, opened(t, name, opts...)) })
		}
	}
}

// opened opens a device for a test. Its end waits for the work, and errors that nobody asked for fail the test.
func opened(t *testing.T, name string, opts ...cutile.Option) *cutile.Device {
	t.Helper()
	dev, err := cutile.Open(name, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}
