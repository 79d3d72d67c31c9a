package cuda_test

import (
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// TestEarlyStart: a kernel may start before the one before it has ended where each of its blocks waits for that one, and
// only there.
func TestEarlyStart(t *testing.T) {
	early := cudrv.LaunchAttribute{ID: cudrv.ProgrammaticSerialization, Value: [16]uint32{1}}
	for _, c := range []struct {
		name, body string
		attrs      []cudrv.LaunchAttribute
	}{
		{"waits", "%t = gdc_wait_tko -> token", []cudrv.LaunchAttribute{early}},
		{"waits in a branch", "%c = constant <i1: true> : tile<i1>\n if %c {\n%t = gdc_wait_tko -> token\n}", nil},
		{"lets others start", "%t = gdc_launch_dependents_tko -> token", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := text.Parse("entry @k() {\n"+c.body+"\nreturn\n}", text.ParseOptions{})
			check(t, err)
			check(t, m.Verify(tileir.V13_4))
			drv, d := open(t, fake.Options{Run: func(*fake.Launch) error { return nil }})
			k, err := d.Compile(background, m, "k")
			check(t, err)
			s := newStream(t, d)
			check(t, s.Launch(k, one, nil))
			check(t, s.Wait(background))
			call := launchOf(t, drv)
			got, _ := call.Args[len(call.Args)-1].([]cudrv.LaunchAttribute)
			if !slices.Equal(got, c.attrs) {
				t.Errorf("%v has attributes %v, want %v", call, got, c.attrs)
			}
		})
	}
}

// TestEarlyStartOfOldDrivers: a driver that cannot start kernels early starts them in order.
func TestEarlyStartOfOldDrivers(t *testing.T) {
	m, err := text.Parse("entry @k() {\n%t = gdc_wait_tko -> token\nreturn\n}", text.ParseOptions{})
	check(t, err)
	ran := 0
	drv, d := open(t, fake.Options{Run: func(*fake.Launch) error { ran++; return nil }})
	k, err := d.Compile(background, m, "k")
	check(t, err)
	drv.Fail("cuLaunchKernelEx", 1, cudrv.NotFound)
	s := newStream(t, d)
	check(t, s.Launch(k, one, nil))
	check(t, s.Wait(background))
	if call := launchOf(t, drv); ran != 1 || call.Name != "cuLaunchKernel" {
		t.Errorf("the kernel ran %d times, the last by %v", ran, call)
	}
}

// launchOf is the last launch.
func launchOf(t *testing.T, drv *fake.Driver) *fake.Call {
	t.Helper()
	calls := drv.Trace()
	for _, c := range slices.Backward(calls) {
		if c.Name == "cuLaunchKernel" || c.Name == "cuLaunchKernelEx" {
			return c
		}
	}
	t.Fatalf("no launch in %v", calls)
	return nil
}
