package profile

import (
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
)

// TestUnits: every instruction of the table of forms has a unit, and no line of the table of units is useless.
func TestUnits(t *testing.T) {
	used, heads, missing := map[*class]bool{}, map[string]bool{}, 0
	ops := []string{simt.OpPrintf, simt.OpAssert, simt.OpCall, simt.OpCheck}
	for f := range simt.Forms() {
		ops = append(ops, f.Op)
	}
	for _, op := range ops {
		head, _, _ := strings.Cut(op, ".")
		c := classOf(op)
		if used[c], heads[head] = true, true; c == nil {
			if missing++; missing < 50 {
				t.Errorf("%s has no unit: units.txt needs a line for it", op)
			}
		}
	}
	waiting := map[string]bool{"2f32": true, "mma.fp4": true, "mma.fp8.f16": true} // for their forms
	for head, list := range classes() {
		for _, c := range list {
			if heads[head] && !used[c] && !waiting[c.text()] {
				t.Errorf("no form fits %s %v, a line of %s", head, c.words, c.unit)
			}
		}
	}
	if n := len(ops); n < 15000 {
		t.Errorf("only %d forms", n)
	}
}

// TestUnitOf has opcodes whose units are easily taken for others.
func TestUnitOf(t *testing.T) {
	for op, want := range map[string]string{
		"add.rn.ftz.f32": "fp32 f32", "fma.rn.bf16x2": "fp16 half", "add.s64": "int 2iadd", "min.NaN.f32": "fp32 compare", "min.u16x2": "int compare",
		"rcp.approx.ftz.f32": "special special", "rcp.rn.f32": "special special+3f32+7logic", "rcp.approx.ftz.f64": "special special",
		"cvt.rn.f32.s32": "convert fromint", "cvt.rzi.s32.f32": "convert toint", "cvt.f32.f16": "convert widen", "cvt.rn.f16.f32": "convert convert",
		"cvt.rn.f32.f64": "convert convert64", "cvt.u32.u64": "convert logic", "cvt.s32.s8": "convert widen", "cvt.rn.f16x2.f32": "convert convert",
		"ld.global.nc.v4.b32": "global lsu", "ld.relaxed.cluster.shared::cluster.b32": "cluster lsu", "ld.param.u64": "move 0", "ld.b32": "generic lsu",
		"cp.async.cg.shared.global": "copy lsu", "cp.async.bulk.commit_group": "copy 1", "cp.async.wait_group": "copy 1",
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32":     "tensor mma.f16",
		"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16":     "tensor mma.f16.f16",
		"wgmma.mma_async.sync.aligned.m64n128k32.f16.e4m3.e5m2": "tensor wgmma.fp8", "wgmma.wait_group.sync.aligned": "barrier 1",
		"bar.warp.sync": "warp vote", "bar.sync": "barrier 1", "atom.shared.add.u32": "atomic lsu", "setp.lt.f64": "fp64 f64", "slct.f32.s32": "fp32 compare",
	} {
		c := classOf(op)
		if got := c.unit + " " + c.text(); got != want {
			t.Errorf("%s: %s, want %s", op, got, want)
		}
	}
}

// text is the work as the table has it.
func (c *class) text() string {
	var words []string
	for _, w := range c.work {
		text := w.rate
		if w.n != 1 || w.rate == "" {
			text = strconv.FormatFloat(w.n, 'f', -1, 64) + w.rate
		}
		words = append(words, text)
	}
	return strings.Join(words, "+")
}
