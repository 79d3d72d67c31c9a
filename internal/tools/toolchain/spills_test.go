package toolchain_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

func TestSpillsIn(t *testing.T) {
	const text = `ptxas warning : something else
ptxas warning : Registers are spilled to local memory in function 'a', 1688 bytes spill stores, 8 bytes spill loads
ptxas info    : Function properties for b
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas warning : Registers are spilled to local memory in function 'b_c$d', 0 bytes spill stores, 1 bytes spill loads
`
	want := []toolchain.Spills{{Kernel: "a", Stores: 1688, Loads: 8}, {Kernel: "b_c$d", Loads: 1}}
	if got := toolchain.SpillsIn(text); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := toolchain.SpillsIn("ptxas info    : Used 32 registers, 0 bytes spill stores\n"); got != nil {
		t.Errorf("got %+v", got)
	}
	if got := want[1].String(); !strings.HasPrefix(got, "kernel b_c$d spills registers to local memory, 0 bytes by stores and 1 byte by loads in its code") {
		t.Error(got)
	}
}

// TestRealSpills: ptxas says what SpillsIn reads.
func TestRealSpills(t *testing.T) {
	tool := toolchain.Tool{Name: toolchain.Ptxas, Path: testenv.Tool(t, toolchain.Ptxas)}
	var text strings.Builder
	text.WriteString(".version 8.4\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n.maxntid 1024, 1, 1\n{\n.reg .f32 %f<200>;\n.reg .b64 %p;\nld.param.u64 %p, [p];\n")
	for i := range 200 {
		fmt.Fprintf(&text, "ld.volatile.global.f32 %%f%d, [%%p+%d];\n", i, 4*i)
	}
	for i := range 200 {
		fmt.Fprintf(&text, "st.volatile.global.f32 [%%p+%d], %%f%d;\n", 4*i, (i*77)%200)
	}
	text.WriteString("ret;\n}\n")
	a := toolchain.Assembly{Tool: tool, Input: []byte(text.String()), Target: "sm_80", Options: []string{toolchain.WarnSpills}}
	_, said, err := a.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got := toolchain.SpillsIn(said); len(got) != 1 || got[0].Kernel != "k" || got[0].Stores < 4*100 || got[0].Loads < 4*100 {
		t.Errorf("it said %q, of which are %+v", said, got)
	}
}
