package vulkan

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/spirv"
	writer "github.com/cutile-go/cutile/internal/threads/spirv"
)

// Caps is what a [Compiler] may use: all of it that is turned on is there.
type Caps struct {
	Version  uint32 // of Vulkan: SPIR-V 1.5 for 1.2, 1.6 for 1.3
	Features vulkan.Features
	Floats   vulkan.FloatControls
	Subgroup vulkan.Subgroup
	Matrices []vulkan.CooperativeMatrix

	Shared        uint32 // bytes of shared memory of a workgroup
	Invocations   uint32 // of a workgroup
	WorkgroupSize [3]uint32
	Software      bool // the device is a software driver on the CPU
	Longest       int  // instructions of a kernel, which functions add to at each of their calls; 0 for no bound

	Soft       []writer.Numeric // operations on floats that the device gets wrong, which are computed in integers
	NoMatrices []writer.Unit    // cooperative matrices that it multiplies wrong by
}

func capsOf(i *vulkan.Info) Caps {
	c := Caps{Version: i.Version, Features: i.Features, Floats: i.Floats, Subgroup: i.Subgroup, Matrices: i.Matrices,
		Shared: i.Limits.Shared, Invocations: i.Limits.Invocations, WorkgroupSize: i.Limits.WorkgroupSize, Software: i.Type == vulkan.CPU}
	for _, b := range bounds {
		if strings.HasPrefix(i.Driver, b.driver) {
			c.Longest = b.longest
		}
	}
	return c
}

// bounds are the drivers that end the process with kernels of more instructions.
var bounds = []struct {
	driver  string
	longest int
}{{"SwiftShader", 50000}} // 90,000 were fine at best, and 200,000 were not

// Caps is what kernels may use on the device, before anything is known of how it computes.
func (i Info) Caps() Caps { return capsOf(&i.Device) }

// Typical is a device for those who have none: a GPU of 32 invocations in step that has all types and keeps all promises.
func Typical() Caps {
	all := [3]bool{true, true, true}
	matrix := func(a, sum vulkan.Component, k uint32) vulkan.CooperativeMatrix {
		return vulkan.CooperativeMatrix{M: 16, N: 16, K: k, A: a, B: a, C: sum, Result: sum, Scope: uint32(spirv.ScopeSubgroup)}
	}
	return Caps{
		Matrices: []vulkan.CooperativeMatrix{matrix(vulkan.Float16, vulkan.Float32, 16), matrix(vulkan.BFloat16, vulkan.Float32, 16), matrix(vulkan.Sint8, vulkan.Sint32, 32), matrix(vulkan.Uint8, vulkan.Uint32, 32)},
		Version:  vulkan.V1_3, Shared: 32 << 10, Invocations: 1024, WorkgroupSize: [3]uint32{1024, 1024, 64},
		Features: vulkan.Features{Float64: true, Float16: true, Int64: true, Int16: true, Int8: true, Storage8: true, Storage16: true, BufferDeviceAddress: true,
			TimelineSemaphore: true, MemoryModel: true, MemoryModelDevice: true, SubgroupSize: true, FullSubgroups: true, AtomicInt64: true, CooperativeMatrix: true, BFloat16: true, BFloat16Matrix: true},
		Floats:   vulkan.FloatControls{SignedZeroInfNaN: all, DenormPreserve: all, RoundEven: all, Denorms: vulkan.Each, Rounding: vulkan.Each},
		Subgroup: vulkan.Subgroup{Size: 32, Min: 32, Max: 32, MaxPerGroup: 32, Operations: 0xff, Compute: true, CanAsk: true},
	}
}

// target names what code is made for: devices whose capabilities are the same share it.
func (c Caps) target() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%+v", c))
	return fmt.Sprintf("vulkan-%x", sum[:6])
}

// lacks lists what the engine needs and a device does not have. What kernels need beyond that is the compiler's matter.
func lacks(i *vulkan.Info) []string {
	if i.Version < vulkan.V1_2 {
		return []string{"Vulkan 1.2 (it has " + vulkan.VersionName(i.Version) + ")"}
	}
	var out []string
	for _, need := range []struct {
		ok   bool
		name string
	}{
		{i.Features.BufferDeviceAddress, "bufferDeviceAddress"},
		{i.Features.TimelineSemaphore, "timelineSemaphore"},
		{i.Limits.PushConstants >= pushBytes, fmt.Sprintf("%d bytes of push constants", pushBytes)},
		{computeFamily(i) != nil, "a queue for compute"},
		{findMemory(i, ^uint32(0), hostMemory) != nil, "memory that the program sees"},
		{findMemory(i, ^uint32(0), deviceMemory(i)) != nil, "memory of the device"},
	} {
		if !need.ok {
			out = append(out, need.name)
		}
	}
	return out
}

// computeFamily is the queues that serve: those that only compute, as they do not share with what draws; nil for none.
func computeFamily(i *vulkan.Info) *vulkan.QueueFamily {
	var best *vulkan.QueueFamily
	score := func(q *vulkan.QueueFamily) int {
		n := 0
		if q.TimestampBits > 0 {
			n += 2
		}
		if !q.Graphics {
			n++
		}
		return n
	}
	for j := range i.Families {
		q := &i.Families[j]
		if q.Compute && q.Count > 0 && (best == nil || score(q) > score(best)) {
			best = q
		}
	}
	return best
}

// hostMemory lists properties of memory for what the program and the device both use, the best first.
var hostMemory = []uint32{
	vulkan.HostVisible | vulkan.HostCoherent | vulkan.HostCached,
	vulkan.HostVisible | vulkan.HostCoherent,
}

// mapped is what memory has that buffers keep mapped: reading it without a cache would be slow beyond measure.
const mapped = vulkan.HostVisible | vulkan.HostCoherent | vulkan.HostCached

// deviceMemory lists the properties for buffers, the best first. Where the device uses the machine's own memory, the program
// sees them, too.
func deviceMemory(i *vulkan.Info) []uint32 {
	unified := i.Type == vulkan.Integrated || i.Type == vulkan.CPU ||
		!slices.ContainsFunc(i.Heaps, func(h vulkan.Heap) bool { return !h.DeviceLocal })
	if unified {
		return []uint32{vulkan.DeviceLocal | mapped, vulkan.DeviceLocal, mapped}
	}
	return []uint32{vulkan.DeviceLocal}
}

// findMemory gives the first type of memory, among those of a set, that has the first properties for which there is one. Of
// several, one that has nothing more is taken: on GPUs with memory of their own the part that programs see may be small.
func findMemory(i *vulkan.Info, set uint32, wants []uint32) *vulkan.MemoryType {
	for _, want := range wants {
		var found []*vulkan.MemoryType
		for j := range i.Memory {
			if m := &i.Memory[j]; m.Flags&want == want && set>>m.Index&1 != 0 {
				found = append(found, m)
			}
		}
		if len(found) > 0 {
			return slices.MinFunc(found, func(a, b *vulkan.MemoryType) int { return cmp.Compare(a.Flags&^want, b.Flags&^want) })
		}
	}
	return nil
}
