package emu_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// TestOldInstructions compares the instructions of older versions with formulas of the PTX ISA in Go.
func TestOldInstructions(t *testing.T) {
	low24, signed24 := func(x uint32) uint64 { return uint64(x & 0xffffff) }, func(x uint32) int64 { return int64(int32(x<<8) >> 8) }
	clamp := func(x uint32, low, high int32) uint32 { return uint32(min(max(int32(x), low), high)) }
	for op, f := range map[string]func(x, y, z uint32) uint32{
		"mul24.lo.u32":   func(x, y, _ uint32) uint32 { return uint32(low24(x) * low24(y)) },
		"mul24.hi.u32":   func(x, y, _ uint32) uint32 { return uint32(low24(x) * low24(y) >> 16) },
		"mul24.lo.s32":   func(x, y, _ uint32) uint32 { return uint32(signed24(x) * signed24(y)) },
		"mul24.hi.s32":   func(x, y, _ uint32) uint32 { return uint32(signed24(x) * signed24(y) >> 16) },
		"mad24.lo.u32":   func(x, y, z uint32) uint32 { return uint32(low24(x)*low24(y)) + z },
		"mad24.hi.s32":   func(x, y, z uint32) uint32 { return uint32(signed24(x)*signed24(y)>>16) + z },
		"sad.u32":        func(x, y, z uint32) uint32 { return max(x, y) - min(x, y) + z },
		"sad.s32":        func(x, y, z uint32) uint32 { return uint32(max(int32(x), int32(y))-min(int32(x), int32(y))) + z },
		"slct.b32.s32":   func(x, y, z uint32) uint32 { return map[bool]uint32{true: x, false: y}[int32(z) >= 0] },
		"slct.b32.f32":   func(x, y, z uint32) uint32 { return map[bool]uint32{true: x, false: y}[math.Float32frombits(z) >= 0] },
		"bmsk.clamp.b32": func(x, y, _ uint32) uint32 { return uint32((uint64(1)<<min(y, 32) - 1) << min(x, 32)) },
		"bmsk.wrap.b32":  func(x, y, _ uint32) uint32 { return (1<<(y%32) - 1) << (x % 32) },
		"dp2a.lo.s32.u32": func(x, y, z uint32) uint32 {
			return uint32(int32(int16(x))*int32(y&255)+int32(x)>>16*int32(y>>8&255)) + z
		},
		"dp2a.hi.u32.s32": func(x, y, z uint32) uint32 {
			return uint32(int32(x&0xffff)*int32(int8(y>>16))+int32(x>>16)*int32(int8(y>>24))) + z
		},
		"cvt.pack.sat.u8.s32.b32": func(x, y, z uint32) uint32 { return z<<16 | clamp(x, 0, 255)<<8 | clamp(y, 0, 255) },
		"cvt.pack.sat.s8.s32.b32": func(x, y, z uint32) uint32 { return z<<16 | clamp(x, -128, 127)&255<<8 | clamp(y, -128, 127)&255 },
		"cvt.pack.sat.s16.s32":    func(x, y, _ uint32) uint32 { return clamp(x, -32768, 32767)<<16 | clamp(y, -32768, 32767)&0xffff },
	} {
		form, ok := simt.FormOf(op)
		if !ok {
			t.Fatalf("there is no %s", op)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		var values []uint32
		for range 300 {
			values = append(values, rng.Uint32()>>rng.IntN(32)*uint32(1-2*rng.IntN(2)))
		}
		values = append(values, 0x80000000, 0x7fc00000, 0, 0x80000000, 0, 0xff800000) // -0, NaN and -Inf as the third
		n := len(values) / 3
		b := kernel(1, 2)
		for i := range n {
			var src []simt.Operand
			for k := range form.Sigs[0].Src {
				src = append(src, b.Value(simt.B32, "ld.global.b32", simt.At(param(b, 0), int64(4*(3*i+k)))))
			}
			b.Emit("st.global.b32", nil, simt.At(param(b, 1), int64(4*i)), b.Value(simt.B32, op, src...))
		}
		out := make([]byte, 4*n)
		must(t, launch(b, emu.Launch{}, words(len(values), func(i int) uint32 { return values[i] }), out))
		for i := range n {
			if got, want := word(out, i), f(values[3*i], values[3*i+1], values[3*i+2]); got != want {
				t.Errorf("%s %#x: %#x, expected %#x", op, values[3*i:3*i+3], got, want)
			}
		}
	}
}

// TestVariables keeps the variables of a module from one launch to the next, and constants as they are.
func TestVariables(t *testing.T) {
	b := kernel(1, 1)
	r := b.Value(simt.B32, "ld.global.b32", simt.AtName("count", 4))
	r = b.Value(simt.B32, "add.u32", r, simt.I(1))
	b.Emit("st.global.b32", nil, simt.AtName("count", 4), r)
	p := b.Value(simt.B64, "ld.const.b64", simt.AtName("pointer", 8))
	b.Emit("st.global.b32", nil, simt.At(param(b, 0), 0), b.Value(simt.B32, "ld.global.b32", simt.At(p.Reg, 0)))
	b.Emit("ret", nil)
	m := &simt.Module{Kernels: []*simt.Func{b.Func}, Vars: []*simt.Var{
		{Name: "count", Space: "global", Align: 8, Bytes: 8, Init: []byte{0, 0, 0, 0, 5}},
		{Name: "pointer", Space: "const", Align: 8, Bytes: 16, Init: make([]byte, 16), Refs: []simt.Ref{{Offset: 8, Name: "count", Add: 4}}},
	}}
	must(t, simt.Verify(m, "sm_80"))
	prog, err := emu.Load(m)
	must(t, err)
	out := make([]byte, 4)
	memory := &emu.Memory{}
	memory.Map(start, out, "out", false)
	for want := uint32(6); want < 9; want++ {
		must(t, prog.Run(t.Context(), emu.Launch{Kernel: "k", Grid: [3]int{1, 1, 1}, Args: []uint64{start}, Memory: memory}))
		if got := word(out, 0); got != want {
			t.Errorf("count is %d, expected %d", got, want)
		}
	}
}
