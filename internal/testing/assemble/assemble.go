// Package assemble gives kernels to NVIDIA's own tools in tests: the assembler must take what the compiler makes, and
// the disassembler must print what our printer prints. A test is skipped where a tool is missing, see package testenv.
package assemble

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// Targets are the architectures that every kernel is assembled for: one of each generation.
var Targets = []string{"sm_80", "sm_90", "sm_100", "sm_120"}

// Case is a kernel with what a launch would know about it.
type Case struct {
	Kernel     any      // the function, with its type arguments
	Extents    []int    // those it gets in their place, as by cutile.Sized
	Funcs      []any    // its function arguments, in order
	Transposed []string // parameters that are given as transposed views: the last stride but one is 1
	Whole      bool     // promise that every extent is a multiple of 16, at any rank
}

// Code compiles a kernel. Without promises only that rows are contiguous is known. With them pointers and strides are
// multiples of 16 bytes, and extents of 16: all of a matrix, from rank 3 on the contiguous one.
func (c Case) Code(t testing.TB, promises bool) *compile.Code {
	t.Helper()
	k, err := compile.Resolve(c.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	if c.Extents != nil {
		if k, err = k.Resize(c.Extents); err != nil {
			t.Fatal(err)
		}
	}
	facts, funcs := compile.Facts{}, c.Funcs
	for _, p := range k.Params() {
		var f compile.ArgFacts
		switch {
		case p.Kind.Tensor():
			f = c.facts(p, promises)
		case p.Kind == compile.Func:
			if len(funcs) == 0 {
				t.Fatalf("%s: no function is given for parameter %s", k.Name(), p.Name)
			}
			if f.Func, err = compile.ResolveFunc(funcs[0]); err != nil {
				t.Fatal(err)
			}
			funcs = funcs[1:]
		}
		facts.Args = append(facts.Args, f)
	}
	code, err := k.Compile(t.Context(), facts)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func (c Case) facts(p compile.Param, promises bool) compile.ArgFacts {
	axes := uint8(1<<len(p.Tile) - 1)
	f := compile.ArgFacts{Unit: (axes + 1) >> 1}
	for _, name := range c.Transposed {
		if name == p.Name {
			f.Unit >>= 1
		}
	}
	if promises {
		f.Align16, f.Extent16, f.Stride16 = true, axes, axes&^f.Unit
		if len(p.Tile) > 2 && !c.Whole {
			f.Extent16 = f.Unit
		}
	}
	return f
}

// Bytecode writes a module for the newest version that the assembler takes.
func Bytecode(t testing.TB, m *tileir.Module) []byte {
	t.Helper()
	info, err := find(t, toolchain.Tileiras).Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	v, ok := info.Newest()
	if !ok {
		t.Fatalf("tileiras %s reads no version of the bytecode that we write", info.Version)
	}
	data, err := bytecode.Write(m, v, bytecode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Cubin assembles bytecode for a target such as "sm_90".
func Cubin(t testing.TB, data []byte, target string) []byte {
	t.Helper()
	cubin, err := toolchain.Assemble(t.Context(), find(t, toolchain.Tileiras), data, target)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(cubin, []byte("\x7fELF")) {
		t.Fatalf("the cubin for %s is no ELF file: it starts with %q", target, cubin[:min(len(cubin), 8)])
	}
	return cubin
}

// PTX assembles PTX for a target such as "sm_90a".
func PTX(t testing.TB, text []byte, target string, options ...string) []byte {
	t.Helper()
	cubin, err := toolchain.Assemble(t.Context(), find(t, toolchain.Ptxas), text, target, options...)
	if err != nil {
		t.Fatal(err)
	}
	return cubin
}

// SameText checks that NVIDIA's disassembler prints bytecode as we print its module.
func SameText(t testing.TB, data []byte, m *tileir.Module) {
	t.Helper()
	want := Run(t, toolchain.Tileirdisasm, data)
	if got := text.Sprint(m); got != want {
		t.Errorf("the text differs from that of tileirdisasm\n%s", firstDifference(got, want))
	}
}

// Run gives a file with this content to a tool, with options, and returns what the tool prints.
func Run(t testing.TB, tool string, content []byte, options ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	path := find(t, tool).Path
	env := append(os.Environ(), "PATH="+filepath.Dir(path)+string(os.PathListSeparator)+os.Getenv("PATH")) // cuobjdump calls nvdisasm
	stdout, stderr, err := toolchain.Command{Path: path, Args: append(options, file), Env: env}.Run(t.Context())
	if err != nil {
		t.Fatalf("%s: %v\n%s", tool, err, stderr)
	}
	return string(stdout)
}

func find(t testing.TB, name string) toolchain.Tool {
	t.Helper()
	testenv.Elsewhere(t)
	testenv.Tool(t, name)
	tool, err := toolchain.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "got  " + g[i] + "\nwant " + w[i]
		}
	}
	return "one is longer"
}
