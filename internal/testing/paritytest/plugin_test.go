package paritytest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// TestPlugins: a Go plugin shares the registry with the program that opens it, so that its kernels are found, unlike those
// of a package in it that registers nothing.
func TestPlugins(t *testing.T) {
	testenv.Builds(t)
	testenv.CC(t)
	if runtime.GOOS != "linux" {
		t.Skip("plugins are tried on Linux")
	}
	dir := t.TempDir()
	build := func(name string, flags ...string) string {
		t.Helper()
		out := filepath.Join(dir, name)
		args := append(append([]string{"build", "-tags=nocuda,novulkan", "-o", out}, flags...), "./testdata/plugin/"+name)
		cmd := exec.Command("go", args...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, text)
		}
		return out
	}
	plugin, host := build("kernels", "-buildmode=plugin"), build("host")
	out, err := exec.Command(host, plugin).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		"Double: [2 4 6] <nil>\n", "Triple: [3 6 9] <nil>\n",
		"Half: kernel Half is in package github.com/cutile-go/cutile/internal/testing/paritytest/testdata/plugin/bare, which has no registered source: add to that package\n",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("got\n%s\nwant %q", out, want)
		}
	}
}
