package dist_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/tile"
)

// streams queues collectives between launches, on the device's stream, and looks at what the last launch gives. Rank 1 comes late, so that
// all others must wait in the middle.
func (r *rank) streams() error {
	const n = 5000
	ones := make([]float32, n)
	for i := range ones {
		ones[i] = float32(r.g.Rank() + i)
	}
	x, err := cutile.FromSlice(r.dev, ones)
	if err != nil {
		return err
	}
	y, err := cutile.NewTensor[float32](r.dev, n)
	if err != nil {
		return err
	}
	for range 3 {
		if r.g.Rank() == 1 {
			time.Sleep(50 * time.Millisecond)
		}
		if err := cutile.Launch(r, r.dev, twice[tile.D1024], x, y); err != nil {
			return err
		}
		if err := dist.AllReduce(r, r.g, dist.Max, y, y); err != nil {
			return err
		}
		if err := cutile.Launch(r, r.dev, twice[tile.D1024], y, x); err != nil {
			return err
		}
	}
	want := make([]float32, n)
	for i := range want {
		want[i] = 64 * float32(r.g.Size()-1+i)
	}
	return got("the last launch", x, want)
}

// apart checks that other work goes on while a collective waits: rank 0 waits for a collective for which rank 1 waits until rank 0 has
// sent a message, in another group, that it computed meanwhile.
func (r *rank) apart() error {
	other, err := r.g.Split(r, 0, r.g.Rank())
	if err != nil {
		return err
	}
	defer other.Close()
	sum, err := cutile.Full(r.dev, float32(1), 3)
	if err != nil {
		return err
	}
	x, err := cutile.Full(r.dev, float32(21), 1)
	if err != nil {
		return err
	}
	if r.g.Rank() == 1 {
		if err := dist.Recv(r, other, 0, x); err != nil {
			return err
		}
		if err := got("the message", x, []float32{42}); err != nil {
			return err
		}
	}
	if err := dist.AllReduce(r, r.g, dist.Sum, sum, sum); err != nil {
		return err
	}
	if r.g.Rank() == 0 {
		y, err := cutile.NewTensor[float32](r.dev, 1)
		if err != nil {
			return err
		}
		if err := cutile.Launch(r, r.dev, twice[tile.D16], x, y); err != nil {
			return err
		}
		if err := r.dev.Stream().Sync(r); err != nil { // not the group's stream, which waits
			return err
		}
		if err := dist.Send(r, other, 1, y); err != nil {
			return err
		}
	}
	n := float32(r.g.Size())
	return got("the sum", sum, []float32{n, n, n})
}

// split makes groups of the even and of the odd ranks, the last first, and a group of each process alone.
func (r *rank) split() error {
	size := r.g.Size()
	half, err := r.g.Split(r, r.g.Rank()%2, -r.g.Rank())
	if err != nil {
		return err
	}
	alone, err := half.Split(r, half.Rank(), 0)
	if err != nil {
		return err
	}
	if alone.Size() != 1 || alone.Rank() != 0 || alone.LocalSize() != 1 {
		return fmt.Errorf("the group of one process is %v", alone)
	}
	var members []int32
	for rank := size - 1; rank >= 0; rank-- {
		if rank%2 == r.g.Rank()%2 {
			members = append(members, int32(rank))
		}
	}
	own, err := cutile.Full(r.dev, int32(r.g.Rank()), 1)
	if err != nil {
		return err
	}
	all, err := cutile.NewTensor[int32](r.dev, half.Size())
	if err != nil {
		return err
	}
	if err := dist.AllGather(r, half, all, own); err != nil {
		return err
	}
	if err := got("AllGather in a half", all, members); err != nil {
		return err
	}
	if half.LocalSize() != len(members) || half.LocalRank() != half.Rank() || members[half.Rank()] != int32(r.g.Rank()) {
		return fmt.Errorf("rank %d is %v with local rank %d of %d", r.g.Rank(), half, half.LocalRank(), half.LocalSize())
	}
	if err := dist.AllReduce(r, r.g, dist.Sum, own, own); err != nil { // the group itself is as before
		return err
	}
	if err := got("AllReduce of all", own, []int32{int32(size * (size - 1) / 2)}); err != nil {
		return err
	}
	again, err := dist.Join(r, r.dev)
	if err != nil {
		return err
	}
	if again.Rank() != r.g.Rank() || again.Size() != size {
		return fmt.Errorf("joined again as %v", again)
	}
	// The first group is closed by runCase, after all others.
	return errors.Join(again.Close(), alone.Close(), half.Close())
}

