package processtest

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	wanted  = regexp.MustCompile(`// want "(.*)"$`)
	message = regexp.MustCompile(`wrong\.go:(\d+):\d+: (.*)$`)
)

// TestGoCompilerRefuses asserts the mistakes that need no compiler of ours, each at its line.
func TestGoCompilerRefuses(t *testing.T) {
	text, err := os.ReadFile("testdata/wrong/wrong.go")
	if err != nil {
		t.Fatal(err)
	}
	open := map[int]string{}
	for i, line := range strings.Split(string(text), "\n") {
		if m := wanted.FindStringSubmatch(line); m != nil {
			open[i+1] = m[1]
		}
	}
	if len(open) < 14 {
		t.Fatalf("%d mistakes, want at least 14", len(open))
	}
	out, err := exec.Command("go", "build", "-gcflags=-e", "./testdata/wrong").CombinedOutput()
	if err == nil {
		t.Fatal("the wrong package compiles")
	}
	for _, line := range strings.Split(string(out), "\n") {
		m := message.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[1])
		text, ok := open[n]
		switch {
		case !ok:
			t.Errorf("unexpected: %s", line)
		case text != "" && !strings.Contains(m[2], text):
			t.Errorf("%s\nwant %q", line, text)
		}
		open[n] = ""
	}
	for line, text := range open {
		if text != "" {
			t.Errorf("wrong.go:%d: no message, want %q", line, text)
		}
	}
}
