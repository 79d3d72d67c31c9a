package main

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

const mlirText = `cuda_tile.module @first { entry @a() {} }
// -----
cuda_tile.module @second {
  entry @b(%x: !cuda_tile.tile<i32>) optimization_hints=<sm_90 = {ocupancy = 2}> {
    %0 = "cuda_tile.negi"(%x) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  }
}
`

// TestMLIR assembles one of two modules in MLIR's text, with a warning, and prints it as MLIR does, which assembles to the
// same bytes.
func TestMLIR(t *testing.T) {
	code, out, errs := cutileWith([]byte(mlirText), "asm", "-")
	if want := `expected one module, but found 2: choose one of "first", "second"`; code != exitFailed || out != "" || !strings.Contains(errs, want) {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
	code, data, errs := cutileWith([]byte("\ufeff"+mlirText), "asm", "-g", "-module", "second", "-")
	if want := "warning: standard input:4:3: entry b"; code != exitOK || !strings.HasPrefix(errs, want) || !strings.Contains(errs, `unknown hint "ocupancy" here`) {
		t.Fatalf("exit code %d, %q", code, errs)
	}
	if m, _, err := bytecode.Read([]byte(data)); err != nil || m.Entries[0].Name != "b" || m.Entries[0].Body.Ops[0].Loc.Line != 5 {
		t.Errorf("%v, %v", text.Sprint(m), err)
	}
	for _, form := range []string{"-mlir", "-generic"} {
		code, text, errs := cutileWith([]byte(data), "disasm", form, "-g", "-")
		if code != exitOK || !strings.Contains(text, "cuda_tile.module") || strings.Contains(text, `"cuda_tile.negi"(`) != (form == "-generic") {
			t.Errorf("%s: exit code %d, %s\n%s", form, code, errs, text)
		}
		if code, again, errs := cutileWith([]byte(text), "asm", "-"); code != exitOK || again != data {
			t.Errorf("%s: exit code %d, %s, another file of\n%s", form, code, errs, text)
		}
	}
	if code, out, errs := cutileWith([]byte(data), "verify", "-"); code != exitOK || !strings.Contains(errs, `unknown hint "ocupancy" here`) {
		t.Errorf("verify: exit code %d, %s%s", code, out, errs)
	}
}
