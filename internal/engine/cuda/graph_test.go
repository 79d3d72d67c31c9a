package cuda_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
)

// launches records launches of a kernel with the given arguments on one stream.
func launches(k engine.Kernel, args ...[]uint64) func([]engine.Stream) error {
	return func(s []engine.Stream) error {
		for _, a := range args {
			if err := s[0].Launch(k, one, a); err != nil {
				return err
			}
		}
		return nil
	}
}

// TestGraph: a graph repeats what was recorded, and other work takes its place, by an update of the driver's graph or by a new one.
func TestGraph(t *testing.T) {
	for _, c := range []struct {
		version int
		updates string // the calls of an update with as many launches
	}{
		{13040, "cuGraphExecUpdate"}, {11040, "cuGraphExecUpdate cuGraphInstantiateWithFlags cuGraphExecDestroy"},
	} {
		drv, d := open(t, fake.Options{Run: runVadd, Version: c.version})
		k, s := compile(t, d), newStream(t, d)
		x, y, z := alloc(t, d, 16), alloc(t, d, 16), alloc(t, d, 16)
		check(t, s.Write(x, 0, floats(1, 2, 3, 4)))
		g, err := d.NewGraph(1, launches(k, vaddArgs(4, x, x, y), vaddArgs(4, y, x, z)))
		check(t, err)
		want := func(b engine.Buffer, all ...float32) {
			t.Helper()
			got := make([]byte, 16)
			check(t, s.Read(background, got, b, 0))
			if !bytes.Equal(got, floats(all...)) {
				t.Errorf("driver %d: the memory is % x, want %v", c.version, got, all)
			}
		}
		want(z, 0, 0, 0, 0)
		replay := s.Replay
		check(t, replay(g))
		want(z, 3, 6, 9, 12)
		check(t, s.Write(x, 0, floats(5, 0, 0, 0)))
		check(t, replay(g))
		want(z, 15, 0, 0, 0)
		drv.ResetTrace()
		check(t, g.Update(1, launches(k, vaddArgs(4, x, x, z), vaddArgs(4, z, z, z))))
		var calls []string
		for _, call := range drv.Names() {
			switch call {
			case "cuGraphExecUpdate", "cuGraphInstantiateWithFlags", "cuGraphExecDestroy":
				calls = append(calls, call)
			}
		}
		if got := strings.Join(calls, " "); got != c.updates {
			t.Errorf("driver %d: an update calls %s, want %s", c.version, got, c.updates)
		}
		check(t, replay(g))
		want(z, 20, 0, 0, 0)
		check(t, g.Update(1, func(s []engine.Stream) error { return s[0].Copy(z, 0, x, 0, 8) })) // other work
		check(t, replay(g))
		want(z, 5, 0, 0, 0)
		if err := g.Update(1, launches(k, nil)); err == nil {
			t.Error("a launch without arguments is recorded")
		}
		check(t, replay(g))
		check(t, g.Close())
		if err := replay(g); !errors.Is(err, cuda.ErrClosed) {
			t.Errorf("replaying a closed graph gives %v", err)
		}
		_, err = d.NewGraph(1, launches(k, vaddArgs(4, x, x, y))) // is left to the device
		check(t, err)
		check(t, d.Close())
		if leaks := drv.Leaks(); len(leaks) > 0 {
			t.Errorf("leaks: %v", leaks)
		}
	}
}

// TestGraphOld: a driver without graphs is told from one that fails.
func TestGraphOld(t *testing.T) {
	_, d := open(t, fake.Options{Run: runVadd, Version: 11030})
	if _, err := d.NewGraph(1, func([]engine.Stream) error { t.Error("something is recorded"); return nil }); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("the error is %v", err)
	}
}

// TestGraphBroken: each call of the driver fails once, in making, updating and replaying a graph; nothing leaks, and the stream goes on.
func TestGraphBroken(t *testing.T) {
	calls := []string{"cuStreamCreate", "cuStreamBeginCapture", "cuLaunchKernel", "cuStreamEndCapture", "cuGraphInstantiateWithFlags", "cuGraphExecUpdate",
		"cuGraphDestroy", "cuGraphLaunch", "cuGraphExecDestroy", "cuEventCreate", "cuEventRecord", "cuStreamWaitEvent"}
	for _, call := range calls {
		drv, d := open(t, fake.Options{Run: runVadd})
		k, s, x := compile(t, d), newStream(t, d), alloc(t, d, 16)
		y := alloc(t, d, 16)
		work := func(s []engine.Stream) error {
			return errors.Join(launches(k, vaddArgs(4, x, x, x))(s), launches(k, vaddArgs(4, y, y, y))(s[1:]))
		}
		use := func() error {
			g, err := d.NewGraph(2, work)
			if err != nil {
				return err
			}
			err = g.Update(2, work)
			if err == nil {
				err = s.Replay(g)
			}
			return errors.Join(err, g.Close())
		}
		drv.Fail(call, 1, cudrv.InvalidValue)
		if err := use(); cudrv.Code(err) != cudrv.InvalidValue {
			t.Errorf("%s fails, and the error is %v", call, err)
		}
		if err := errors.Join(use(), s.Wait(background)); err != nil {
			t.Errorf("after %s has failed: %v", call, err)
		}
		left := slices.DeleteFunc(drv.Leaks(), func(s string) bool { return !strings.Contains(s, "graph") && !strings.Contains(s, "event") })
		if most := map[string]int{"cuGraphDestroy": 1, "cuGraphExecDestroy": 1}[call]; len(left) > most { // what could not be freed
			t.Errorf("%s fails, and there is left: %v", call, left)
		}
	}
}

// TestGraphFault: a kernel that traps in a graph is named, and a kernel that was unloaded is found before the replay.
func TestGraphFault(t *testing.T) {
	traps := false
	_, d := open(t, fake.Options{Run: func(*fake.Launch) error {
		if traps {
			return errors.New("trap")
		}
		return nil
	}})
	k, s, x := compile(t, d), newStream(t, d), alloc(t, d, 16)
	g, err := d.NewGraph(1, launches(k, vaddArgs(4, x, x, x)))
	check(t, err)
	gone, err := d.Compile(background, vadd(t), vaddName)
	check(t, err)
	other, err := d.NewGraph(1, launches(gone, vaddArgs(4, x, x, x)))
	check(t, err)
	check(t, gone.Close())
	replay := s.Replay
	if err := replay(other); !errors.Is(err, cuda.ErrClosed) {
		t.Errorf("a graph with a kernel that was closed: %v", err)
	}
	check(t, other.Update(1, launches(k, vaddArgs(4, x, x, x))))
	check(t, replay(other))
	check(t, s.Wait(background))
	traps = true
	check(t, replay(g))
	var fault *engine.Fault
	if err := s.Wait(background); !errors.As(err, &fault) || fault.Kernel != vaddName {
		t.Errorf("the fault is %v", err)
	}
}
