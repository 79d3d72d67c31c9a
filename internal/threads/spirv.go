package threads

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/emit"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/internal/threads/spirv"
	"github.com/cutile-go/cutile/tileir"
)

// Vulkan is what [SPIRV] has to know of a device.
type Vulkan struct {
	spirv.Target
	// Warps is the least and the greatest number of warps of a block, powers of two. Of those a kernel has as few as keep it short:
	// drivers take long to compile what each thread does to many elements of a tile, one after the other.
	Warps [2]int
}

// short is the greatest number of instructions of a kernel that gets no more warps.
const short = 1000

// Shader is a kernel in SPIR-V.
type Shader struct {
	*spirv.Code
	Threads int
	// Data is what the variables of the module hold before the kernel runs; nil for none. The address of such memory follows the
	// parameters as one more.
	Data []byte
}

// SPIRV makes a module of SPIR-V for an entry of a module, which [tileir.Verify] must accept. What it cannot do is an [*Error].
func SPIRV(m *tileir.Module, entry string, v Vulkan) (*Shader, error) {
	var k *ir.Kernel // as short as there is
	var vars []*emit.Variable
	for warps := v.Warps[0]; ; warps *= 2 {
		_, more, moreVars, err := compile(m, entry, plan.Target{Block: linear.Block{Lanes: linear.Log2(v.Lanes), Warps: linear.Log2(warps)}, Shared: v.Shared}, emit.Target{Shared: v.Shared, Exact: true, Shuffles: v.Subgroups})
		switch {
		case err != nil && (k == nil && warps == v.Warps[1]):
			return nil, err
		case err == nil && (k == nil || length(more) < length(k)*3/4):
			k, vars = more, moreVars
		}
		if warps >= v.Warps[1] || k != nil && length(k) <= short {
			break
		}
	}
	out := &Shader{Threads: k.Threads}
	places := map[string]int64{}
	for _, x := range vars {
		align := max(16, x.Align)
		at := (len(out.Data) + align - 1) / align * align
		places[x.Name] = int64(at)
		out.Data = append(append(out.Data, make([]byte, at-len(out.Data))...), x.Data...)
	}
	var err error
	out.Code, err = spirv.Write(k, v.Target, places)
	if err == nil && out.Shared > v.Shared {
		err = &Error{Text: fmt.Sprintf("the kernel needs %d bytes of shared memory, but the device has %d: use smaller tiles", out.Shared, v.Shared)}
	}
	return out, err
}

// length is the number of instructions of a kernel. A fused product is many, see package spirv.
func length(k *ir.Kernel) (n int) {
	k.Body.All(func(in *ir.Instr) {
		n++
		if in.Op == ir.Elem && in.Do == vec.FMulAdd {
			n += fused[in.Type]
		}
	})
	return n
}

// fused are the instructions of fused products, beyond one.
var fused = map[vec.Type]int{vec.F32: 30, vec.F64: 300}
