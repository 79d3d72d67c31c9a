package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	consoleRE = regexp.MustCompile("(?s)```console\n\\$ cutile ([^\n]*)\n(.*?)```")
	wordRE    = regexp.MustCompile(`'[^']*'|\S+`)
)

// TestDocument runs the commands of docs/command.md and compares what they print.
func TestDocument(t *testing.T) {
	file := filepath.Join("docs", "command.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	got := consoleRE.ReplaceAllStringFunc(string(text), func(block string) string {
		n++
		m := consoleRE.FindStringSubmatch(block)
		var args []string
		for _, w := range wordRE.FindAllString(m[1], -1) {
			args = append(args, strings.Trim(w, "'"))
		}
		_, out, errs := cutile(args...)
		if !*update && out+errs != m[2] {
			t.Errorf("%s: cutile %s: %s", file, m[1], firstDifference(out+errs, m[2]))
		}
		return "```console\n$ cutile " + m[1] + "\n" + out + errs + "```"
	})
	if n < 10 {
		t.Errorf("%s has only %d commands", file, n)
	}
	for _, cmd := range root.sub {
		if cmd.name != "help" && !strings.Contains(got, "\n## cutile "+cmd.name+"\n") {
			t.Errorf("%s says nothing about %s", file, cmd.name)
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
