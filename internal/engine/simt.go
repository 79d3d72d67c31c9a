package engine

import (
	"context"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// SIMT is implemented by a Device that also runs kernels of the SIMT level. Its streams are [SIMTStream].
type SIMT interface {
	// LoadSIMT makes the kernels of a module ready. image is what was made of it for the device's Target, PTX or machine
	// code; a device that takes the module itself ignores it.
	LoadSIMT(ctx context.Context, m *simt.Module, image []byte) (SIMTModule, error)
	// TensorMap encodes a tensor map as kernels find it in memory.
	TensorMap(m TensorMap) ([]byte, error)
	// Checks reports whether launches look for what a GPU leaves undefined: modules for the device then have [simt.OpCheck].
	Checks() bool
	// Archs lists the architectures, such as "sm_90a", that a module for the device may be made for: the first one that has
	// all that the module uses serves.
	Archs() []string
	// TakesModules reports whether LoadSIMT takes modules themselves, so that no code need be made of them.
	TakesModules() bool
	// Output is where printing of the program itself goes.
	Output() io.Writer
}

// SIMTCode is a module of the SIMT level that code is to be made of.
type SIMTCode struct {
	Module *simt.Module
	Arch   string
	Lines  bool   // PTX tells the lines of the source
	Level  int    // of optimisation, for machine code: 0 to 3
	Key    []byte // names the module with all else that decides its code; nil if nothing is to be kept on disk
}

// SIMTAssembler is an [Exporter] that makes code of modules of the SIMT level, with or without a device. found says that the
// code was on disk.
type SIMTAssembler interface {
	// PTX makes PTX.
	PTX(ctx context.Context, c SIMTCode) (text []byte, found bool, err error)
	// Cubin makes machine code of PTX.
	Cubin(ctx context.Context, c SIMTCode, ptx []byte) (code []byte, found bool, err error)
	// Forget drops what is on disk, as code that a driver refused.
	Forget(c SIMTCode) error
}

// TensorMap describes a tensor in global memory and the boxes of it that are copied, as GPUs since sm_90 have it.
// Dimension 0 is the one whose elements lie side by side.
type TensorMap struct {
	Type    string // of an element, as PTX has it: "f16", "u8"; also "bf16" and "tf32"
	Rank    int
	Addr    uint64    // of the first element
	Dims    [5]uint64 // extents in elements
	Strides [5]uint64 // in bytes; of dimension 0 not used
	Box     [5]uint32 // extents of a box in elements of the tensor
	Steps   [5]uint32 // distance of the elements that are copied: 0 is 1
	Swizzle int       // bytes: 0, 32, 64 or 128
}

// TensorMapFor is the tensor map that a parameter is for the arguments of a launch. ok is false if machines have no such map: of a tensor
// without elements, or one whose address or whose strides 16 bytes do not divide.
func TensorMapFor(p *simt.TensorParam, args []uint64) (m TensorMap, ok bool) {
	size, err := strconv.Atoi(strings.TrimLeft(p.Type, "u"))
	if err != nil || len(p.Dims) > len(m.Dims) {
		return m, false
	}
	m = TensorMap{Type: p.Type, Rank: len(p.Dims), Addr: args[p.Base], Swizzle: p.Swizzle}
	for i, d := range p.Dims {
		extent, stride := d.Extent.Of(args), d.Stride.Of(args)
		if extent < 1 || extent >= 1<<31 || stride < 1 || stride >= 1<<32 {
			return m, false
		}
		m.Dims[i], m.Box[i], m.Strides[i] = uint64(extent), uint32(d.Box), uint64(stride)*uint64(size/8)
		if i == 0 && stride != 1 || i > 0 && (m.Strides[i]%16 != 0 || m.Strides[i] >= 1<<40) {
			return m, false
		}
	}
	m.Strides[0] = 0
	return m, m.Addr != 0 && m.Addr%16 == 0
}

// SIMTModule is a loaded module.
type SIMTModule interface {
	// Kernel finds a kernel by its name.
	Kernel(name string) (Kernel, error)
	// Close frees the module with its kernels. Launches that are queued must have ended.
	Close() error
}

// SIMTLaunch says how a kernel of the SIMT level is launched.
type SIMTLaunch struct {
	Grid    [3]uint32
	Block   [3]uint32      // threads of a block: zero for the kernel's own
	Cluster [3]uint32      // blocks of a cluster: zero for the kernel's own
	Shared  uint32         // bytes of dynamic shared memory
	Static  uint32         // bytes of the shared memory before it, for variables, if the module was read from PTX
	Args    []uint64       // by parameter: the bits, zero-extended
	Bytes   map[int][]byte // by parameter that is an array of bytes
	Buffers []Buffer       // the memory that the kernel may touch
	Tensors []Tensor       // among the arguments, for messages

	Cooperative bool // all blocks run at once, or the launch is an error
	PDL         bool // the kernel may start before the one before it has ended, which it waits for itself
}

// Occupancy is what a kernel takes of a device, and how many of its blocks run at once.
type Occupancy struct {
	Blocks          int // that a multiprocessor runs at once
	Multiprocessors int
	Threads         int // of a block
	Registers       int // of a thread, of 32 bits
	Local           int // bytes of a thread: spills and arrays
	Shared          int // bytes of a block, static and dynamic
}

// Occupier is a Device that tells what kernels take of it.
type Occupier interface {
	// Occupancy is that of a kernel in launches with such blocks, clusters and dynamic shared memory.
	Occupancy(k Kernel, l SIMTLaunch) (Occupancy, error)
}

// CloneBytes copies the arrays of bytes among the arguments of a launch.
func CloneBytes(arrays map[int][]byte) map[int][]byte {
	out := maps.Clone(arrays)
	for i, b := range out {
		out[i] = slices.Clone(b)
	}
	return out
}

// SIMTStream is a queue that also takes kernels of the SIMT level.
type SIMTStream interface {
	// LaunchSIMT queues a kernel. What l points at is not kept.
	LaunchSIMT(k Kernel, l SIMTLaunch) error
}
