package threads

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/internal/threads/spirv"
	"github.com/cutile-go/cutile/tileir"
)

// Vulkan is what [SPIRV] has to know of a device.
type Vulkan struct {
	spirv.Target
	Warps int // of a block, a power of two
}

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
	block := linear.Block{Lanes: linear.Log2(v.Lanes), Warps: linear.Log2(v.Warps)}
	if block.Threads() != v.Lanes*v.Warps {
		return nil, fmt.Errorf("BUG: threads: a block of %d warps of %d lanes", v.Warps, v.Lanes)
	}
	k, vars, err := compile(m, entry, plan.Target{Block: block, Shared: v.Shared}, Options{Exact: true})
	if err != nil {
		return nil, err
	}
	out := &Shader{Threads: k.Threads}
	places := map[string]int64{}
	for _, x := range vars {
		align := max(16, x.Align)
		at := (len(out.Data) + align - 1) / align * align
		places[x.Name] = int64(at)
		out.Data = append(append(out.Data, make([]byte, at-len(out.Data))...), x.Data...)
	}
	out.Code, err = spirv.Write(k, v.Target, places)
	if r, ok := err.(*spirv.Refusal); ok {
		return nil, &Error{r.Loc, r.Text}
	}
	if err == nil && out.Shared > v.Shared {
		err = &Error{Text: fmt.Sprintf("the kernel needs %d bytes of shared memory, but the device has %d: use smaller tiles", out.Shared, v.Shared)}
	}
	return out, err
}
