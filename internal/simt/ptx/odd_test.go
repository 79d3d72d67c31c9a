package ptx_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// bytesKernel converts to pairs of four bits and back, under a guard and through registers of two widths.
func bytesKernel() *simt.Module {
	f := &simt.Func{Name: "k", Block: [3]int{32, 1, 1}, Params: []simt.Param{{Name: "x", Type: "u64"}}}
	b := &simt.Builder{Func: f}
	x := b.Value(simt.B64, "ld.param.u64", simt.AtName("x", 0))
	v := b.Value(simt.B32, "ld.global.b32", simt.At(x.Reg, 0))
	p := b.Value(simt.Pred, "setp.ne.s32", v, simt.I(0))
	h, w := b.Value(simt.B16, "mov.b16", simt.I(0)), b.Value(simt.B32, "mov.b32", simt.I(0))
	b.Emit("cvt.rn.satfinite.e2m1x2.f32", []simt.Operand{h}, v, simt.B(0x3f800000)).Guard = p.Reg
	in := b.Emit("cvt.rn.satfinite.relu.e2m1x2.f32", []simt.Operand{w}, v, v)
	in.Guard, in.Unless = p.Reg, true
	halves := b.Value(simt.B32, "cvt.rn.f16x2.e2m1x2", h)
	more := b.Value(simt.B32, "cvt.rn.relu.f16x2.e2m1x2", w)
	b.Emit("st.global.v2.b32", nil, simt.At(x.Reg, 0), simt.V(halves, more))
	b.Emit("ret", nil)
	return &simt.Module{Kernels: []*simt.Func{f}}
}

// TestBytes: what goes through registers of 8 bits is read back as the one instruction that it was, and assembles.
func TestBytes(t *testing.T) {
	for _, target := range []string{"sm_100a", "sm_120a"} {
		roundTrip(t, bytesKernel(), target, ptx.Write)
	}
	// Without the register, or with it elsewhere, a scope is nothing special.
	const head = ".version 8.6\n.target sm_100a\n.entry k() { .reg .b32 %r0; .reg .b16 %rs0; mov.b32 %r0, 0;\n"
	for body, want := range map[string]string{
		"{ .reg .b8 %byte; cvt.u8.u32 %byte, %r0; cvt.rn.f16x2.e2m1x2 %r0, %byte; }":                        "cvt.rn.f16x2.e2m1x2",
		"{ .reg .b8 %other; cvt.u8.u32 %other, %r0; cvt.rn.f16x2.e2m1x2 %r0, %other; }":                     "cvt.u8.u32 cvt.rn.f16x2.e2m1x2",
		"{ .reg .b8 %byte; cvt.u8.u32 %byte, %r0; cvt.u16.u8 %rs0, %byte; }":                                "cvt.u8.u32 cvt.u16.u8",
		"{ .reg .b8 %byte; cvt.u8.u32 %byte, %r0; }":                                                        "cvt.u8.u32",
		"{ .reg .b8 %byte; cvt.u8.u32 %byte, %r0; cvt.rn.f16x2.e2m1x2 %r0, %byte; cvt.u16.u8 %rs0, %byte;}": "cvt.u8.u32 cvt.rn.f16x2.e2m1x2 cvt.u16.u8",
		"{ .reg .b8 %byte; cvt.rn.satfinite.e2m1x2.f32 %byte, %r0, %r0; cvt.s16.s8 %rs0, %byte; }":          "cvt.rn.satfinite.e2m1x2.f32 cvt.s16.s8",
	} {
		m, err := ptx.Read([]byte(head + body + "}"))
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		var ops []string
		for _, in := range m.Kernels[0].Body {
			if !strings.HasPrefix(in.Op, "mov.") && in.Op != "ret" {
				ops = append(ops, in.Op)
			}
		}
		if got := strings.Join(ops, " "); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}

// wideKernel exchanges 16 bytes, under a guard and without.
func wideKernel() *simt.Module {
	f := &simt.Func{Name: "k", Block: [3]int{32, 1, 1}, Shared: 64, Params: []simt.Param{{Name: "x", Type: "u64"}}}
	b := &simt.Builder{Func: f}
	x := b.Value(simt.B64, "ld.param.u64", simt.AtName("x", 0))
	d := simt.V(simt.R(b.NewReg(simt.B64)), simt.R(b.NewReg(simt.B64)))
	b.Emit("atom.global.exch.b128", []simt.Operand{d}, simt.At(x.Reg, 16), simt.V(x, x))
	p := b.Value(simt.Pred, "setp.ne.s64", d.Vec[0], simt.I(0))
	in := b.Emit("atom.acq_rel.cta.shared.cas.b128", []simt.Operand{d}, simt.AtName("smem", 32), simt.V(d.Vec[1], x), d)
	in.Guard, in.Unless = p.Reg, true
	b.Emit("st.global.v2.b64", nil, simt.At(x.Reg, 0), d)
	b.Emit("ret", nil)
	return &simt.Module{Kernels: []*simt.Func{f}}
}

func TestWide(t *testing.T) {
	roundTrip(t, wideKernel(), "sm_90", ptx.Write)
	const begin = ".reg .b128 %wide<3>; mov.b128 %wide1, {x, x}; "
	for text, want := range map[string]string{
		"{ .reg .b128 %wide<4>; }":                                                                            `3:20: expected "3", found "4"`,
		"{ " + begin + "mov.b128 %wide1, {x, x}; }":                                                           `3:58: expected "%wide2", found "%wide1"`,
		"{ " + begin + "atom.exch.b64 %wide0, [x], %wide1; }":                                                 `3:49: expected an instruction with values of 128 bits, found "atom.exch.b64"`,
		"{ " + begin + "atom.exch.b128 %wide0, x, %wide1; }":                                                  "3:72: expected an address",
		"{ " + begin + "atom.exch.b128 %wide0, [x]; mov.b128 {x, x}, %wide0; }":                               `3:75: expected ",", found ";"`,
		"{ " + begin + "@p atom.exch.b128 %wide0, [x], %wide1; mov.b128 {x, x}, %wide0; }":                    `3:88: expected the guard of the instruction before, found "mov.b128"`,
		"{ " + begin + "atom.cas.b128 %wide0, [x], %wide1; mov.b128 {x, x}, %wide0; }":                        "3:49: atom.cas.b128 has the wrong operands",
		"{ " + begin + "atom.exch.b128 %wide0, [x], %wide1; mov.b128 {x, x}, %wide0; st.global.u64 [x], x; }": `3:110: expected "}", found "st.global.u64"`,
	} {
		_, err := ptx.Read([]byte(".version 8.3\n.target sm_90 .entry k() { .reg .b64 x; .reg .pred p;\n" + text + "}"))
		if err == nil || !strings.HasPrefix(err.Error(), "PTX:"+want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}

// TestOddAssemble: what goes through registers of 8 and 128 bits assembles.
func TestOddAssemble(t *testing.T) {
	testenv.Tool(t, "ptxas")
	for target, m := range map[string]*simt.Module{"sm_100a": bytesKernel(), "sm_120a": bytesKernel(), "sm_90": wideKernel()} {
		text, err := ptx.Write(m, target)
		if err != nil {
			t.Fatal(err)
		}
		assemble(t, text, target, target)
	}
}
