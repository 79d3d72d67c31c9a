package cute_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// TestCubin: a module gives its PTX, and what NVIDIA's ptxas makes of it.
func TestCubin(t *testing.T) {
	testenv.Tool(t, "ptxas")
	m := must(cute.Compile(t.Context(), cute.Jit(runScale), vectorOf(t, 4), 2))(t).Module()
	var ptx strings.Builder
	check(t, m.WritePTX(&ptx, "sm_80"))
	if text := must(m.PTX("sm_80"))(t); ptx.String() != text || !strings.Contains(text, ".target sm_80") {
		t.Errorf("written:\n%s\nwant\n%s", ptx.String(), text)
	}
	if code := must(m.Cubin(t.Context(), "sm_90a"))(t); !bytes.HasPrefix(code, []byte("\x7fELF")) || !bytes.Contains(code, []byte("kernel_cute_test_runScale_0")) {
		t.Errorf("%d bytes that are no cubin with the kernel", len(code))
	}
	_, err := m.Cubin(t.Context(), "sm_1")
	wantError(t, err, "sm_1")
}
