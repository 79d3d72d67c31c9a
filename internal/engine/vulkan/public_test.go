package vulkan_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/limit"
)

// TestTensors works on tensors by the package that users have: copies, streams that share memory, events, and what needs a
// kernel, which is refused.
func TestTensors(t *testing.T) {
	everywhere(t, func(t *testing.T, m machine) {
		dev, err := device.New(m.Device, limit.Limits{})
		check(t, err)
		data := make([]int32, 1000)
		for i := range data {
			data[i] = int32(i * i)
		}
		x, err := device.FromSlice(dev, data, 20, 50)
		check(t, err)
		y, err := device.NewTensor[int32](dev, 20, 50)
		check(t, err)
		s, err := dev.NewStream()
		check(t, err)
		check(t, y.Copy(background, x))
		check(t, y.Select(0, 3).Write(background, make([]int32, 50)))
		got, err := y.Slice()
		check(t, err)
		want := slices.Clone(data)
		clear(want[150:200])
		if !slices.Equal(got, want) {
			t.Errorf("got %v", got)
		}
		e, err := s.Record()
		check(t, err)
		check(t, e.Sync(background))
		turned, err := x.T().Contiguous()
		var refused engine.CompileError
		switch {
		case err == nil: // by copies
			got, err := turned.Slice()
			check(t, err)
			if got[1] != data[50] || got[20] != data[1] || got[999] != data[999] {
				t.Errorf("turned: %v", got)
			}
		case !errors.As(err, &refused):
			t.Errorf("error %v", err)
		}
		check(t, s.Close())
		check(t, x.Close())
		check(t, dev.Close())
	})
}
