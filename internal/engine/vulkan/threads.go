package vulkan

import (
	"context"
	"errors"
	"math/bits"
	"slices"

	"github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/threads"
	writer "github.com/cutile-go/cutile/internal/threads/spirv"
	"github.com/cutile-go/cutile/tileir"

	"github.com/cutile-go/cutile/internal/engine"
)

// Threads is the [Compiler] of package threads.
func Threads(_ context.Context, m *tileir.Module, entry string, c Caps) (*Code, error) {
	v := c.Threads()
	s, err := threads.SPIRV(m, entry, v)
	var no *threads.Error
	if errors.As(err, &no) {
		return nil, &Refused{Entry: entry, Loc: no.Loc, Reason: no.Text}
	} else if err != nil {
		return nil, err
	}
	e, err := engine.FindEntry(m, entry)
	if err != nil {
		return nil, err
	}
	return codeOf(s, &v.Target, entry, len(e.Params)), nil
}

// codeOf makes what the engine loads of a kernel in SPIR-V that was made for a target.
func codeOf(s *threads.Shader, t *writer.Target, entry string, params int) *Code {
	code := &Code{Words: s.Module.Words(), Entry: entry, Params: params, Threads: s.Threads, Shared: s.Shared, Scratch: s.Scratch,
		Length: s.Length, Data: s.Data}
	if t.Subgroups {
		code.Subgroup, code.Full = uint32(t.Lanes), true
	}
	for _, x := range s.Sites {
		code.Sites = append(code.Sites, Site(x))
	}
	return code
}

// capabilities are those of SPIR-V that features stand for.
var capabilities = []struct {
	c  spirv.Capability
	ok func(f *vulkan.Features) bool
}{
	{spirv.CapabilityInt8, func(f *vulkan.Features) bool { return f.Int8 }},
	{spirv.CapabilityInt16, func(f *vulkan.Features) bool { return f.Int16 }},
	{spirv.CapabilityInt64, func(f *vulkan.Features) bool { return f.Int64 }},
	{spirv.CapabilityFloat16, func(f *vulkan.Features) bool { return f.Float16 }},
	{spirv.CapabilityFloat64, func(f *vulkan.Features) bool { return f.Float64 }},
	{spirv.CapabilityStorageBuffer8BitAccess, func(f *vulkan.Features) bool { return f.Storage8 }},
	{spirv.CapabilityStorageBuffer16BitAccess, func(f *vulkan.Features) bool { return f.Storage16 }},
	{spirv.CapabilityCooperativeMatrixKHR, func(f *vulkan.Features) bool {
		return f.CooperativeMatrix && f.MemoryModel && f.MemoryModelDevice // which SPIR-V wants for them
	}},
	{spirv.CapabilityInt64Atomics, func(f *vulkan.Features) bool { return f.AtomicInt64 }},
}

// operations are the capabilities that subgroups have, by their bit of VkSubgroupFeatureFlags.
var operations = map[uint32]spirv.Capability{
	1 << 1: spirv.CapabilityGroupNonUniformVote, 1 << 3: spirv.CapabilityGroupNonUniformBallot, 1 << 4: spirv.CapabilityGroupNonUniformShuffle,
}

// floatModes are the modes of floats that kernels ask for.
var floatModes = []struct {
	mode  spirv.ExecutionMode
	has   func(f *vulkan.FloatControls) [3]bool
	apart func(f *vulkan.FloatControls) vulkan.Independence
}{
	{spirv.ExecutionModeSignedZeroInfNanPreserve, func(f *vulkan.FloatControls) [3]bool { return f.SignedZeroInfNaN },
		func(*vulkan.FloatControls) vulkan.Independence { return vulkan.Each }},
	{spirv.ExecutionModeDenormPreserve, func(f *vulkan.FloatControls) [3]bool { return f.DenormPreserve },
		func(f *vulkan.FloatControls) vulkan.Independence { return f.Denorms }},
	{spirv.ExecutionModeRoundingModeRTE, func(f *vulkan.FloatControls) [3]bool { return f.RoundEven },
		func(f *vulkan.FloatControls) vulkan.Independence { return f.Rounding }},
}

