package numerics_test

import (
	"context"
	"sync"
	"testing"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	twins "github.com/cutile-go/cutile/internal/testing/levels"
	"github.com/cutile-go/cutile/tileir"
)

// run computes a module of the case on the CPU engine and gives the result's elements.
func (c *testCase) run(t testing.TB, d *cpu.Device, m *tileir.Module, blocks int, elements int) *array {
	t.Helper()
	out, err := c.runOn(d, m, blocks, elements)
	if err != nil {
		t.Fatalf("%s: %v", c.name(), err)
	}
	return out
}

// runOn is run for any engine.
func (c *testCase) runOn(d engine.Device, m *tileir.Module, blocks int, elements int) (_ *array, err error) {
	k, err := d.Compile(context.Background(), m, "k")
	if err != nil {
		return nil, err
	}
	defer k.Close()
	s, err := d.NewStream()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	_, per := stored(c.result)
	memory := make([][]byte, 0, len(c.args)+1)
	for _, a := range c.args {
		if in, n := stored(a.elem); n > 1 {
			a = &array{in, packed(a)}
		}
		memory = append(memory, a.data)
	}
	out := make([]byte, elements*c.result.Bytes()/per)
	memory = append(memory, out)
	var args []uint64
	var last engine.Buffer
	for _, data := range memory {
		if last, err = d.Alloc(int64(len(data))); err != nil {
			return nil, err
		}
		defer last.Free()
		if err := s.Write(last, 0, data); err != nil {
			return nil, err
		}
		args = append(args, last.Address())
	}
	if err := s.Launch(k, [3]uint32{uint32(blocks), 1, 1}, args); err != nil {
		return nil, err
	}
	if err := s.Read(context.Background(), out, last, 0); err != nil {
		return nil, err
	}
	result := &array{c.result, out}
	if per > 1 {
		result.data = make([]byte, elements)
		for i := range result.data {
			result.data[i] = out[i/2] >> (i % 2 * 4) & 15
		}
	}
	return result, nil
}

// results is how many elements a case gives.
func (c *testCase) results() int { return size(c.shapeOf(len(c.args))) }

// whole runs the case for all elements at once.
func (c *testCase) whole(t testing.TB, d *cpu.Device) *array {
	return c.run(t, d, c.module(), 1, c.results())
}

// usual is the CPU engine as it is without options. Each launch also runs on twins.
var usual = sync.OnceValue(func() *cpu.Device { return twins.New(cpu.Options{}) })

// usualResults are what whole gave on it, by case.
var usualResults = map[*testCase]*array{}

// usual runs the case for all elements on the usual engine, once for all tests that compare the results with something.
func (c *testCase) usual(t testing.TB) *array {
	t.Helper()
	if usualResults[c] == nil {
		usualResults[c] = c.whole(t, usual())
	}
	return usualResults[c]
}

// alone makes a CPU engine without twins, to be compared with another one.
func alone(t testing.TB, o cpu.Options) *cpu.Device {
	d := twins.Alone(o)
	t.Cleanup(func() { d.Close() })
	return d
}
