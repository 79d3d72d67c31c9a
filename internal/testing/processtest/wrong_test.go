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
	wanted  = regexp.MustCompile(`// want (\d+) "(.*)"$`)
	message = regexp.MustCompile(`wrong\.go:(\d+):(\d+): (.*)$`)
)

// mistake is what a comment of the wrong package expects on its line: // want 12 "text", the column and a part of the
// message.
type mistake struct {
	column, text string
	seen         bool
}

// TestGoCompilerRefuses asserts the mistakes that need no compiler of ours, each at its line and column.
func TestGoCompilerRefuses(t *testing.T) {
	text, err := os.ReadFile("testdata/wrong/wrong.go")
	if err != nil {
		t.Fatal(err)
	}
	open := map[int]*mistake{}
	for i, line := range strings.Split(string(text), "\n") {
		if m := wanted.FindStringSubmatch(line); m != nil {
			open[i+1] = &mistake{column: m[1], text: m[2]}
		}
	}
	if len(open) < 55 {
		t.Fatalf("%d mistakes, want at least 55", len(open))
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
		w := open[n]
		switch {
		case w == nil:
			t.Errorf("unexpected: %s", line)
			continue
		case !w.seen && (m[2] != w.column || !strings.Contains(m[3], w.text)): // others may follow from the first of a line
			t.Errorf("%s\nwant column %s, %q", line, w.column, w.text)
		}
		w.seen = true
	}
	for line, w := range open {
		if !w.seen {
			t.Errorf("wrong.go:%d: no message, want %q", line, w.text)
		}
	}
}
