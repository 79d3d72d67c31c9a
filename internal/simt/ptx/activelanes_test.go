package ptx_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// TestActiveLanes: votes and shuffles without a mask are read in texts for which NVIDIA's assembler takes them, and in no others.
func TestActiveLanes(t *testing.T) {
	for _, c := range []struct {
		version, target string
		taken           bool
	}{
		{"6.3", "sm_75", true}, {"6.3", "sm_60", true}, {"7.0", "sm_60", true}, {"6.4", "sm_75", false}, {"7.0", "sm_80", false}, {"8.5", "sm_90a", false},
	} {
		for _, instr := range []string{"vote.all.pred q, p", "vote.any.pred q, p", "vote.uni.pred q, p", "vote.ballot.b32 r, p", "shfl.up.b32 r, s, 1, 0", "shfl.idx.b32 r|p, s, 1, 31"} {
			text := fmt.Sprintf(".version %s\n.target %s\n.address_size 64\n.entry k()\n{\n.reg .pred p, q;\n.reg .b32 r, s;\nmov.b32 s, 1;\nsetp.eq.u32 p, s, 0;\n%s;\nret;\n}\n", c.version, c.target, instr)
			_, err := ptx.Read([]byte(text))
			head, _, _ := strings.Cut(instr, ".")
			if (err == nil) != c.taken || err != nil && (!strings.HasPrefix(err.Error(), "PTX:10:1: "+head) || !strings.Contains(err.Error(), "write "+head+".sync.")) {
				t.Errorf("%s, %s: %s: %v, want an error: %t", c.version, c.target, instr, err, !c.taken)
			}
			t.Run(c.target+"/"+c.version, func(t *testing.T) { // an older code is compiled for a newer GPU
				tool := testenv.Tool(t, "ptxas")
				file := filepath.Join(t.TempDir(), "k.ptx")
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				if out, err := exec.Command(tool, "-arch", "sm_90a", "-o", file+".cubin", file).CombinedOutput(); (err == nil) != c.taken {
					t.Errorf("%s: ptxas: %v: %s", instr, err, out)
				}
			})
		}
	}
}
