package dwarftest

import (
	"os"
	"strings"
	"testing"
)

// Line is the first line of a file of the package under test that has a text.
func Line(t testing.TB, file, text string) int64 {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(data), "\n") {
		if strings.Contains(line, text) {
			return int64(i + 1)
		}
	}
	t.Fatalf("no line of %s has %q", file, text)
	return 0
}
