package cutile_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// branching queues random work for a graph with branches.
type branching struct {
	*testing.T
	r       *rand.Rand
	streams []*cutile.Stream
	v       []*cutile.Tensor[float32]
	inner   *cutile.LaunchGraph // that may be replayed; nil for none
	steps   []step              // of inner
	all     []step              // of the work
}

// work uses each tensor on the first stream, so that copies are part of the capture, and then does something on random streams.
func (b *branching) work() (err error) {
	b.all = nil
	for i := range b.v {
		err = errors.Join(err, b.step(step{kind: 3, a: i}, b.streams[0]))
	}
	joined := slices.Clone(b.streams[:1])
	for range 2 + b.r.IntN(20) {
		on := joined[b.r.IntN(len(joined))]
		switch {
		case b.r.IntN(4) == 0: // one stream more, or one that waits for another
			e, failed := on.Record()
			if failed != nil {
				return failed
			}
			waits := b.streams[b.r.IntN(len(b.streams))]
			err = errors.Join(err, waits.Wait(e), e.Close())
			if !slices.Contains(joined, waits) {
				joined = append(joined, waits)
			}
		case b.inner != nil && b.r.IntN(6) == 0:
			b.all = append(b.all, b.steps...)
			err = errors.Join(err, b.inner.Replay(on))
		default:
			err = errors.Join(err, b.step(randomSteps(b.r, len(b.v))[0], on))
		}
	}
	return err
}

func (b *branching) step(s step, on *cutile.Stream) error {
	b.all = append(b.all, s)
	return s.queue(b.Context(), on, b.v)
}

// TestLaunchGraphBranches compares random work of several streams that take part in a capture, also of graphs that are replayed in it, with the
// same in plain Go. The driver of the tests runs the branches of a graph in another order than they were captured in.
func TestLaunchGraphBranches(t *testing.T) {
	onGraphDevices(t, func(t *testing.T, dev *cutile.Device) {
		b := &branching{T: t, r: rand.New(rand.NewPCG(16, 1))}
		for range 4 {
			s, err := dev.NewStream()
			must(t, err)
			b.streams = append(b.streams, s)
		}
		want := make([][]float32, 6)
		for i := range want {
			for range 32 {
				want[i] = append(want[i], float32(b.r.IntN(8)))
			}
			x, err := cutile.FromSlice(dev, want[i])
			must(t, err)
			b.v = append(b.v, x)
		}
		updated, err := b.streams[0].Capture(b.work)
		must(t, err)
		for range 40 {
			g := updated
			if b.r.IntN(2) == 0 {
				must(t, g.Update(b.streams[0], b.work))
			} else {
				g, err = b.streams[0].Capture(b.work)
				must(t, err)
			}
			if g.Len() != len(b.all) {
				t.Errorf("the graph has %d launches and copies, want %d", g.Len(), len(b.all))
			}
			must(t, g.Replay(b.streams[b.r.IntN(len(b.streams))]))
			for _, s := range b.all {
				s.plain(want)
			}
			for i, x := range b.v {
				if got, err := x.Slice(); err != nil || !slices.Equal(got, want[i]) {
					t.Fatalf("tensor %d is %v, %v, want %v", i, got[:4], err, want[i][:4])
				}
				for j := range want[i] { // lest they grow beyond what is exact
					want[i][j] = float32((int(want[i][j])%8 + 8) % 8)
				}
				must(t, x.Write(t.Context(), want[i]))
			}
			if g != updated && len(b.all) < 40 {
				b.inner, b.steps = g, b.all
			}
		}
	})
}

// TestBranchesEnd: the streams that took part in a capture do again what is queued on them when it ends, also after an error, and what they did
// before is no part of it.
func TestBranchesEnd(t *testing.T) {
	onGraphDevices(t, func(t *testing.T, dev *cutile.Device) {
		ctx := t.Context()
		s, err := dev.NewStream()
		must(t, err)
		side, err := dev.NewStream()
		must(t, err)
		x, y, z := ramp(t, dev, 16), zeros[float32](t, dev, 16), zeros[float32](t, dev, 16)
		mine := errors.New("mine")
		var fork *cutile.Event
		for _, end := range []error{mine, nil} {
			g, err := s.Capture(func() error {
				if fork, err = s.Record(); err != nil {
					return err
				}
				must(t, side.Wait(fork))
				if err := side.Sync(ctx); err == nil || !strings.Contains(err.Error(), "the stream captures") {
					t.Errorf("waiting for a stream that takes part gives %v", err)
				}
				if _, err := side.Capture(func() error { return nil }); err == nil || !strings.Contains(err.Error(), "captures already") {
					t.Errorf("a capture of a stream that takes part gives %v", err)
				}
				must(t, cutile.Launch(ctx, s, add[tile.D16], x, x, y))
				must(t, cutile.Launch(ctx, side, add[tile.D16], x, x, z))
				return end
			})
			if err != end || end == nil && g.Len() != 2 {
				t.Fatalf("the capture gives %v", err)
			}
			if got, err := z.Slice(); err != nil || got[3] != 0 {
				t.Errorf("captured work ran: %v, %v", got, err)
			}
			if end == nil {
				must(t, g.Replay(s))
				must(t, g.Close())
			} else {
				must(t, cutile.Launch(ctx, side, add[tile.D16], x, x, z))
			}
			if got, err := z.Slice(); err != nil || got[3] != 8 {
				t.Errorf("z is %v, %v", got, err)
			}
			must(t, z.Fill(ctx, 0))
			if err := side.Wait(fork); err == nil || !strings.Contains(err.Error(), "the event is part of a capture") {
				t.Errorf("waiting for an event of a capture that has ended gives %v", err)
			}
		}
		must(t, errors.Join(s.Sync(ctx), side.Sync(ctx), side.Close(), s.Close()))
	})
}
