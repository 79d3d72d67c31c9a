package ptx_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt/ptx"
)

// unified is a text whose textures have samplers of their own: with the spellings of the first versions of PTX, too.
const unified = `.version 1.4
.target sm_80, texmode_unified
.tex .u64 old;
.extern .global .align 8 .texref a, %b;
.global .texref c = {filter_mode = linear, addr_mode_0 = clamp_to_edge, width = 7};
.global .surfref s;
.entry k(.param .texref p, .param .surfref q)
.reqntid 32
{
	.reg .f32 f<4>;
	.reg .u32 r<4>;
	.reg .v4 .f32 v;
	.reg .v2 .f32 xy;
	.reg .u64 a1;
	.reg .pred in;
	mov.f32 f0, 0f3F800000;
	mov.f32 f1, f0;
	mov.f32 f2, f0;
	mov.f32 f3, f0;
	mov.u32 r0, %tid.x;
	mov.f32 xy.x, f0;
	mov.f32 xy.y, f0;
	tex.1d.v4.u32.s32 {r0, r1, r2, r3}, [old, {r0, r0, r0, r0}];
	tex.1d.v4.f32.f32 v, [a, f0];
	tex.2d.v4.f32.f32 {f0, _, f2, f3}|in, [%b, xy], {1, -2}, 0f3F000000;
	mov.b64 a1, c;
	tex.level.a2d.v4.f32.f32 v, [a1, {r0, f0, f1, f2}], 2.0;
	tld4.g.2d.v4.f32.f32 v, [p, {f0, f1}];
	txq.filter_mode.b32 r1, [c];
	suld.b.2d.v2.b32.trap {r1, r2}, [s, {r0, r0, r0, r0}];
	@in sust.p.1d.b32.zero [q, {r0}], r1;
	sured.b.add.1d.u32.clamp [s, {r0}], 5;
	suq.width.b32 r1, [s];
	istypep.texref in, a1;
	ret;
}
`

// independent is a text that has samplers.
const independent = `.version 3.1
.target sm_80, texmode_independent
.address_size 64
.global .texref t;
.global .samplerref q = {addr_mode_0 = mirror, force_unnormalized_coords = 1};
.entry k(.param .samplerref p)
.reqntid 32
{
	.reg .f32 f<4>;
	.reg .u32 r;
	mov.f32 f0, 0f00000000;
	tex.2d.v4.f32.f32 {f0, f1, f2, f3}, [t, q, {f0, f0}];
	tex.grad.1d.v4.f32.f32 {f0, f1, f2, f3}, [t, p, f0], {f1}, {f2};
	txq.force_unnormalized_coords.b32 r, [q];
	ret;
}
`

// TestTextures reads textures, samplers and surfaces, and writes them as the table has them.
func TestTextures(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{unified, []string{
			".target sm_90a\n", ".global .texref old;", ".global .texref $varb;", ".global .surfref s;",
			".global .texref c = {filter_mode = linear, addr_mode_0 = clamp_to_edge, width = 7};",
			".param .texref p,", ".param .surfref q)",
			"tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [old, {%r4}];",
			"tex.1d.v4.f32.f32 {%r8, %r9, %r10, %r11}, [a, {%r0}];",
			"[$varb, {%r12, %r13}], {%r15, %r16}, 0f3F000000;",
			"mov.u64 %rd1, c;", "[%rd0, {%r4, %r0, %r1, %r2}], 0f40000000;",
			"[p, {%r0, %r1}];", "txq.filter_mode.b32 %r5, [c];", "suld.b.2d.v2.b32.trap {%r5, %r6}, [s, {%r4, %r4}];",
			"@%p0 sust.p.1d.b32.zero [q, {%r4}], %r5;", "sured.b.add.1d.u32.clamp [s, {%r4}], 5;", "suq.width.b32 %r5, [s];",
			"istypep.texref %p0, %rd0;",
		}},
		{independent, []string{
			".target sm_90a, texmode_independent\n", ".global .samplerref q = {addr_mode_0 = mirror, force_unnormalized_coords = 1};",
			"[t, q, {%r0, %r0}];", "[t, p, {%r0}], {%r1}, {%r2};", "txq.force_unnormalized_coords.b32 %r4, [q];",
		}},
	} {
		m, err := ptx.Read([]byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		text, err := ptx.Write(m, "sm_90a")
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range c.want {
			if !strings.Contains(string(text), line) {
				t.Errorf("%s is not written, but:\n%s", line, text)
			}
		}
		roundTrip(t, m, "sm_90a", ptx.Write)
	}
}

