package vulkan_test

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/testing/vulkantest"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// everyDevice runs a test on each device; objects must not be left.
func everyDevice(t *testing.T, f func(t *testing.T, p *vulkan.Physical, d *vulkan.Device)) {
	in, list := vulkantest.Instance(t)
	for _, p := range list {
		t.Run(p.Name, func(t *testing.T) {
			d, err := p.Open(0, 1)
			check(t, err)
			f(t, p, d)
			check(t, d.WaitIdle())
			d.Destroy()
			if live := in.Library().Live(); len(live) != 1 || live["VkInstance"] != 1 {
				t.Errorf("left %v", live)
			}
		})
	}
}

// memory is a buffer with memory of its own that the program sees.
type memory struct {
	buffer  vulkan.Buffer
	memory  vulkan.Memory
	address uint64
	words   []uint32
}

func newMemory(t *testing.T, d *vulkan.Device, words int) memory {
	t.Helper()
	b, err := d.CreateBuffer(4 * uint64(words))
	check(t, err)
	size, align, types := d.BufferRequirements(b)
	if size < 4*uint64(words) || align == 0 || types&1 == 0 {
		t.Fatalf("a buffer of %d words takes %d bytes, alignment %d, types %b", words, size, align, types)
	}
	m, err := d.AllocateMemory(size, 0)
	check(t, err)
	check(t, d.BindBuffer(b, m, 0))
	p, err := d.Map(m)
	check(t, err)
	out := memory{b, m, d.BufferAddress(b), unsafe.Slice((*uint32)(p), words)}
	clear(out.words)
	if out.address == 0 {
		t.Fatal("the buffer has no address")
	}
	return out
}

func (m memory) free(d *vulkan.Device) {
	d.DestroyBuffer(m.buffer)
	d.FreeMemory(m.memory)
}

// TestDispatch adds vectors, copies and fills, takes the time, and waits: every call that an engine makes.
func TestDispatch(t *testing.T) {
	words := vulkantest.SPIRV(t, "add")
	everyDevice(t, func(t *testing.T, p *vulkan.Physical, d *vulkan.Device) {
		const n = 1000
		m, control := newMemory(t, d, 4*1024), newMemory(t, d, 16)
		for i := range n {
			m.words[i], m.words[1024+i] = math.Float32bits(float32(i)), math.Float32bits(0.5)
		}
		cache, err := d.CreatePipelineCache(nil)
		check(t, err)
		layout, err := d.CreatePipelineLayout(128)
		check(t, err)
		shader, err := d.CreateShader(words)
		check(t, err)
		pipeline, err := d.CreateComputePipeline(cache, layout, shader, "main", p.Subgroup.Max, false)
		check(t, err)
		d.DestroyShader(shader)
		data, err := d.PipelineCacheData(cache)
		check(t, err)
		if len(data) < 32 || binary.LittleEndian.Uint32(data) != 32 || string(data[16:32]) != string(p.CacheUUID[:]) {
			t.Errorf("the cache begins % x, want the device's UUID % x", data[:min(32, len(data))], p.CacheUUID)
		}

		push := make([]byte, 128)
		for i, v := range []uint64{control.address, 0, m.address, m.address + 4096, m.address + 8192, n} {
			binary.LittleEndian.PutUint64(push[32+8*i:], v)
		}
		pool, err := d.CreateCommandPool(0)
		check(t, err)
		c, err := d.AllocateCommandBuffer(pool)
		check(t, err)
		queries, err := d.CreateQueryPool(2)
		check(t, err)
		check(t, d.Begin(c))
		d.CmdTimestamp(c, queries, 0)
		d.CmdBindPipeline(c, pipeline)
		d.CmdPushConstants(c, layout, push)
		d.CmdDispatch(c, (n+63)/64, 1, 1)
		d.CmdBarrier(c)
		d.CmdCopyBuffer(c, m.buffer, m.buffer, 8192, 12288, 4*n)
		d.CmdFillBuffer(c, m.buffer, 0, 8, 0xabcd)
		d.CmdBarrier(c)
		d.CmdTimestamp(c, queries, 1)
		d.CmdHostBarrier(c)
		check(t, d.End(c))

		timeline, err := d.CreateTimeline()
		check(t, err)
		s := &vulkan.Submission{Commands: c, Signal: vulkan.Point{Semaphore: timeline, Value: 5}}
		check(t, d.Submit(d.Queues()[0], s))
		if done, err := d.Wait(timeline, 5, time.Minute); !done || err != nil {
			t.Fatalf("waited: %v, %v", done, err)
		}
		if done, err := d.Wait(timeline, 6, time.Millisecond); done || err != nil {
			t.Errorf("waited for what nobody signals: %v, %v", done, err)
		}
		if v, err := d.Value(timeline); v != 5 || err != nil {
			t.Errorf("the timeline is at %d, %v", v, err)
		}
		from, err := d.Timestamp(queries, 0)
		check(t, err)
		to, err := d.Timestamp(queries, 1)
		check(t, err)
		if to <= from {
			t.Errorf("times %d and %d", from, to)
		}
		for i := range 1024 {
			want := float32(0)
			if i < n {
				want = float32(i) + 0.5
			}
			if got, copied := math.Float32frombits(m.words[2048+i]), math.Float32frombits(m.words[3072+i]); got != want || copied != want {
				t.Fatalf("element %d is %v, copied %v, want %v", i, got, copied, want)
			}
		}
		if m.words[0] != 0xabcd || m.words[1] != 0xabcd || m.words[2] != math.Float32bits(2) {
			t.Errorf("filled: %x", m.words[:3])
		}

		d.DestroySemaphore(timeline)
		d.DestroyQueryPool(queries)
		d.DestroyCommandPool(pool)
		d.DestroyPipeline(pipeline)
		d.DestroyPipelineLayout(layout)
		d.DestroyPipelineCache(cache)
		m.free(d)
		control.free(d)
	})
}

