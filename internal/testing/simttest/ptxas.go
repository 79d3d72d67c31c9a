package simttest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// Archs are an architecture of each generation.
var Archs = []string{"sm_80", "sm_90a", "sm_100a", "sm_120"}

// Assemble compiles what cute.Jit gave for arguments, as cute.Compile takes them, and has ptxas make machine code of all
// kernels for each architecture. No kernel may spill registers to memory. What the kernels take is logged.
func Assemble(t *testing.T, archs []string, f any, args ...any) {
	t.Helper()
	tool := testenv.Tool(t, toolchain.Ptxas)
	m := Compile(t, f, args...).Module()
	for _, arch := range archs {
		text, err := m.PTX(arch)
		if err != nil {
			t.Fatal(err)
		}
		used, err := ptxas(t, tool, arch, text)
		if err != nil {
			t.Errorf("%s: %v", arch, err)
			continue
		}
		t.Logf("%s: %s", arch, used)
	}
}

// ptxas assembles a text, and gives what its kernels take. A kernel that spills is an error.
func ptxas(t *testing.T, tool, arch, text string) (string, error) {
	file := filepath.Join(t.TempDir(), "module.ptx")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := toolchain.Command{Path: tool, Args: []string{"-v", "-arch", arch, "-o", file + ".cubin", file}}
	stdout, stderr, err := cmd.Run(t.Context())
	if err != nil {
		return "", fmt.Errorf("%w\n%s\n%s", err, stderr, text)
	}
	return usage(string(stdout) + string(stderr))
}

// What ptxas says of each kernel, such as "0 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads" and "Used 32
// registers, used 1 barriers, 404 bytes cmem[0]".
var (
	spills = regexp.MustCompile(`(\d+) bytes spill stores, (\d+) bytes spill loads`)
	used   = regexp.MustCompile(`Used \d+ registers[^\n]*`)
)

// usage reads what ptxas says: what each kernel takes, and an error where one spills.
func usage(said string) (string, error) {
	kernels := spills.FindAllStringSubmatch(said, -1)
	if len(kernels) == 0 {
		return "", fmt.Errorf("ptxas does not say what kernels spill:\n%s", said)
	}
	if slices.ContainsFunc(kernels, func(k []string) bool { return k[1] != "0" || k[2] != "0" }) {
		return "", fmt.Errorf("registers are spilled to memory:\n%s", said)
	}
	return fmt.Sprint(used.FindAllString(said, -1)), nil
}