// TestTextureMistakes reads textures that are wrong: some are found when they are read, some when they are verified.
func TestTextureMistakes(t *testing.T) {
	for _, c := range []struct{ text, old, new, want string }{
		{unified, "mov.b64 a1, c;", "ld.global.u64 a1, [c];", "PTX:26:2: ld.global.u64 has the wrong operands"},
		{unified, "[old, {r0, r0, r0, r0}]", "[old, [r0]]", "PTX:23:45: expected coordinates, or a sampler, found \"r0\""},
		{unified, "[old, {r0, r0, r0, r0}]", "[s, {r0}]", "PTX:23:2: tex.1d.v4.u32.s32 has the wrong operands"},
		{unified, "[old, {r0, r0, r0, r0}]", "[old+4, {r0}]", "PTX:23:2: tex.1d.v4.u32.s32 has the wrong operands"},
		{unified, "[old, {r0, r0, r0, r0}]", "[r0, {r0}]", "PTX:23:2: tex.1d.v4.u32.s32 has the wrong operands"},
		{unified, "[old, {r0, r0, r0, r0}]", "[old, c, {r0}]", "PTX:23:2: tex.1d.v4.u32.s32 has the wrong operands"},
		{unified, "[old, {r0, r0, r0, r0}]", "[old, a1, {r0}]", "the module has no samplers, its textures have their own: expected none"},
		{unified, "[a1, {r0, f0, f1, f2}]", "[a1, {r0, f0, f1}]", "PTX:27:2: tex.level.a2d.v4.f32.f32 has the wrong operands"},
		{unified, "filter_mode = linear", "filter_mode = cubic", `filter_mode of "c" is "cubic": expected a number, nearest, linear`},
		{unified, "filter_mode = linear", "colour = 1", `"c" has no property "colour"`},
		{unified, ".global .surfref s;", ".global .surfref s[2];", "PTX:6:19: an array of .surfref is not supported"},
		{unified, ".global .surfref s;", ".shared .surfref s;", "PTX:6:9: a .surfref is declared in .global, found .shared"},
		{unified, ".global .surfref s;", ".global .surfref s, old;", "PTX:6:21: old is declared a second time"},
		{unified, ".global .surfref s;", ".global .samplerref s;", "PTX:6:21: textures have samplers of their own"},
		{unified, ".tex .u64", ".tex .u16", `PTX:3:6: expected .u64 or .u32, found ".u16"`},
		{independent, "[t, q, {f0, f0}]", "[t, {f0, f0}]", "the module has samplers, its textures have none: expected one after the texture"},
		{independent, "b32 r, [q]", "b32 r, [t]", "PTX:14:2: txq.force_unnormalized_coords.b32 has the wrong operands"},
		{independent, "txq.force_unnormalized_coords.b32 r, [q]", "txq.filter_mode.b32 r, [t]", "operand 1: expected a samplerref or a b64 register; found t"},
	} {
		text := strings.Replace(c.text, c.old, c.new, 1)
		m, err := ptx.Read([]byte(text))
		if err == nil {
			_, err = ptx.Write(m, "sm_90a")
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: error %v, expected %s", c.new, c.old, err, c.want)
		}
	}
}
