package main

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/testing/exampletest"
)

// TestRun: what is chosen is at least as fast as the default in the same run, and the next program finds it in the file.
func TestRun(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	t.Run("cpu", func(t *testing.T) {
		t.Setenv("CUTILE_DEVICE", "cpu")
		twice(t, 128)
	})
	t.Run("cuda", func(t *testing.T) {
		exampletest.GPU(t)
		twice(t, 16)
	})
}

func twice(t *testing.T, rows int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tuned.json")
	var first, second strings.Builder
	for _, out := range []*strings.Builder{&first, &second} {
		if err := run(t.Context(), out, file, rows, 10*time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	found := regexp.MustCompile(`(?m)^(\w+) .* ([\d.]+) times as fast as .*; (\d) of (\d) tried$`).FindAllStringSubmatch(first.String(), -1)
	if len(found) != 3 {
		t.Fatalf("the output is\n%s", first.String())
	}
	for _, m := range found {
		if x, _ := strconv.ParseFloat(m[2], 64); x < 1 || m[3] != m[4] {
			t.Errorf("%s", m[0])
		}
	}
	if first.String() != second.String() {
		t.Errorf("the second run gives\n%s\nwhere the first gave\n%s", second.String(), first.String())
	}
}
