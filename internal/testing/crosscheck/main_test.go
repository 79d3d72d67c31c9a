package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheck: a mistake is found in bodies and in tests, for the systems and tags that build its file, and no other.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          "module m\n\ngo 1.26\n",
		"a.go":            "package m\n\nfunc f() int { return 1 }\n",
		"a_windows.go":    "package m\n\nfunc g() string { return f() }\n",
		"a_arm64_test.go": "package m\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { f(t) }\n",
		"b.go":            "//go:build slim\n\npackage m\n\nvar x = missing\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for target, want := range map[string]string{
		"linux/amd64":      "",
		"windows/amd64":    "a_windows.go:3:",
		"linux/arm64":      "a_arm64_test.go:5:",
		"linux/amd64,slim": "b.go:5:",
		"linux":            "want a target such as linux/arm64",
		"plan10/amd64":     "plan10/amd64",
	} {
		list, err := check(dir, target)
		if err != nil {
			list = []error{err}
		}
		if got := fmt.Sprint(list); len(list) > 2 || (want == "") != (len(list) == 0) || !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q", target, got, want)
		}
	}
}
