package vulkan

import (
	"testing"

	"github.com/cutile-go/cutile/internal/driver/vulkan"
)

const (
	local    = vulkan.DeviceLocal
	visible  = vulkan.HostVisible | vulkan.HostCoherent
	cached   = vulkan.HostCached
	gib      = 1 << 30
	noMemory = -1
)

// memoryOf makes the types of a device: pairs of flags and heap.
func memoryOf(typ vulkan.DeviceType, heaps []vulkan.Heap, pairs ...uint32) *vulkan.Info {
	i := &vulkan.Info{Type: typ, Heaps: heaps}
	for j := 0; j < len(pairs); j += 2 {
		i.Memory = append(i.Memory, vulkan.MemoryType{Index: uint32(j / 2), Flags: pairs[j], Heap: int(pairs[j+1])})
	}
	return i
}

// TestMemoryTypes: what is taken for buffers and for copies, on devices as drivers describe them.
func TestMemoryTypes(t *testing.T) {
	split := []vulkan.Heap{{Size: 8 * gib, DeviceLocal: true}, {Size: 16 * gib}}
	window := append(split, vulkan.Heap{Size: gib / 4, DeviceLocal: true})
	one := []vulkan.Heap{{Size: 16 * gib, DeviceLocal: true}}
	for _, c := range []struct {
		name         string
		info         *vulkan.Info
		buffer, host int // the types
		seen         bool
	}{
		{"NVIDIA, small window", memoryOf(vulkan.Discrete, window, 0, 1, local, 0, visible, 1, visible|cached, 1, local|visible, 2), 1, 3, false},
		{"AMD, all of the memory seen", memoryOf(vulkan.Discrete, split, local|visible, 0, local, 0, visible, 1, visible|cached, 1), 1, 3, false},
		{"AMD, integrated", memoryOf(vulkan.Integrated, split, local, 0, local|visible, 0, visible, 1, visible|cached, 1), 0, 3, false},
		{"Intel, integrated", memoryOf(vulkan.Integrated, one, local, 0, local|visible, 0, local|visible|cached, 0), 2, 2, true},
		{"Apple", memoryOf(vulkan.Integrated, one, local, 0, local|visible|cached, 0), 1, 1, true},
		{"software", memoryOf(vulkan.CPU, one, local|visible|cached, 0), 0, 0, true},
		{"phone without a cache", memoryOf(vulkan.Integrated, one, local|visible, 0), 0, 0, false},
		{"nothing that is coherent", memoryOf(vulkan.Discrete, split, local, 0, vulkan.HostVisible|cached, 1), 0, noMemory, false},
	} {
		for _, want := range []struct {
			name  string
			wants []uint32
			index int
			seen  bool
		}{{"buffers", deviceMemory(c.info), c.buffer, c.seen}, {"copies", hostMemory, c.host, true}} {
			m := findMemory(c.info, ^uint32(0), want.wants)
			if m == nil {
				if want.index != noMemory {
					t.Errorf("%s: no memory for %s", c.name, want.name)
				}
				continue
			}
			if int(m.Index) != want.index || seen(m.Flags, want.wants) != want.seen {
				t.Errorf("%s: type %d for %s, seen %v, want %d, %v", c.name, m.Index, want.name, seen(m.Flags, want.wants), want.index, want.seen)
			}
		}
	}
	if m := findMemory(memoryOf(vulkan.CPU, one, local, 0, local, 0), 2, []uint32{local}); m == nil || m.Index != 1 {
		t.Errorf("got %v of the types that a buffer may have", m)
	}
}

// TestComputeFamily: queues that only compute come first, unless they take no times.
func TestComputeFamily(t *testing.T) {
	all, only, blind, draws := vulkan.QueueFamily{Index: 0, Count: 1, Compute: true, Graphics: true, TimestampBits: 64}, vulkan.QueueFamily{Index: 1, Count: 8, Compute: true, TimestampBits: 36},
		vulkan.QueueFamily{Index: 2, Count: 1, Compute: true}, vulkan.QueueFamily{Index: 3, Count: 1, Graphics: true, TimestampBits: 64}
	for _, c := range []struct {
		families []vulkan.QueueFamily
		want     int
	}{{[]vulkan.QueueFamily{all, only}, 1}, {[]vulkan.QueueFamily{blind, all}, 0}, {[]vulkan.QueueFamily{draws, blind}, 2}, {[]vulkan.QueueFamily{draws}, noMemory}} {
		q := computeFamily(&vulkan.Info{Families: c.families})
		if (q == nil) != (c.want == noMemory) || q != nil && int(q.Index) != c.want {
			t.Errorf("%v: got %v", c.families, q)
		}
	}
}
