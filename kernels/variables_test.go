package kernels_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// TestVariables: with variables for debuggers, each kernel has the same Tile IR and the same instructions as without, and ptxas takes the PTX.
// Each is for one architecture in turn, and ptxas, which takes longest, gets a quarter; with the flag archs, all.
func TestVariables(t *testing.T) {
	testenv.Tool(t, toolchain.Ptxas)
	list := []string{"sm_75", "sm_80", "sm_90a", "sm_100a"}
	made, known := 0, 0
	for i, r := range table(t) {
		t.Run(fmt.Sprint(r.name, r.extents), func(t *testing.T) {
			t.Setenv("CUTILE_DEBUG", "")
			plain := compiled(t, r)
			t.Setenv("CUTILE_DEBUG", "variables")
			debug := compiled(t, r)
			if a, b := text.Sprint(plain), text.Sprint(debug); a != b {
				t.Fatalf("without variables\n%s\nwith variables\n%s", a, b)
			}
			for k, arch := range list {
				if !*everyArch && i%len(list) != k {
					continue
				}
				want, got := ownPTX(t, plain, arch, false), ownPTX(t, debug, arch, true)
				if a, b := instructions(want), instructions(got); a != b {
					t.Fatalf("%s: without variables\n%s\nwith variables\n%s", arch, a, b)
				}
				if strings.Contains(want, "debug") {
					t.Errorf("%s: there is something for debuggers without the switch, in\n%s", arch, want)
				}
				if got == "" {
					continue
				}
				made++
				if strings.Contains(got, ".debug_loc") {
					known++
				}
				if *everyArch || i/len(list)%4 == 0 {
					assemble.PTX(t, []byte(got), arch, "-g")
				}
			}
		})
	}
	if made == 0 || known < made*9/10 {
		t.Errorf("of %d kernels, %d have variables", made, known)
	}
}

// compiled is the module of a kernel, as the environment asks for it now.
func compiled(t *testing.T, r row) *tileir.Module {
	t.Helper()
	k, err := compile.ResolveFunc(r.kernel)
	if err == nil {
		k, err = k.Resize(r.extents)
	}
	if err != nil {
		t.Fatal(err)
	}
	call := bind.New(k.Params(), nil, nil, bind.Unwrap)
	call.Infer = k.FuncFor
	if wrong := call.Bind(r.args); wrong != nil {
		t.Fatal(wrong)
	}
	code, err := k.Compile(t.Context(), call.Facts())
	if err != nil {
		t.Fatal(err)
	}
	return code.Module
}

// ownPTX is the PTX of a kernel by our own compiler, with lines: "" if that refuses it.
func ownPTX(t *testing.T, m *tileir.Module, arch string, debug bool) string {
	t.Helper()
	code, err := threads.PTX(m, m.Entries[0].Name, arch, threads.Options{Tensors: true, Debug: debug})
	var no *threads.Error
	if errors.As(err, &no) {
		return ""
	} else if err != nil {
		t.Fatal(err)
	}
	text, err := ptx.WriteLines(code, arch)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	sections   = regexp.MustCompile(`(?s)\n\t\.section .*`)
	directives = regexp.MustCompile(`(?m)^(\t\.loc .*|\.file .*|\$D\w+:)\n`)
)

// instructions is PTX without what debuggers read.
func instructions(text string) string {
	text = directives.ReplaceAllString(sections.ReplaceAllString(text, "\n"), "")
	return strings.TrimSpace(strings.Replace(text, ", debug\n", "\n", 1))
}
