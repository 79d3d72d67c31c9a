package opt_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/opt"
)

// TestShiftCounts: a shift that is said to have a count which must not be negative stays where the count may be, and is as
// simple as any other where it cannot be.
func TestShiftCounts(t *testing.T) {
	for _, c := range []struct {
		name, shift string
		kept        bool
	}{
		{"a dynamic count", "shl.b32 %r0, %r1, %r2;\n", true},
		{"of zero", "mov.b32 %r4, 0;\nshl.b32 %r0, %r4, %r2;\n", true},
		{"a negative number", "mov.b32 %r4, -1;\nshr.s32 %r0, %r1, %r4;\n", true},
		{"of a number by a negative number", "mov.b32 %r4, -1;\nshl.b32 %r0, 5, %r4;\n", true},
		{"a count of 64 bits", "cvt.s64.s32 %rd1, %r2;\nmin.u64 %rd2, %rd1, 64;\ncvt.u32.u64 %r4, %rd2;\nshl.b32 %r0, %r1, %r4;\n", true},
		{"a negative count of 64 bits", "mov.b64 %rd1, -7;\nmin.u64 %rd2, %rd1, 64;\ncvt.u32.u64 %r4, %rd2;\nshl.b32 %r0, %r1, %r4;\n", true},
		{"a number", "mov.b32 %r4, 3;\nshl.b32 %r0, %r1, %r4;\n", false},
		{"of a number by a number", "mov.b32 %r4, 3;\nshl.b32 %r0, 5, %r4;\n", false},
		{"by nothing", "mov.b32 %r4, 0;\nshr.s32 %r0, %r1, %r4;\n", false},
		{"a number of 64 bits", "mov.b64 %rd1, 7;\nmin.u64 %rd2, %rd1, 64;\ncvt.u32.u64 %r4, %rd2;\nshl.b32 %r0, %r1, %r4;\n", false},
	} {
		m := parse(t, in+c.shift+out)
		for i := range m.Kernels[0].Body {
			ins := &m.Kernels[0].Body[i]
			switch op, _, _ := strings.Cut(ins.Op, "."); {
			case op == "min":
				ins.Count = 1
			case (op == "shl" || op == "shr") && !strings.Contains(c.shift, "min."):
				ins.Count = 2
			}
		}
		if err := opt.Module(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		if err := simt.Verify(m, "sm_90a"); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		kept := false
		for _, ins := range m.Kernels[0].Body {
			kept = kept || ins.Count > 0
		}
		if kept != c.kept {
			t.Errorf("%s: the mark is kept: %v, want %v: %s", c.name, kept, c.kept, body(m))
		}
	}
}