// TestSubmitDoesNotAllocate: launches are to cost as little as they can.
func TestSubmitDoesNotAllocate(t *testing.T) {
	everyDevice(t, func(t *testing.T, p *vulkan.Physical, d *vulkan.Device) {
		timeline, err := d.CreateTimeline()
		check(t, err)
		s := &vulkan.Submission{Signal: vulkan.Point{Semaphore: timeline}}
		if n := testing.AllocsPerRun(100, func() {
			s.Signal.Value++
			check(t, d.Submit(d.Queues()[0], s))
		}); n != 0 && !testenv.Race() {
			t.Errorf("%v allocations", n)
		}
		check(t, d.WaitIdle())
		d.DestroySemaphore(timeline)
	})
}

// TestRefusals opens devices that lack what is asked of them.
func TestRefusals(t *testing.T) {
	in, list := vulkantest.Instance(t)
	p := *list[0]
	p.Version = vulkan.V1_1
	if _, err := p.Open(0, 1); err == nil || !strings.Contains(err.Error(), "has Vulkan 1.1.0, but 1.2 or later is needed") {
		t.Errorf("error %v", err)
	}
	p = *list[0]
	p.Features.AtomicFloat64Add = true // no software driver has it
	if _, err := p.Open(0, 1); vulkan.Code(err) != vulkan.FeatureNotPresent {
		t.Errorf("error %v", err)
	}
	p = *list[0]
	for _, call := range []string{"vkCreateDevice", "vkCreateBuffer"} {
		in.Library().Inject(func(name string) vulkan.Result {
			if name == call {
				return vulkan.OutOfHostMemory
			}
			return vulkan.Success
		})
		d, err := p.Open(0, 1)
		if d != nil {
			_, err = d.CreateBuffer(64)
			d.Destroy()
		}
		if want := (&vulkan.Error{Call: call, Code: vulkan.OutOfHostMemory}); !errors.Is(err, want) {
			t.Errorf("error %v, want %v", err, want)
		}
	}
	in.Library().Inject(nil)
	if live := in.Library().Live(); len(live) != 1 {
		t.Errorf("left %v", live)
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{vulkan.VersionName(vulkan.V1_3 + 239), "1.3.239"},
		{vulkan.Discrete.String(), "discrete GPU"}, {vulkan.DeviceType(77).String(), "other device"},
		{vulkan.DeviceLost.String(), "VK_ERROR_DEVICE_LOST"}, {vulkan.Result(-99).String(), "VkResult -99"},
		{(&vulkan.Error{Call: "vkX", Code: vulkan.TooManyObjects, Text: "a text"}).Error(),
			"vkX: VK_ERROR_TOO_MANY_OBJECTS (-10): a text; free tensors that are no longer used, or make fewer and larger ones"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	f := vulkan.Features{Int64: true}
	if names := f.Names(); len(names) != 1 || names[0] != "shaderInt64" {
		t.Errorf("got %v", names)
	}
	if f.Hide("shaderInt65") || !f.Int64 || !f.Hide("shaderInt64") || f.Int64 {
		t.Errorf("hidden, it has %v", f.Names())
	}
}
