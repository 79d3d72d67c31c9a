package cute

import (
	"os"
	"reflect"
	"sync"

	"github.com/cutile-go/cutile/device"
	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/simtc/run"
)

// values describes the values of this package to package run.
type values struct{}

// Look implements [run.Values].
func (values) Look(x any) any {
	switch x := x.(type) {
	case interface{ look() any }:
		return x.look()
	case IntTuple:
		return run.Tuple{Tuple: x.t, Err: x.err}
	case Layout:
		return run.Layout{Layout: x.l, Outer: x.outer, Err: x.err}
	case Stream:
		return run.Stream{Stream: x.host(), Err: x.err()}
	case TensorMap:
		m, _ := x.host.(run.TensorMap)
		return m
	case *Tiler:
		return run.Words{}
	}
	return nil
}

func (c Constexpr[T]) look() any { return run.Constexpr{} }

// Wrap implements [run.Values].
func (values) Wrap(t reflect.Type, x any) (any, bool) {
	zero := reflect.Zero(t)
	if t.Kind() == reflect.Interface {
		return nil, false
	}
	if w, ok := zero.Interface().(interface{ wrap(any) (any, bool) }); ok {
		return w.wrap(x)
	}
	if _, ok := zero.Interface().(Stream); ok {
		q, ok := x.(*device.Stream)
		return Stream{q}, ok && q.Internal() != nil
	}
	return nil, false
}

// DefaultDevice implements [run.Values].
func (values) DefaultDevice() (*core.Device, error) { return defaultDevice() }

// defaultDevice is a CPU of the process, for calls that name no device.
var defaultDevice = sync.OnceValues(func() (*core.Device, error) {
	d, err := device.Open("cpu", device.WithOutput(stdout{}))
	if err != nil {
		return nil, err
	}
	theDevice = d
	return d.Internal(), nil
})

// theDevice keeps the default device open: a device that nothing refers to is closed.
var theDevice *device.Device

// stdout writes to what os.Stdout is at the time of the call.
type stdout struct{}

// Write implements [io.Writer].
func (stdout) Write(b []byte) (int, error) { return os.Stdout.Write(b) }
