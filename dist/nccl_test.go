//go:build linux && (amd64 || arm64) && !nocuda

package dist_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/internal/driver/nccl"
	"github.com/cutile-go/cutile/internal/testing/mpitest"
)

// TestGPU: on a device with memory of its own, MPI works on copies.
func TestGPU(t *testing.T) {
	driver, _ := mpitest.StandIns(t, "..")
	driver = append(driver, nccl.LibraryEnv+"=off") // also on machines that have one
	mpitest.Each(t, func(t *testing.T, l *mpitest.Launcher) {
		right(t, l, 2, "types", driver...)
		right(t, l, 2, "checked", driver...)
		right(t, l, 2, "split", driver...)
	})
}

// TestNCCL: NCCL does what it can, and MPI the rest, such as sums in order and integers of 16 bits.
func TestNCCL(t *testing.T) {
	_, ccl := mpitest.StandIns(t, "..")
	mpitest.Each(t, func(t *testing.T, l *mpitest.Launcher) {
		for _, name := range []string{"types", "ordered", "checked", "split"} {
			n := 2
			if (name == "split" || name == "ordered") && !l.Polls { // sums of two have one order
				n = 4
			}
			right(t, l, n, name, ccl...)
		}
	})
}

func init() { cases["native"] = testCase{nil, (*rank).native} }

// native runs in processes that MPI does not know.
func (r *rank) native() error {
	if !strings.Contains(r.g.String(), fmt.Sprintf("on cuda:%d, NCCL 2.27.3 (", r.g.Rank())) || r.g.LocalRank() != r.g.Rank() {
		return fmt.Errorf("the group is %v, local rank %d", r.g, r.g.LocalRank())
	}
	if err := r.each(common); err != nil {
		return err
	}
	x, err := cutile.NewTensor[int16](r.dev, 3)
	if err != nil {
		return err
	}
	want := "dist: AllReduce: NCCL does not reduce int16: convert the tensors, or start the program with mpirun, so that MPI does"
	if err := dist.AllReduce(r, r.g, dist.Sum, x, x); err == nil || err.Error() != want {
		return fmt.Errorf("error %v, want %q", err, want)
	}
	if err := r.g.Barrier(r); err != nil {
		return err
	}
	for _, o := range []dist.Option{dist.WithOrder(), dist.WithTree(), dist.WithChecks()} {
		self, err := dist.Self()
		if err != nil {
			return err
		}
		want := "dist: Join: WithOrder, WithTree and WithChecks need MPI, which does not know processes that " + self.Launcher + " starts: start it with mpirun"
		if _, err := dist.Join(r, r.dev, o); err == nil || !strings.HasPrefix(err.Error(), want) {
			return fmt.Errorf("error %v, want %q", err, want)
		}
	}
	part, err := r.g.Split(r, r.g.Rank()%2, 0)
	if err != nil {
		return err
	}
	if want := (r.g.Size() + 1 - r.g.Rank()%2) / 2; part.Size() != want || part.Rank() != r.g.Rank()/2 || part.LocalRank() != -1 {
		return fmt.Errorf("the part is %v, want %d processes", part, want)
	}
	return errors.Join(part.Barrier(r), part.Close())
}

// TestWithoutMPI starts processes by hand, which meet over TCP.
func TestWithoutMPI(t *testing.T) {
	driver, ccl := mpitest.StandIns(t, "..")
	const size = 3
	out, errs := byHand(t, size, "native", ccl...)
	for rank, err := range errs {
		if err != nil || !strings.Contains(out[rank], "native is right") {
			t.Errorf("rank %d: %v\n%s", rank, err, out[rank])
		}
	}
	for _, c := range []struct {
		env  []string
		want string
	}{
		{ccl, "giving NCCL's ID to all processes: RANK and WORLD_SIZE does not say where rank 0 is: set MASTER_ADDR"},
		{append([]string{nccl.LibraryEnv + "=libnone.so.1"}, driver...), "no NCCL: libnone.so.1: cannot open shared object file"},
	} {
		if out, err := withoutMPI(t, "native", 1, 2, c.env...); err == nil || !strings.Contains(out, c.want) {
			t.Errorf("%v, want %q:\n%s", err, c.want, out)
		}
	}
}

// TestShadow: in shadow mode MPI computes, and without MPI an error says what is in the way.
func TestShadow(t *testing.T) {
	_, ccl := mpitest.StandIns(t, "..")
	shadow := append(ccl, "CUTILE_SHADOW=1")
	want := "dist: Join: RANK and WORLD_SIZE says that this is process 1 of 2, but MPI does not know processes that it starts, and NCCL does not work in shadow mode, " +
		"which compares launches with the CPU: open the device without WithShadow, and run the program without CUTILE_SHADOW; or start it with mpirun"
	if out, err := withoutMPI(t, "machine", 1, 2, append(shadow, "MASTER_ADDR=localhost", "MASTER_PORT=1")...); err == nil || !strings.Contains(out, want) {
		t.Errorf("%v, want %q\n%s", err, want, out)
	}
	mpitest.Each(t, func(t *testing.T, l *mpitest.Launcher) { right(t, l, 2, "machine", shadow...) })
}
