package cuda_test

import (
	"errors"
	"testing"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
)

// TestNative: other libraries get the handle of the stream, in a thread whose context is the device's, and none after the stream was closed.
func TestNative(t *testing.T) {
	drv := fake.New(fake.Options{})
	d, err := cuda.Open(0, cuda.Options{Driver: drv})
	check(t, err)
	defer d.Close()
	var s engine.Stream = newStream(t, d)
	called := 0
	use := func(handle uintptr) error {
		called++
		_, err := drv.StreamQuery(cudrv.Stream(handle)) // which needs the context
		return err
	}
	check(t, s.(engine.Native).Native(use))
	broken := errors.New("broken")
	if err := s.(engine.Native).Native(func(uintptr) error { return broken }); err != broken {
		t.Errorf("error %v", err)
	}
	check(t, s.Close())
	if err := s.(engine.Native).Native(use); !errors.Is(err, cuda.ErrClosed) || called != 1 {
		t.Errorf("after Close: %v, %d calls", err, called)
	}
}
