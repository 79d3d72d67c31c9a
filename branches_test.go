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

// TestLaunchGraphBranches compares random work of several streams that take part in a capture, also of graphs that are replayed in it, with the
// same in plain Go. The driver of the tests runs the branches of a graph in another order than they were captured in.
func TestLaunchGraphBranches(t *testing.T) {
	onGraphDevices(t, func(t *testing.T, dev *cutile.Device) {
		ctx, r := t.Context(), rand.New(rand.NewPCG(16, 1))
		var streams []*cutile.Stream
		for range 4 {
			s, err := dev.NewStream()
			must(t, err)
			streams = append(streams, s)
		}
		const tensors, n = 6, 32
		var v []*cutile.Tensor[float32]
		want := make([][]float32, tensors)
		for i := range want {
			for range n {
				want[i] = append(want[i], float32(r.IntN(8)))
			}
			x, err := cutile.FromSlice(dev, want[i])
			must(t, err)
			v = append(v, x)
		}
		var inner *cutile.LaunchGraph
		var innerSteps []step
		for range 12 {
			var all []step
			queue := func(s step, on *cutile.Stream) error {
				all = append(all, s)
				return s.queue(ctx, on, v)
			}
			g, err := streams[0].Capture(func() error {
				for i := range v { // so that copies are part of the capture
					if err := queue(step{kind: 3, a: i}, streams[0]); err != nil {
						return err
					}
				}
				joined := slices.Clone(streams[:1])
				for range 2 + r.IntN(20) {
					on := joined[r.IntN(len(joined))]
					switch {
					case r.IntN(4) == 0: // one stream more, or one that waits for another
						e, err := on.Record()
						if err != nil {
							return err
						}
						waits := streams[r.IntN(len(streams))]
						if err := errors.Join(waits.Wait(e), e.Close()); err != nil {
							return err
						}
						if !slices.Contains(joined, waits) {
							joined = append(joined, waits)
						}
					case inner != nil && r.IntN(6) == 0:
						all = append(all, innerSteps...)
						if err := inner.Replay(on); err != nil {
							return err
						}
					default:
						if err := queue(randomSteps(r, tensors)[0], on); err != nil {
							return err
						}
					}
				}
				return nil
			})
			must(t, err)
			if g.Len() != len(all) {
				t.Errorf("the graph has %d launches and copies, want %d", g.Len(), len(all))
			}
			must(t, g.Replay(streams[r.IntN(len(streams))]))
			for _, s := range all {
				s.plain(want)
			}
			for i := range v {
				if got, err := v[i].Slice(); err != nil || !slices.Equal(got, want[i]) {
					t.Fatalf("tensor %d is %v, %v, want %v", i, got[:4], err, want[i][:4])
				}
				for j := range want[i] { // lest they grow beyond what is exact
					want[i][j] = float32((int(want[i][j])%8 + 8) % 8)
				}
				must(t, v[i].Write(ctx, want[i]))
			}
			if len(all) < 40 {
				inner, innerSteps = g, all
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
