package failure_test

import (
	"errors"
	"fmt"
	"go/token"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/cache"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/failure"
	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/tileir"
)

// TestExplain: what the parts below give becomes an Error with stage and place, with the same text.
func TestExplain(t *testing.T) {
	loc := tileir.Loc{File: "k.go", Line: 3, Col: 4}
	pos := token.Position{Filename: "k.go", Line: 3, Column: 4}
	first := &diag.Error{Pos: pos, Stage: diag.Check, Msg: "one"}
	cases := []struct {
		name  string
		err   error
		stage string
		pos   token.Position
		text  string
	}{
		{"list", diag.List{first, {Stage: diag.Lower, Msg: "two"}}, device.StageCheck, pos, "k.go:3:4: one\ntwo"},
		{"unsupported", fmt.Errorf("kernel k: %w", &cpu.CompileError{Loc: loc, Text: "no such thing"}), device.StageAssemble, pos, "kernel k: k.go:3:4: no such thing"},
		{"assembler", &cuda.AssemblyError{Job: cuda.Job{Entry: &tileir.Entry{Name: "k", Loc: loc}}, Reason: "failed"}, device.StageAssemble, pos, "k.go:3:4: kernel k: "},
		{"panic", &cache.Panic{Value: "boom", Stack: []byte("goroutine 1")}, device.StageAssemble, token.Position{}, "kernel main.k: BUG: boom; CUTILE_DEBUG=backtrace shows where"},
	}
	for _, c := range cases {
		err := failure.Explain("kernel", "main.k", c.err)
		var e *device.Error
		if !errors.As(err, &e) || e.Stage != c.stage || e.Pos != c.pos || e.Kernel != "main.k" || !strings.HasPrefix(err.Error(), c.text) {
			t.Errorf("%s: %v, %+v", c.name, err, e)
		}
		var same interface{ Error() string } = errors.Unwrap(e)
		if c.name != "list" && same != c.err {
			t.Errorf("%s: the error behind it is %v", c.name, same)
		}
	}
	t.Setenv("CUTILE_DEBUG", "backtrace")
	if err := failure.Explain("kernel", "k", &cache.Panic{Value: "boom", Stack: []byte("goroutine 1")}); err.Error() != "kernel k: BUG: boom\ngoroutine 1" {
		t.Errorf("with a backtrace: %v", err)
	}
	if err := errors.New("other"); failure.Explain("kernel", "k", err) != err {
		t.Error("another error was changed")
	}
}
