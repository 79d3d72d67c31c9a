package ptx_test

import (
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
)

// TestHeaders: what a text may say before its kernels and before their bodies.
func TestHeaders(t *testing.T) {
	const text = `.version 7.1
.target sm_90a, texmode_independent, debug, map_f64_to_f32
.file 7 "a.cu", 123, 45 .pragma "x";
.pragma "nounroll";
.section .debug_info { .b32 1 { } .b8 2 }
@@DWARF .byte 1, 2, 3
.visible .alias f, g;
.common .global .u8 shared_by_texts[4];
.extern .global .u32 elsewhere[];
.weak .const .f64 pi = 3.25;
.entry a() .maxntid 64, 2 .reqntid 32, 4, 2 .minnctapersm 3 .maxnreg 128 .noreturn .pragma "y"; { }
.entry b(.param .align 64 .b8 %one[128], .param .u64 .ptr .global .align 16 two, .param .f16 three, .param .u64 .ptr four, .param .bf16 local) .maxntid 96 .maxnreg 256 .reqnctapercluster 2, 1, 1 { ret; }
.visible .entry c { exit; }
`
	m, err := ptx.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Kernels) != 3 {
		t.Fatalf("%d kernels", len(m.Kernels))
	}
	a, b, c := m.Kernels[0], m.Kernels[1], m.Kernels[2]
	if a.Name != "a" || a.Block != [3]int{32, 4, 2} || a.MinBlocks != 3 || a.MaxRegs != 128 || a.Cluster != [3]int{} || len(a.Params) != 0 {
		t.Errorf("%+v", a)
	}
	want := []simt.Param{{Name: "$param0", Type: "b8", Bytes: 128, Align: 64}, {Name: "two", Type: "u64"}, {Name: "three", Type: "b16"}, {Name: "four", Type: "u64"}, {Name: "$param4", Type: "b16"}}
	if b.Name != "b" || b.Block != [3]int{96, 1, 1} || b.MinBlocks != 0 || b.MaxRegs != 0 || b.Cluster != [3]int{2, 1, 1} || !slices.Equal(b.Params, want) {
		t.Errorf("%+v", b)
	}
	if c.Name != "c" || c.Block != [3]int{} || len(c.Body) != 1 || c.Body[0].Op != "exit" || len(a.Body) != 1 || a.Body[0].Op != "ret" {
		t.Errorf("%+v, %+v", a.Body, c)
	}
	var names []string
	for _, v := range m.Vars {
		names = append(names, v.Name+" "+v.Space)
	}
	if want := []string{"shared_by_texts global", "pi const"}; !slices.Equal(names, want) {
		t.Errorf("variables %q, want %q", names, want)
	}
}
