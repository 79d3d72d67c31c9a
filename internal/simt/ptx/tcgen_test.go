package ptx_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// TestTensorMemoryCode gives every instruction of tensor memory to the part of NVIDIA's assembler that makes code, each in a
// kernel of its own cta_group.
func TestTensorMemoryCode(t *testing.T) {
	testenv.Tool(t, "ptxas")
	for _, name := range []string{"sm_100a", "sm_103a"} {
		arch, _ := simt.TargetOf(name)
		for _, group := range []string{"cta_group::1", "cta_group::2"} {
			c, n := newCorpus(false), 0
			c.open()
			for f := range simt.Forms() {
				other := strings.Contains(f.Op, "cta_group") && !strings.Contains(f.Op, group)
				if !strings.HasPrefix(f.Op, "tcgen05.") || other {
					continue
				}
				for i := range f.Sigs {
					if s := &f.Sigs[i]; s.Since.In(arch) {
						c.variants(f, s, arch)
						n++
					}
				}
			}
			c.close()
			text, err := ptx.Write(c.m, name)
			if err != nil {
				t.Fatal(err)
			}
			assemble(t, text, name, name, "-O0")
			if n < 300 {
				t.Errorf("%s, %s: only %d lists of operands", name, group, n)
			}
			t.Logf("%s, %s: %d lists of operands", name, group, n)
		}
	}
}