// modes lists the modes that the device promises, but for those that it wants the same for several widths and has not for all of these.
func modes(f *vulkan.FloatControls) (out []writer.FloatMode) {
	for _, row := range floatModes {
		has := row.has(f)
		switch outer := has[0] && has[2]; row.apart(f) {
		case vulkan.Only32:
			has[0], has[2] = outer, outer
		case vulkan.NoWidth:
			all := outer && has[1]
			has = [3]bool{all, all, all}
		}
		for i, width := range []int{16, 32, 64} {
			if has[i] {
				out = append(out, writer.FloatMode{Mode: row.mode, Width: width})
			}
		}
	}
	return out
}

// components are the types of cooperative matrices' elements, with whether they have signs, and the features without which kernels cannot
// have such numbers.
var components = map[vulkan.Component]struct {
	elem   tileir.Elem
	signed bool
	ok     func(f *vulkan.Features) bool
}{
	vulkan.Float16:  {tileir.F16, false, func(f *vulkan.Features) bool { return f.Float16 && f.Int16 }},
	vulkan.Sint8:    {tileir.I8, true, func(f *vulkan.Features) bool { return f.Int8 }},
	vulkan.Uint8:    {tileir.I8, false, func(f *vulkan.Features) bool { return f.Int8 }},
	vulkan.BFloat16: {tileir.BF16, false, func(f *vulkan.Features) bool { return f.BFloat16 && f.BFloat16Matrix && f.Int16 }},
	vulkan.Float32:  {tileir.F32, false, always}, vulkan.Sint32: {tileir.I32, true, always}, vulkan.Uint32: {tileir.I32, false, always},
}

func always(*vulkan.Features) bool { return true }

// matrices are the cooperative matrices of the device that kernels use: those of subgroups, the greatest first.
func (c Caps) matrices() (out []writer.Unit) {
	for _, m := range c.Matrices {
		a, okA := components[m.A]
		sum, okSum := components[m.C]
		u, ok := writer.Matrix(int(m.M), int(m.N), int(m.K), a.elem, sum.elem, a.signed)
		switch {
		case !okA || !okSum || !ok || a.signed != sum.signed || !a.ok(&c.Features):
		case m.M == 0 || m.N == 0 || m.K == 0 || m.M&(m.M-1)|m.N&(m.N-1)|m.K&(m.K-1) != 0:
		case m.A != m.B || m.C != m.Result || m.Saturating || m.Scope != uint32(spirv.ScopeSubgroup) || slices.Contains(c.NoMatrices, u):
		default:
			out = append(out, u)
		}
	}
	slices.SortStableFunc(out, func(a, b writer.Unit) int { return b.M*b.N*b.K - a.M*a.N*a.K })
	return out
}

// Threads is what package threads has to know of the device. Short kernels have blocks of one subgroup: on software drivers barriers
// among several cost more than the threads gain.
func (c Caps) Threads() threads.Vulkan {
	t := threads.Vulkan{Warps: [2]int{1, 1}, Target: writer.Target{
		Vulkan: c.Features.MemoryModel && c.Features.MemoryModelDevice, Shared: int(c.Shared), Inline: InlineParams, Software: c.Software, Has: map[spirv.Capability]bool{},
	}}
	size := min(max(c.Subgroup.Size, 1), 64)
	t.Lanes = 1 << (bits.Len32(size) - 1)
	s := c.Subgroup
	t.Subgroups = s.Compute && s.CanAsk && c.Features.SubgroupSize && c.Features.FullSubgroups && uint32(t.Lanes) >= s.Min && uint32(t.Lanes) <= s.Max
	for _, row := range capabilities {
		t.Has[row.c] = row.ok(&c.Features)
	}
	for bit, name := range operations {
		t.Has[name] = c.Subgroup.Operations&bit != 0
		t.Subgroups = t.Subgroups && t.Has[name]
	}
	if t.Subgroups && t.Has[spirv.CapabilityCooperativeMatrixKHR] {
		t.Matrices = c.matrices()
	}
	most := min(int(c.Invocations), int(c.WorkgroupSize[0]), 256)
	if t.Subgroups {
		most = min(most, t.Lanes*int(s.MaxPerGroup))
	}
	for 2*t.Warps[1]*t.Lanes <= most {
		t.Warps[1] *= 2
	}
	t.Modes = modes(&c.Floats)
	if len(c.Soft) > 0 {
		t.Soft = map[writer.Numeric]bool{}
		for _, n := range c.Soft {
			t.Soft[n] = true
		}
	}
	return t
}