// checked gives the ranks different lengths, in a group that looks, and lengths that are mistakes for two processes.
func (r *rank) checked() error {
	three, err := cutile.NewTensor[float32](r.dev, 3)
	if err != nil {
		return err
	}
	seven, err := cutile.NewTensor[float32](r.dev, 7)
	if err != nil {
		return err
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{dist.AllGather(r, r.g, seven, three), "dist: AllGather: dst has 7 elements, but the 2 processes have 3 each: it needs 6"},
		{dist.ReduceScatter(r, r.g, dist.Sum, three, seven), "dist: ReduceScatter: src has 7 elements, but the 2 processes get 3 each: it needs 6"},
		{dist.AllToAll(r, r.g, seven.Narrow(0, 0, 3), three), "dist: AllToAll: 3 elements cannot be divided into equal parts for 2 processes"},
		{dist.Gather(r, r.g, r.g.Rank(), seven, three), "dist: Gather: dst has 7 elements, but the 2 processes have 3 each: it needs 6"},
		{dist.Scatter(r, r.g, r.g.Rank(), three, seven), "dist: Scatter: src has 7 elements, but the 2 processes get 3 each: it needs 6"},
		{dist.Send(r, r.g, r.g.Rank(), three), "this process itself: use SendRecv, or copy the tensor"},
		{dist.SendRecv(r, r.g, r.g.Rank(), three, 1-r.g.Rank(), seven), "but not both, so a message would be left over"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			return fmt.Errorf("error %v, want %q", c.err, c.want)
		}
	}
	if err = dist.Gather(r, r.g, r.g.Rank(), seven.Narrow(0, 0, 6), three); err == nil {
		err = r.g.Sync(r)
	}
	want := "from rank 0 on: Gather to rank 0 of 3 float32; from rank 1 on: Gather to rank 1 of 3 float32"
	if err == nil || !strings.Contains(err.Error(), want) {
		return fmt.Errorf("error %v, want %q", err, want)
	}
	x, err := cutile.Full(r.dev, float32(r.g.Rank()), 7+r.g.Rank())
	if err != nil {
		return err
	}
	if err = dist.AllReduce(r, r.g, dist.Sum, x, x); err == nil { // a GPU's call looks at once
		err = r.g.Sync(r)
	}
	want = "the ranks do not do the same; from rank 0 on: AllReduce with Sum of 7 float32; from rank 1 on: AllReduce with Sum of 8 float32"
	if err == nil || !strings.Contains(err.Error(), want) {
		return fmt.Errorf("error %v, want %q", err, want)
	}
	if err := r.g.Sync(r); err != nil {
		return err
	}
	return r.g.Barrier(r) // the group goes on
}

// message sends rank 1 fewer elements than it receives, and then more.
func (r *rank) message() error {
	for _, c := range []struct {
		n    int
		want string
	}{{5, "rank 0 sent 5 elements, but 7 are received"}, {9, "runcate"}} {
		n, want := c.n, c.want
		t, err := cutile.NewTensor[int16](r.dev, 7)
		if err != nil {
			return err
		}
		if r.g.Rank() == 0 {
			if t, err = cutile.NewTensor[int16](r.dev, n); err != nil {
				return err
			}
			if err := dist.Send(r, r.g, 1, t); err != nil {
				return err
			}
			if err := r.g.Barrier(r); err != nil {
				return err
			}
			continue
		}
		if err := dist.Recv(r, r.g, 0, t); err != nil {
			return err
		}
		if err := r.g.Sync(r); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "Recv of 7 int16") {
			return fmt.Errorf("error %v, want %q", err, want)
		}
		if err := r.g.Barrier(r); err != nil {
			return err
		}
	}
	return nil
}

// recovers looks whether a nil pointer is a panic of Go still, beside what MPI does with signals.
func (r *rank) recovers() (err error) {
	defer func() {
		if recover() == nil {
			err = errors.New("no panic")
		}
	}()
	var p *int
	*p++
	return nil
}

// killed kills rank 1 while the others wait for it.
func (r *rank) killed() error {
	if r.g.Rank() == 1 {
		time.Sleep(300 * time.Millisecond)
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			return err
		}
		self.Kill()
	}
	return r.g.Barrier(r)
}

// fails returns an error from rank 1 while the others wait for it, as a program does that gives up.
func (r *rank) fails() error {
	if r.g.Rank() == 1 {
		return errors.New("rank 1 gives up")
	}
	return r.g.Barrier(r)
}

// aborted ends the job with a code, also a rank that waits for nobody.
func (r *rank) aborted() error {
	switch r.g.Rank() {
	case 0:
		time.Sleep(time.Hour)
	case 1:
		time.Sleep(100 * time.Millisecond) // rank 0 may have joined only now
		r.g.Abort(7)
	}
	return r.g.Barrier(r)
}

// leaves ends rank 1 without an error, but without having closed its group.
func (r *rank) leaves() error {
	if r.g.Rank() == 1 {
		os.Exit(0)
	}
	return r.g.Barrier(r)
}

// panics is a bug of a program.
func (r *rank) panics() error {
	if r.g.Rank() == 1 {
		panic("a bug")
	}
	return r.g.Barrier(r)
}
