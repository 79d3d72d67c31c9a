package spirv_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// TestSamples: what the builder makes is right, is read as it was written, and is the same a second time.
func TestSamples(t *testing.T) {
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			m := s.build()
			if err := spirv.Verify(m); err != nil {
				t.Errorf("%v\n%v", err, m)
			}
			if again := s.build(); !bytes.Equal(m.Bytes(), again.Bytes()) {
				t.Error("built a second time, the module has other words")
			}
			read(t, m.Bytes())
		})
	}
}

// TestSamplesByTools: spirv-val accepts what the builder makes, and spirv-dis prints it as String does.
func TestSamplesByTools(t *testing.T) {
	testenv.Elsewhere(t)
	val, dis := testenv.SpirvTool(t, "spirv-val"), testenv.SpirvTool(t, "spirv-dis")
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			m := s.build()
			newEnough(t, val, s.newer)
			if text, ok := valid(t, val, m); !ok {
				t.Errorf("spirv-val: %s\n%v", text, m)
			}
			sameText(t, m.String(), disassemble(t, dis, m.Bytes()))
		})
	}
}

// valid is spirv-val's verdict.
func valid(t testing.TB, tool string, m *spirv.Module) (string, bool) {
	t.Helper()
	return run(t, tool, m.Bytes(), "--target-env", "vulkan1.3", "--scalar-block-layout", "-")
}

// newEnough skips a test of what tools before 2025 do not know.
func newEnough(t testing.TB, tool string, newer bool) {
	t.Helper()
	if !newer {
		return
	}
	text, _ := run(t, tool, nil, "--version")
	_, version, _ := strings.Cut(text, "SPIRV-Tools v")
	if version < "2025" {
		text := fmt.Sprintf("SPIRV-Tools v%.6s is older than 2025", version)
		if testenv.Required("spirv-val") {
			t.Fatal(text)
		}
		t.Skip(text)
	}
}
