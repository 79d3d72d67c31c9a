package cpu_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/native/host"
)

// TestTwins: a launch whose twins give the same leaves what a launch without twins leaves.
func TestTwins(t *testing.T) {
	for _, checks := range []bool{false, true} {
		d := newDevice(t, cpu.Options{Workers: 2, CheckAssumes: checks, Twins: true})
		room := upload(t, d, make([]int32, 64))
		if err := launchOn(t, d, increment(t, 16, 64).compile(d), room.Address()); err != nil {
			t.Errorf("checks: %v: %v", checks, err)
		}
		if got := elems[int32](room); !slices.Equal(got, slices.Repeat([]int32{1}, 64)) {
			t.Errorf("checks: %v: it leaves %v", checks, got)
		}
	}
}

// TestTwinsDiffer: a launch fails if one of its twins does something else, whichever that is.
func TestTwinsDiffer(t *testing.T) {
	for number, level := range host.Levels() {
		d := newDevice(t, cpu.Options{Workers: 2, Twins: true})
		room := upload(t, d, make([]int32, 64))
		k := increment(t, 16, 64).compile(d)
		cpu.SetTwin(k, number, increment(t, 16, 63).compile(d))
		if err := launchOn(t, d, k, room.Address()); err == nil || !strings.Contains(err.Error(), "BUG: ") || !strings.Contains(err.Error(), "element 63 (i32)") {
			t.Errorf("the launch ends with %v, although the twin of level %v leaves out the last element", err, level)
		}
	}
}

// TestTwinsStayInside: a launch fails if its memory says that something beside it was written.
func TestTwinsStayInside(t *testing.T) {
	d := newDevice(t, cpu.Options{Twins: true, Memory: func(n int) ([]byte, func() error, error) {
		return make([]byte, n), func() error { return errors.New("byte -1 was written") }, nil
	}})
	room := upload(t, d, make([]int32, 64))
	if err := launchOn(t, d, increment(t, 16, 64).compile(d), room.Address()); err == nil || !strings.Contains(err.Error(), "byte -1 was written") {
		t.Errorf("the launch ends with %v", err)
	}
}

// launchOn runs a kernel of one parameter in four blocks.
func launchOn(t *testing.T, d *cpu.Device, k engine.Kernel, address uint64) error {
	t.Helper()
	s := newStream(t, d)
	if err := s.Launch(k, [3]uint32{4, 1, 1}, []uint64{address}); err != nil {
		t.Fatal(err)
	}
	return s.Wait(t.Context())
}
