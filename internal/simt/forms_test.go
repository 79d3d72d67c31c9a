package simt_test

import (
	"reflect"
	"strings"
	"testing"

	. "github.com/cutile-go/cutile/internal/simt"
)

// TestForms holds what the table says against itself.
func TestForms(t *testing.T) {
	n := 0
	for f := range Forms() {
		n++
		if again, ok := FormOf(f.Op); !ok || again != f {
			t.Errorf("%s: FormOf gives another form", f.Op)
		}
		if strings.ContainsAny(f.Op, "{}|$ ") {
			t.Errorf("%s: is no opcode", f.Op)
		}
		for i, s := range f.Sigs {
			for _, other := range f.Sigs[:i] {
				if reflect.DeepEqual(s.Dst, other.Dst) && reflect.DeepEqual(s.Src, other.Src) {
					t.Errorf("%s: takes %s twice", f.Op, s)
				}
			}
			if s.Since.PTX < 10 || s.Since.SM < 10 {
				t.Errorf("%s: since %s", f.Op, s.Since)
			}
			for _, slot := range append(append([]Slot(nil), s.Dst...), s.Src...) {
				if slot.Kinds == 0 {
					t.Errorf("%s: %s has an operand that nothing can be", f.Op, s)
				}
			}
		}
	}
	if n < 5000 {
		t.Errorf("%d instructions: the table was not read", n)
	}
}

func TestFormOf(t *testing.T) {
	for _, c := range []struct{ op, sigs, since string }{
		{"add.s32", "b32 <- b32 or number, b32 or number", "sm_10 or later with PTX 1.0"},
		{"mul.wide.u16", "b32 <- b16 or number, b16 or number", "sm_10 or later with PTX 1.0"},
		{"fma.rn.bf16x2", "b32 <- b32, b32, b32", "sm_80 or later with PTX 7.0"},
		{"shfl.sync.bfly.b32", "b32 <- b32, b32 or number, b32 or number, b32 or number; " +
			"b32, pred <- b32, b32 or number, b32 or number, b32 or number", "sm_30 or later with PTX 6.0"},
		{"atom.global.cas.b16", "b16 <- [global], b16 or number, b16 or number", "sm_70 or later with PTX 6.3"},
		{"elect.sync", `b32 or "_", pred <- b32 or number`, "sm_90 or later with PTX 8.0"},
		{"cp.async.bulk.tensor.3d.global.shared::cta.bulk_group", "[], {3 x b32}, [shared]", "sm_90 or later with PTX 8.0"},
		{"setmaxnreg.inc.sync.aligned.u32", "number", "sm_90a or sm_100a or sm_103a or sm_120a or sm_121a with PTX 8.0"},
		{"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", "{2 x b32} <- {4 x b32}, {2 x b32}, {2 x b32}", "sm_80 or later with PTX 7.0"},
		{"cvt.rn.f16x2.e4m3x2", "b32 <- b16", "sm_89 or later with PTX 8.1, or sm_90 or later with PTX 7.8"},
		{"mbarrier.arrive.shared.b64", `b64 <- [shared]; "_" <- [shared]; b64 or "_" <- [shared], b32 or number`, "sm_80 or later with PTX 7.0"},
		{"ret", "no operands", "sm_10 or later with PTX 1.0"},
	} {
		f, ok := FormOf(c.op)
		if !ok {
			t.Errorf("there is no %s", c.op)
			continue
		}
		var sigs []string
		for _, s := range f.Sigs {
			sigs = append(sigs, s.String())
		}
		if got := strings.Join(sigs, "; "); got != c.sigs {
			t.Errorf("%s takes %s, want %s", c.op, got, c.sigs)
		}
		if got := f.First().String(); got != c.since {
			t.Errorf("%s since %s, want %s", c.op, got, c.since)
		}
	}
	for _, op := range []string{"", "add", "add.s33", "add.s32.s32", "add.S", "printf", "cvt.sat.s32.s8",
		"wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16", "$b", "{add|sub}.s32"} {
		if f, ok := FormOf(op); ok {
			t.Errorf("%q is form %v", op, f)
		}
	}
}

// TestWgmma counts the registers of results.
func TestWgmma(t *testing.T) {
	for op, n := range map[string]int{
		"m64n8k16.f32.bf16.bf16": 4, "m64n256k16.f32.f16.f16": 128, "m64n64k16.f16.f16.f16": 16, "m64n24k32.s32.s8.u8.satfinite": 12,
	} {
		f, ok := FormOf("wgmma.mma_async.sync.aligned." + op)
		if !ok || f.Sigs[0].Dst[0].Len != n || !f.Sigs[0].Dst[0].InOut {
			t.Errorf("%s: form %+v, want %d registers that are read and written", op, f, n)
		}
	}
}

func TestPrintfTypes(t *testing.T) {
	types, err := PrintfTypes("a %d %% %-5u %5.2f %lld %llx %p %c %ld\n")
	if got, want := strings.Join(types, " "), "s32 u32 f64 s64 u64 u64 s32 s64"; err != nil || got != want {
		t.Errorf("types %s, error %v, want %s", got, err, want)
	}
}

func TestUsesDefs(t *testing.T) {
	in := &Instr{Op: "x", Dst: []Operand{V(R(1), R(2)), {Kind: Sink, Reg: NoReg}, R(3)},
		Src:    []Operand{At(4, 8), AtName("smem", 0), V(R(5)), I(9), R(6)},
		Launch: &Launch{Grid: [3]Operand{R(7), I(1), R(8)}, Shared: R(9), Stream: R(10), After: []Operand{R(11)}}}
	var uses, defs []Reg
	for op := range in.Uses() {
		uses = append(uses, op.Reg)
	}
	for op := range in.Defs() {
		defs = append(defs, op.Reg)
	}
	if want := []Reg{4, 5, 6, 7, 8, 9, 10, 11}; !reflect.DeepEqual(uses, want) {
		t.Errorf("uses %v, want %v", uses, want)
	}
	if want := []Reg{1, 2, 3}; !reflect.DeepEqual(defs, want) {
		t.Errorf("defs %v, want %v", defs, want)
	}
}
