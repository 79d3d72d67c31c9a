package vulkan_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	driver "github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/testing/vulkantest"
	"github.com/cutile-go/cutile/tileir"
)

var background = context.Background()

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wants fails where an error lacks a text.
func wants(t testing.TB, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want one with %q", err, text)
	}
}

// discrete makes a device look like a GPU with memory of its own, which the program does not see.
func discrete(i *driver.Info) {
	i.Type = driver.Discrete
	i.Heaps = []driver.Heap{i.Heaps[0], {Size: i.Heaps[0].Size}}
	i.Memory = []driver.MemoryType{{Flags: driver.DeviceLocal}, {Flags: driver.HostVisible | driver.HostCoherent, Heap: 1}}
}

// smallGrid makes a device take small dispatches only.
func smallGrid(i *driver.Info) { i.Limits.Grid = [3]uint32{3, 2, 2} }

// machine is a device with what it prints.
type machine struct {
	*vulkan.Device
	lib *driver.Library
	out *bytes.Buffer
}

// openOn opens a device; at the end the driver must have got everything back.
func openOn(t testing.TB, in *driver.Instance, ordinal int, o vulkan.Options) machine {
	t.Helper()
	m := machine{lib: in.Library(), out: &bytes.Buffer{}}
	o.Instance, o.Output = in, m.out
	var err error
	m.Device, err = vulkan.Open(ordinal, o)
	check(t, err)
	t.Cleanup(func() { m.Close() })
	return m
}

// instance is vulkantest.Instance for tests that open devices: they must leave nothing.
func instance(t testing.TB) (*driver.Instance, []*driver.Physical) {
	t.Helper()
	in, list := vulkantest.Instance(t)
	t.Cleanup(func() { noLeaks(t, in.Library()) })
	return in, list
}

// noLeaks fails where the driver has more than the instance.
func noLeaks(t testing.TB, l *driver.Library) {
	t.Helper()
	if live := l.Live(); len(live) != 1 || live["VkInstance"] != 1 {
		t.Errorf("left %v", live)
	}
}

// everywhere runs a test on every device, as it is and as it is not.
func everywhere(t *testing.T, f func(t *testing.T, m machine)) {
	in, list := instance(t)
	for i := range list {
		for _, as := range []struct {
			name   string
			adjust func(*driver.Info)
		}{{"itself", nil}, {"discrete", discrete}, {"small-grid", smallGrid}} {
			t.Run(fmt.Sprintf("vulkan:%d as %s", i, as.name), func(t *testing.T) {
				t.Cleanup(func() { noLeaks(t, in.Library()) })
				f(t, openOn(t, in, i, vulkan.Options{Adjust: as.adjust}))
			})
		}
	}
}

// kernels are those of vulkantest: what the launch has to know of them.
var kernels = map[string]vulkan.Code{
	"add": {Params: 4, Threads: 64}, "copy": {Params: 2, Threads: 1}, "endless": {Params: 1, Threads: 1}, "atomics": {Params: 1, Threads: 64},
	"many": {Params: 20, Threads: 1}, "subgroup": {Params: 1, Threads: 64}, "scratch": {Params: 1, Threads: 64, Scratch: 256},
	"fault": {Params: 2, Threads: 1, Sites: []vulkan.Site{
		{Fault: true, Loc: tileir.Loc{File: "k.go", Line: 7, Col: 3}, Text: func(w []uint32) string { return fmt.Sprintf("assertion failed: x is %d", w[0]) }},
		{Text: func(w []uint32) string { return fmt.Sprintf("x is %d\n", w[0]) }},
	}},
}

var assembled sync.Map // name to []uint32

// code gives a kernel of vulkantest.
func code(t testing.TB, name string) *vulkan.Code {
	t.Helper()
	words, ok := assembled.Load(name)
	if !ok {
		words, _ = assembled.LoadOrStore(name, vulkantest.SPIRV(t, name))
	}
	c := kernels[name]
	c.Words, c.Entry = words.([]uint32), "main"
	return &c
}

func load(t testing.TB, m machine, name string) *vulkan.Kernel {
	t.Helper()
	k, err := m.Load(name, code(t, name))
	check(t, err)
	return k
}

func newStream(t testing.TB, m machine) *vulkan.Stream {
	t.Helper()
	s, err := m.NewStream()
	check(t, err)
	return s.(*vulkan.Stream)
}

// alloc makes a buffer of words.
func alloc(t testing.TB, m machine, s engine.Stream, n int, words ...uint32) engine.Buffer {
	t.Helper()
	b, err := m.Alloc(4 * int64(n))
	check(t, err)
	if b.Address()%256 != 0 || b.Address() == 0 || b.Size() != 4*int64(n) {
		t.Fatalf("address %#x, %d bytes", b.Address(), b.Size())
	}
	if len(words) > 0 {
		check(t, s.Write(b, 0, toBytes(words)))
	}
	return b
}

func toBytes(words []uint32) []byte {
	var out []byte
	for _, w := range words {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out
}

// read gives the first n words of a buffer.
func read(t testing.TB, s engine.Stream, b engine.Buffer, n int) []uint32 {
	t.Helper()
	out := make([]byte, 4*n)
	check(t, s.Read(background, out, b, 0))
	words := make([]uint32, n)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(out[4*i:])
	}
	return words
}

// ramp is 0, 1, 2 …
func ramp(n int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = uint32(i)
	}
	return out
}

// floats makes n floats as words.
func floats(n int, f func(i int) float32) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = math.Float32bits(f(i))
	}
	return out
}

// soon ends a wait that would not end by itself.
func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(background, 30*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}
