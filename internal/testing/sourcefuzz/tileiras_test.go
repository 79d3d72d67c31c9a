package sourcefuzz_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// malformed is the exit status of tileiras for what it calls no Tile IR bytecode.
const malformed = 3

// sampled is how many accepted mutants go through tileiras.
const sampled = 12

// TestTileiras gives a sample of the mutants that we accept to NVIDIA's assembler, which must not find them malformed. That
// it cannot make code of a strange kernel is allowed, and printed.
func TestTileiras(t *testing.T) {
	testenv.Tool(t, "tileiras")
	tool, err := toolchain.Find(toolchain.Tileiras)
	if err != nil {
		t.Fatal(err)
	}
	info, err := tool.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	version, ok := info.Newest()
	if !ok {
		t.Fatalf("tileiras %s reads no version of the bytecode that we write", info.Version)
	}
	all, err := seeds()
	if err != nil {
		t.Fatal(err)
	}
	var e *toolchain.AssembleError
	if _, err := toolchain.Assemble(t.Context(), tool, []byte("no bytecode"), "sm_100"); !errors.As(err, &e) || e.Exit != malformed {
		t.Fatalf("tileiras on a file that is no bytecode: %v, want status %d", err, malformed)
	}
	n, refused := 0, 0
	for number := 1; n < sampled; number++ {
		found := false // one of each chain
		mutate(all, number, func(*program) {}, func(p *program, o *outcome) {
			if o.err != nil || o.finding != "" || found {
				return
			}
			data, err := bytecode.Write(o.code.Module, version, bytecode.Options{})
			if err != nil {
				return // needs a newer version than the tool has
			}
			found = true
			n++
			_, err = toolchain.Assemble(context.Background(), tool, data, "sm_100")
			if errors.As(err, &e) && e.Exit == malformed {
				t.Errorf("tileiras finds this malformed: %v\n%s", err, p.file())
			} else if err != nil {
				refused++
				t.Logf("tileiras makes no code: %v\n%s", err, p.file())
			}
		})
	}
	if refused > sampled/2 {
		t.Errorf("tileiras makes code of %d in %d", sampled-refused, sampled)
	}
}
