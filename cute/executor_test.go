package cute_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/cute"
)

// TestWrapMistakes: what is no function that Jit made.
func TestWrapMistakes(t *testing.T) {
	var none func(int) error
	for want, f := range map[string]any{
		": the function is nil": nil, ": a int is not a function": 3, ": the function is a nil func(int) error": none, ": this func(int) error was not made by cute.Jit": func(int) error { return nil },
	} {
		_, compile := cute.Compile(t.Context(), f)
		_, call := cute.Call(t.Context(), f)
		wantError(t, compile, "cute.Compile"+want)
		wantError(t, call, "cute.Call"+want)
	}
	for want, jit := range map[string]func(){
		"cute.Jit: a host function must be a function, not a int": func() { cute.Jit(3) },
		"must have error as its last result":                      func() { cute.Jit(func(int) {})(1) },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, want) {
					t.Errorf("panic %q, want %q", text, want)
				}
			}()
			jit()
		}()
	}
	wantError(t, cute.Jit(none)(1), "the host function is a nil func(int) error")
	_, err := cute.Compile(t.Context(), cute.Jit(none), 1)
	wantError(t, err, "the host function is a nil func(int) error")
}

// TestExecutorMistakes: an executor that is closed, was never to run, or gets other arguments.
func TestExecutorMistakes(t *testing.T) {
	dev, _ := open(t)
	x := vector(t, dev, 5)
	e := must(cute.Compile(t.Context(), cute.Jit(runScale), x, 2, quiet))(t)
	for want, args := range map[string][]any{
		"expects 2 run-time arguments": {x}, "but got 3": {x, 2, 3}, "but got string": {x, "two"}, "but got int": {3, 2}, "nil": {nil, 2},
	} {
		_, err := e.Run(t.Context(), args...)
		wantError(t, err, "runScale", want)
	}
	must(e.Run(t.Context(), x, 3))(t)
	wantEach(t, x, func(i int) float32 { return 3 * float32(i) })
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := e.Run(t.Context(), x, 3)
	wantError(t, err, "runScale", "the executor is closed")
	dry := must(cute.Compile(t.Context(), cute.Jit(runScale), x, 2, quiet, cute.Options{DryRun: true}))(t)
	_, err = dry.Run(t.Context(), x, 2)
	wantError(t, err, "was compiled with dry-run: there is nothing to run")
}

// brokenWriter has no room.
type brokenWriter struct{}

var errRoom = errors.New("no room")

func (brokenWriter) Write([]byte) (int, error) { return 0, errRoom }

// TestModulePTX: a module as PTX for several architectures, and for those that have not what it uses.
func TestModulePTX(t *testing.T) {
	dev, _ := open(t)
	m := must(cute.Compile(t.Context(), cute.Jit(runScale), vector(t, dev, 5), 2, quiet))(t).Module()
	var out bytes.Buffer
	for arch, target := range map[string]string{"": "sm_90a", "sm_80": "sm_80", "sm_100a": "sm_100a"} {
		text := must(m.PTX(arch))(t)
		if !strings.Contains(text, ".target "+target+"\n") {
			t.Errorf("PTX for %q begins %.60q", arch, text)
		}
		out.Reset()
		if err := m.WritePTX(&out, arch); err != nil || out.String() != text {
			t.Errorf("written for %q: %v", arch, err)
		}
	}
	if err := m.WritePTX(brokenWriter{}, ""); !errors.Is(err, errRoom) {
		t.Error(err)
	}
	for _, arch := range []string{"sm_1", "gfx90"} {
		_, err := m.PTX(arch)
		wantError(t, err, arch)
		wantError(t, m.WritePTX(&out, arch), arch)
		_, err = m.Cubin(t.Context(), arch)
		wantError(t, err, arch)
	}
	clusters := must(cute.Compile(t.Context(), cute.Jit(clustered), vectorOf(t, 64), quiet))(t).Module()
	_, err := clusters.PTX("sm_80")
	wantError(t, err, "sm_80")
}
