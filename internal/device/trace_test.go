package device_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/trace"
)

// TestTraceIsBounded: of work that is queued behind what does not end, some is not kept, and the trace says how much.
func TestTraceIsBounded(t *testing.T) {
	const kept, more = 1 << 14, 100
	var out strings.Builder
	d := openCPU(t)
	if err := d.Trace(trace.New(&out), false); err != nil {
		t.Fatal(err)
	}
	a, b := alloc(t, d), alloc(t, d)
	open := make(chan struct{})
	for _, queue := range []func() error{
		func() error {
			return stream(t, d).Host(t.Context(), "wait", []device.Part{part(a, true, 0, 1)}, func([][]byte) error {
				<-open
				return nil
			})
		},
		func() error { return copies(b, a, kept+more) },
		func() error {
			close(open)
			return d.Sync(t.Context())
		},
		func() error { return copies(b, a, kept) },
		func() error { return ended(d.Main()) },
		func() error { return copies(b, a, more) }, // there is room again, though nobody has waited for the device
		d.Close,
	} {
		if err := queue(); err != nil {
			t.Fatal(err)
		}
	}
	events, err := trace.Read(strings.NewReader(out.String()))
	if err != nil {
		t.Fatal(err)
	}
	found, untimed := 0, 0.0
	for _, e := range events {
		if e.Cat == trace.Copy && e.TID != trace.HostRow {
			found++
		}
		if e.Name == trace.Untimed {
			untimed += e.Args["count"].(float64)
		}
	}
	if found != 2*kept+more || untimed != more {
		t.Errorf("the trace has %d copies and lacks %v, want %d and %d", found, untimed, 2*kept+more, more)
	}
}

// copies queues copies of a few bytes.
func copies(to, from *device.Memory, n int) (err error) {
	for range n {
		if err == nil {
			err = to.Copy(0, from, 0, 4)
		}
	}
	return err
}

// ended asks until what is queued has ended, without a wait.
func ended(s *device.Stream) error {
	e, err := s.Record()
	for err == nil && !e.Done() {
		time.Sleep(time.Millisecond)
	}
	return err
}
