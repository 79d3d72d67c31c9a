package dist_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/testing/mpitest"
	"github.com/cutile-go/cutile/tile"
)

// alone joins as the only process.
func alone(t *testing.T, opts ...dist.Option) (*cutile.Device, *dist.Group) {
	t.Helper()
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	g, err := dist.Join(t.Context(), dev, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return dev, g
}

func tensor[E dtype.Elem](t *testing.T, dev *cutile.Device, shape ...int) *cutile.Tensor[E] {
	t.Helper()
	x, err := cutile.NewTensor[E](dev, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestAlone: without a launcher there is one process, which needs no MPI, for which all collectives copy.
func TestAlone(t *testing.T) {
	dev, g := alone(t, dist.WithOrder(), dist.WithChecks(), dist.WithLimit(time.Minute))
	r := &rank{t.Context(), dev, g, nil}
	for _, f := range []func() error{r.types, r.ordered, r.streams} {
		if err := f(); err != nil {
			t.Error(err)
		}
	}
	part, err := g.Split(t.Context(), 3, 5)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(part.Barrier(t.Context()), part.Close()); err != nil {
		t.Error(err)
	}
	if s := g.String(); s != "rank 0 of 1 on cpu, a single process" || g.LocalRank() != 0 || g.LocalSize() != 1 || g.Device() != dev {
		t.Errorf("the group is %q, local rank %d of %d", s, g.LocalRank(), g.LocalSize())
	}
	if err := errors.Join(g.Close(), g.Close()); err != nil {
		t.Error(err)
	}
	if _, err := dist.Join(t.Context(), dev); err != nil {
		t.Errorf("a single process may join again: %v", err)
	}
}

// TestMistakes: each mistake is an error before anything is queued, which says what is wrong and what to do.
func TestMistakes(t *testing.T) {
	dev, g := alone(t)
	other, _ := alone(t)
	ctx := t.Context()
	x, y, m := tensor[float32](t, dev, 4), tensor[float32](t, dev, 5), tensor[float32](t, dev, 2, 3)
	far, closed, frozen := tensor[float32](t, other, 4), tensor[float32](t, dev, 4), tensor[float32](t, dev, 4)
	closed.Close()
	if err := frozen.Freeze(ctx); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, over := alone(t)
	if err := over.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{dist.AllReduce(ctx, nil, dist.Sum, x, x), "dist: the group is nil: use the one that Join returns"},
		{dist.AllReduce(ctx, new(dist.Group), dist.Sum, x, x), "dist: the group is nil"},
		{dist.AllReduce(ctx, over, dist.Sum, x, x), "dist: the group is closed"},
		{over.Sync(ctx), "dist: the group is closed"},
		{over.Barrier(ctx), "dist: the group is closed"},
		{dist.AllReduce(nil, g, dist.Sum, x, x), "the context is nil"},
		{dist.AllReduce(ended, g, dist.Sum, x, x), "context canceled"},
		{dist.AllReduce(ctx, g, dist.Sum, nil, x), "dist: AllReduce: dst is nil"},
		{dist.AllReduce(ctx, g, dist.Sum, x, nil), "dist: AllReduce: src is nil"},
		{dist.AllReduce(ctx, g, dist.Sum, x, new(cutile.Tensor[float32])), "dist: AllReduce: src: cutile: the tensor was not made by NewTensor"},
		{dist.AllReduce(ctx, g, dist.Sum, x, x.Narrow(0, 2, 9)), "dist: AllReduce: src: cutile: Narrow of Tensor[float32]"},
		{dist.AllReduce(ctx, g, dist.Sum, x, closed), "dist: AllReduce: src is closed"},
		{dist.AllReduce(ctx, g, dist.Sum, frozen, x), "dist: AllReduce: a tensor that the work writes is frozen: its elements must not change"},
		{dist.AllReduce(ctx, g, dist.Sum, far, x), "dist: AllReduce: dst is on another device that was opened as cpu, too (each call of Open makes a device), and the group works on cpu: move it there"},
		{dist.AllReduce(ctx, g, dist.Sum, m.T(), m), "dist: AllReduce: dst has gaps (shape [3 2], strides [1 3]): use what its Contiguous method returns"},
		{dist.AllReduce(ctx, g, dist.Sum, m, tensor[float32](t, dev, 1, 3).Broadcast(2, 3)), "dist: AllReduce: src has gaps (shape [2 3], strides [0 1])"},
		{dist.AllReduce(ctx, g, 4, x, x), "dist: AllReduce: there is no reduction 4: use Sum, Product, Max or Min"},
		{dist.AllReduce(ctx, g, -1, x, x), "there is no reduction -1"},
		{dist.AllReduce(ctx, g, dist.Sum, x, y), "dist: AllReduce: dst has 4 elements, but src has 5: give them the same number"},
		{dist.AllReduce(ctx, g, dist.Sum, y.Narrow(0, 0, 3), y.Narrow(0, 2, 5)), "dist: AllReduce: dst and src overlap in memory: give it two tensors that do not"},
		{dist.ReduceScatter(ctx, g, dist.Sum, x, x), "dist: ReduceScatter: dst and src overlap"},
		{dist.ReduceScatter(ctx, g, 9, x, y), "dist: ReduceScatter: there is no reduction 9"},
		{dist.AllGather(ctx, g, y, x), "dist: AllGather: dst has 5 elements, but src has 4"},
		{dist.AllToAll(ctx, g, x, y), "dist: AllToAll: dst has 4 elements, but src has 5"},
		{dist.Broadcast(ctx, g, 1, x), "dist: Broadcast: root is rank 1, but the group has the ranks 0 to 0"},
		{dist.Broadcast(ctx, g, -1, x), "dist: Broadcast: root is rank -1"},
		{dist.Broadcast(ctx, g, 0, m.T()), "dist: Broadcast: the tensor has gaps"},
		{dist.Broadcast(ctx, g, 0, frozen), "dist: Broadcast: a tensor that the work writes is frozen"},
		{dist.Reduce(ctx, g, dist.Sum, 1, x, x), "dist: Reduce: root is rank 1, but the group has the ranks 0 to 0"},
		{dist.Reduce(ctx, g, 7, 0, x, x), "dist: Reduce: there is no reduction 7"},
		{dist.Reduce(ctx, g, dist.Sum, 0, nil, x), "dist: Reduce: dst is nil"},
		{dist.Reduce(ctx, g, dist.Sum, 0, y, x), "dist: Reduce: dst has 5 elements, but src has 4"},
		{dist.Reduce(ctx, nil, dist.Sum, 0, x, x), "dist: the group is nil"},
		{dist.Gather(ctx, g, 0, nil, x), "dist: Gather: dst is nil"},
		{dist.Gather(ctx, g, 0, x, x), "dist: Gather: dst and src overlap in memory"},
		{dist.Gather(ctx, g, 3, nil, x), "dist: Gather: root is rank 3"},
		{dist.Scatter(ctx, g, 0, x, nil), "dist: Scatter: src is nil"},
		{dist.Scatter(ctx, g, 0, m.T(), m), "dist: Scatter: dst has gaps"},
		{dist.Send(ctx, g, 0, x), "dist: Send: to is rank 0, this process itself: use SendRecv, or copy the tensor"},
		{dist.Send(ctx, g, 2, x), "dist: Send: to is rank 2, but the group has the ranks 0 to 0"},
		{dist.Send[float32](ctx, g, 0, nil), "dist: Send: the tensor is nil"},
		{dist.Recv(ctx, g, 0, x), "dist: Recv: from is rank 0, this process itself"},
		{dist.SendRecv(ctx, g, 0, x, 1, far), "dist: SendRecv: dst is on another device"},
		{dist.SendRecv(ctx, g, 0, x, 1, tensor[float32](t, dev, 4)), "dist: SendRecv: from is rank 1, but"},
		{dist.SendRecv(ctx, g, 0, x, 0, y), "dist: SendRecv: dst has 5 elements, but src has 4"},
		{second(g.Split(ctx, -1, 0)), "dist: Split with color -1 and key 0: the color must be 0 to 2147483647"},
		{second(g.Split(ctx, 1<<31, 0)), "dist: Split with color 2147483648"},
		{second(dist.Join(ctx, nil)), "dist: Join: the device is nil"},
		{second(dist.Join(nil, dev)), "the context is nil"},
		{second(dist.Join(ctx, dev, nil)), "dist: Join: an option is nil"},
		{second(dist.Join(ctx, dev, dist.WithLimit(-1))), "dist: WithLimit(-1ns): the limit must not be negative"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want %q", c.err, c.want)
		}
	}
	if err := g.Sync(ctx); err != nil {
		t.Errorf("the group is as before: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestClosedDevice: a group ends with its device.
func TestClosedDevice(t *testing.T) {
	dev, g := alone(t)
	x := tensor[float32](t, dev, 4)
	if err := dev.Close(); err != nil {
		t.Fatal(err)
	}
	if err := dist.AllReduce(t.Context(), g, dist.Sum, x, x); !errors.Is(err, cutile.ErrClosed) {
		t.Errorf("error %v", err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

// TestLaunchers: what the environment says decides, and processes that MPI does not know are refused with the way out.
func TestLaunchers(t *testing.T) {
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for name, value := range map[string]string{"SLURM_PROCID": "0", "SLURM_NTASKS": "2"} { // a script of sbatch
		t.Setenv(name, value)
	}
	if self, err := dist.Self(); err != nil || self != (dist.Process{Size: 1, LocalSize: 1}) {
		t.Errorf("%+v, %v, want a single process", self, err)
	}
	t.Setenv("SLURM_STEP_NUM_TASKS", "2") // srun, which starts torchrun on each machine
	for name, value := range map[string]string{"TORCHELASTIC_RUN_ID": "none", "RANK": "1", "WORLD_SIZE": "4", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2"} {
		t.Setenv(name, value)
	}
	self, err := dist.Self()
	if want := (dist.Process{Launcher: "torchrun", Rank: 1, Size: 4, LocalRank: 1, LocalSize: 2}); err != nil || self != want {
		t.Errorf("%+v, %v, want %+v", self, err, want)
	}
	want := "dist: Join: torchrun says that this is process 1 of 4, but MPI does not know processes that it starts: start it with mpirun instead of torchrun"
	if _, err := dist.Join(t.Context(), dev); err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
	t.Setenv("RANK", "4")
	want = `dist: RANK="4", which torchrun sets, is not a number from 0 to 3`
	for _, err := range []error{second(dist.Self()), second(dist.Join(t.Context(), dev))} {
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestJoinWaits: a context bounds how long Join waits for processes that do not come.
func TestJoinWaits(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, l *mpitest.Launcher) {
		if out, code := job(t, l, 2, "absent"); code == 0 || !strings.Contains(out, "dist: Join: waiting for the other processes: context deadline exceeded") {
			t.Errorf("code %d\n%s", code, out)
		}
	})
}

// TestOptions: processes that give different options are told so, by Join.
func TestOptions(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, l *mpitest.Launcher) {
		want := "dist: Join: the processes give different options: rank 0 neither WithOrder, WithTree nor WithChecks, and rank 1 WithOrder and WithChecks: give all the same"
		if out, code := job(t, l, 2, "options"); code == 0 || strings.Count(out, want) < 1 {
			t.Errorf("code %d\n%s", code, out)
		}
	})
}

// TestCapture: collectives are not part of graphs of launches, neither on a stream that captures nor beside one.
func TestCapture(t *testing.T) {
	dev, g := alone(t)
	defer g.Close()
	x, y := tensor[float32](t, dev, 2000), tensor[float32](t, dev, 2000)
	_, err := dev.Stream().Capture(func() error {
		if err := cutile.Launch(t.Context(), dev, twice[tile.D1024], x, y); err != nil {
			return err
		}
		return dist.AllReduce(t.Context(), g, dist.Sum, y, y)
	})
	beside := "dist: AllReduce: a stream of the device captures, and a call of the program's functions"
	if err == nil || !strings.Contains(err.Error(), beside) {
		t.Errorf("error %v, want %q", err, beside)
	}
	_, err = dev.Stream().Capture(func() error { return dist.AllReduce(t.Context(), g, dist.Sum, x, x) }) // of which nothing was captured
	if err == nil || !strings.Contains(err.Error(), beside) {
		t.Errorf("error %v, want %q", err, beside)
	}
	_, err = g.Stream().Capture(func() error { return dist.AllReduce(t.Context(), g, dist.Sum, y, y) })
	if want := "dist: AllReduce: the stream captures, and a call of the program's functions"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
	if err := dist.AllReduce(t.Context(), g, dist.Sum, y, y); err != nil {
		t.Errorf("after the captures: %v", err)
	}
}

// TestOpNames: reductions print as they are written.
func TestOpNames(t *testing.T) {
	got := fmt.Sprint(dist.Sum, dist.Product, dist.Max, dist.Min, dist.Op(99))
	if want := "Sum Product Max Min Op(99)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
