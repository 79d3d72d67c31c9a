package threads

import (
	"errors"
	"fmt"
	"slices"

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
	out, err := shader(m, entry, v)
	var no *Error
	if errors.As(err, &no) && no.Loc.IsZero() { // on account of the kernel as a whole
		i := slices.IndexFunc(m.Entries, func(e *tileir.Entry) bool { return e.Name == entry })
		err = &Error{Loc: m.Entries[i].Loc, Text: no.Text}
	}
	return out, err
}

func shader(m *tileir.Module, entry string, v Vulkan) (*Shader, error) {
	k, vars, err := shortest(m, entry, v)
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
	if err == nil && out.Shared > v.Shared {
		err = &Error{Text: fmt.Sprintf("the kernel needs %d bytes of shared memory, but the device has %d: use smaller tiles", out.Shared, v.Shared)}
	}
	return out, err
}

// shortest compiles a kernel for as few warps as keep it short, but for no more than its products by cooperative matrices give work. As a
// thread's instructions are about as many as its elements, the first attempt tells how many warps that takes.
func shortest(m *tileir.Module, entry string, v Vulkan) (k *ir.Kernel, vars []*emit.Variable, err error) {
	best, products, most := 0, 0, v.Warps[1]
	for warps := v.Warps[0]; ; {
		t := plan.Target{Block: linear.Block{Lanes: linear.Log2(v.Lanes), Warps: linear.Log2(warps)}, Shared: v.Shared, Units: v.Matrices}
		p, more, moreVars, err := compile(m, entry, t, emit.Target{Shared: v.Shared, Exact: true, Shuffles: v.Subgroups, Words: !v.Bytes()})
		switch {
		case err != nil && (k == nil && warps == most):
			return nil, nil, err
		case err == nil && (k == nil || len(p.Products) > products || len(p.Products) == products && v.length(more) < v.length(k)*3/4):
			k, vars, best, products = more, moreVars, warps, len(p.Products)
		case err == nil && len(p.Products) < products && warps > 2*best:
			most, warps = warps/2, warps/2
			continue
		case k != nil: // more warps do not help
			return k, vars, nil
		}
		n := 2
		for k != nil && v.length(k) > n*short {
			n *= 2
		}
		if warps == most || k != nil && v.length(k) <= short {
			return k, vars, nil
		}
		warps = min(n*warps, most)
	}
}

// length is the number of instructions of a kernel, with those that package spirv makes of operations on floats.
func (v *Vulkan) length(k *ir.Kernel) (n int) {
	k.Body.All(func(in *ir.Instr) { n += v.Target.Length(in) })
	return n
}
