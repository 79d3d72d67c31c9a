//go:build !js && !wasip1

package platform_test

import (
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// goTool runs the go command for another system.
func goTool(t *testing.T, system, arch string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Env = append(cmd.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

const (
	bigEndian = "cuTile for Go does not run on big-endian systems: "
	narrow    = "cuTile for Go needs a 64-bit system: "
)

// refused says what each architecture of Go is refused with; the others are built.
var refused = map[string][]string{
	"386": {narrow}, "arm": {narrow}, "mips": {narrow, bigEndian}, "mips64": {bigEndian}, "mipsle": {narrow}, "ppc64": {bigEndian}, "s390x": {bigEndian},
}

// TestArchitectures: each architecture that Go knows is built or refused with the words for it.
func TestArchitectures(t *testing.T) {
	list, err := goTool(t, runtime.GOOS, runtime.GOARCH, "tool", "dist", "list")
	if err != nil {
		t.Fatal(err)
	}
	var done []string
	for _, system := range strings.Fields(list) {
		goos, arch, _ := strings.Cut(system, "/")
		if slices.Contains(done, arch) {
			continue
		}
		done = append(done, arch)
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			out, err := goTool(t, goos, arch, "build", ".")
			if (err != nil) != (refused[arch] != nil) {
				t.Errorf("refused: %v; want %q\n%s", err != nil, refused[arch], out)
			}
			for _, words := range []string{bigEndian, narrow} {
				if strings.Contains(out, words) != slices.Contains(refused[arch], words) {
					t.Errorf("got\n%s\nwant %q", out, refused[arch])
				}
			}
		})
	}
	if len(done) < 10 {
		t.Errorf("Go lists only the architectures %v", done)
	}
}

// TestEveryPackageAsks: what users import, and all that is built on it, cannot be built without this package.
func TestEveryPackageAsks(t *testing.T) {
	const module = "github.com/cutile-go/cutile"
	out, err := goTool(t, "linux", "s390x", "list", "-f", "{{.ImportPath}} {{join .Deps \" \"}}", module+"/...")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(out) {
		path, deps, _ := strings.Cut(strings.TrimSpace(line), " ")
		if deps == "" {
			continue // a comment alone
		}
		rel := strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
		if strings.HasPrefix(rel, "internal/") || strings.HasPrefix(rel, "examples/") {
			continue // for the packages of this list alone
		}
		if !slices.Contains(strings.Fields(deps), module+"/internal/platform") {
			t.Errorf("%s does not depend on it", path)
		}
	}
}
