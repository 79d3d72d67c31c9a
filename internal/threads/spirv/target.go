package spirv

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/tileir"
)

// Target is what the writer has to know of a device.
type Target struct {
	Version spirv.Version // 0: 1.5
	Vulkan  bool          // it has the Vulkan memory model with the scope of the device
	Lanes   int           // threads of a warp
	Shared  int           // bytes of shared memory of a block
	// Subgroups says that a warp is a subgroup, whose threads exchange values; otherwise they do so through shared memory.
	Subgroups bool
	Modes     []FloatMode
	Has       map[spirv.Capability]bool // what it has beside what every device has
	Inline    int                       // parameters that fit into push constants
	Soft      map[Numeric]bool          // operations that the device does not compute as it must, so that they are computed in integers
	Software  bool                      // the driver computes on the CPU
	Matrices  []Unit                    // its cooperative matrices, the best ones first
}

// Bytes reports whether the device computes with integers of 8 bits.
func (t *Target) Bytes() bool { return t.Has[spirv.CapabilityInt8] }

// Unit is a matrix instruction.
type Unit = ir.Unit

// Matrix is the cooperative matrix product of M by K elements of a type by K by N, with signs or without, and sums of another type. ok is
// false for types that the writer does not know.
func Matrix(m, n, k int, elem, sum tileir.Elem, signed bool) (u Unit, ok bool) {
	_, ok1 := matrixElems[elem]
	_, ok2 := matrixElems[sum]
	u = Unit{Kind: ir.Cooperative, M: m, N: n, K: k, A: elem, B: elem, Acc: sum, Signed: [2]bool{signed, signed}}
	return u, ok1 && ok2 && sum.Bytes() == 4 && elem.Bytes() < 4
}

// FloatMode is a mode of computing that the device promises, for floats of a width.
type FloatMode struct {
	Mode  spirv.ExecutionMode
	Width int
}

// Code is a kernel in SPIR-V.
type Code struct {
	Module  *spirv.Module
	Shared  int   // bytes of shared memory
	Scratch int64 // bytes of scratch memory of a block, a multiple of 16
	Sites   []Site
	Length  int // instructions, with those of a function at each of its calls
}

// length counts instructions as drivers see them, which write a function at each of its calls.
func length(m *spirv.Module) (n int) {
	functions, f := map[spirv.ID]int{}, spirv.ID(0)
	for i := range m.Instrs { // functions come before their calls
		switch in := &m.Instrs[i]; in.Op {
		case spirv.OpFunction:
			f, n = in.Result, 0
		case spirv.OpFunctionEnd:
			functions[f] = n
		case spirv.OpFunctionCall:
			n += functions[in.Operands[0].ID()]
		default:
			n++
		}
	}
	return n
}

// Site is a place of the kernel that makes records.
type Site struct {
	Fault bool
	Loc   tileir.Loc
	Text  func(words []uint32) string
}

// refuse ends the work.
func (w *writer) refuse(format string, args ...any) {
	panic(&ir.Refusal{Loc: w.loc, Text: fmt.Sprintf(format, args...)})
}

// optional has the capabilities that devices may lack, with what they are.
var optional = map[spirv.Capability]string{
	spirv.CapabilityInt8: "integers of 8 bits", spirv.CapabilityInt16: "integers of 16 bits", spirv.CapabilityInt64: "integers of 64 bits",
	spirv.CapabilityFloat16: "floats of 16 bits", spirv.CapabilityFloat64: "floats of 64 bits, which fused multiplications of float32 take, too",
	spirv.CapabilityStorageBuffer8BitAccess: "memory of 8 bits", spirv.CapabilityStorageBuffer16BitAccess: "memory of 16 bits",
	spirv.CapabilityInt64Atomics: "atomic operations of 64 bits", spirv.CapabilityGroupNonUniformShuffle: "shuffles of subgroups",
	spirv.CapabilityCooperativeMatrixKHR: "cooperative matrices",
	spirv.CapabilityGroupNonUniformVote:  "votes of subgroups", spirv.CapabilityGroupNonUniformBallot: "broadcasts of subgroups",
}

// check gives what a module needs and the target lacks.
func (t *Target) check(m *spirv.Module) error {
	for i := range m.Instrs {
		in := &m.Instrs[i]
		if in.Op != spirv.OpCapability {
			continue
		}
		c := spirv.Capability(in.Operands[0].Word())
		if what, ok := optional[c]; ok && !t.Has[c] {
			return &ir.Refusal{Text: "the device has no " + what}
		}
	}
	return nil
}

// scratch reports whether a kernel takes the address of a buffer, which then lies in the scratch memory of the block.
func scratch(k *ir.Kernel) map[*ir.Buffer]bool {
	out := map[*ir.Buffer]bool{}
	k.Body.All(func(in *ir.Instr) {
		if in.Op == ir.Window {
			out[in.Buf] = true
		}
	})
	return out
}
