package spirv_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// run runs a tool with a file's content as its input, and gives what it writes and whether it succeeded.
func run(t testing.TB, tool string, input []byte, args ...string) (string, bool) {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.Command(tool, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &out
	err := cmd.Run()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		t.Fatalf("%s: %v", tool, err)
	}
	return out.String(), err == nil
}

// disassemble is spirv-dis.
func disassemble(t testing.TB, tool string, data []byte) string {
	t.Helper()
	text, ok := run(t, tool, data, "--raw-id", "-")
	if !ok {
		t.Fatalf("spirv-dis: %s", text)
	}
	return text
}

// assemble is spirv-as.
func assemble(t testing.TB, tool, text, version string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out.spv")
	if out, ok := run(t, tool, []byte(text), "--preserve-numeric-ids", "--target-env", version, "-o", file, "-"); !ok {
		t.Fatalf("spirv-as: %s\n%s", out, text)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// read is [spirv.Read] of a module that must be right, and be written as it was.
func read(t testing.TB, data []byte) *spirv.Module {
	t.Helper()
	m, err := spirv.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(m.Bytes(), data) {
		t.Fatal("the module is not written as it was read")
	}
	return m
}

// sameText compares a text with the tool's, line by line.
func sameText(t testing.TB, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		switch {
		case i >= len(g):
			t.Fatalf("line %d is missing, expected %q", i+1, w[i])
		case i >= len(w) || g[i] != w[i]:
			t.Fatalf("line %d is %q, expected %q", i+1, g[i], append(w, "nothing")[min(i, len(w))])
		}
	}
}

// foreign gives modules that glslang makes of the files in testdata/glsl, by the files' names.
func foreign(t testing.TB) map[string][]byte {
	t.Helper()
	compiler := testenv.Program(t, "glslangValidator")
	files, err := filepath.Glob("testdata/glsl/*")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	modules := map[string][]byte{}
	for _, file := range files {
		out := filepath.Join(t.TempDir(), "out.spv")
		if text, ok := run(t, compiler, nil, "-V", "-g", "--target-env", "vulkan1.3", "-o", out, file); !ok {
			t.Fatalf("glslangValidator: %s", text)
		}
		if modules[file], err = os.ReadFile(out); err != nil {
			t.Fatal(err)
		}
	}
	return modules
}
