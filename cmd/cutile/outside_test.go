package main

import (
	"strings"
	"testing"
)

// TestOutside: run and bench refuse a grid with tiles wholly outside the arrays, unless they are meant.
func TestOutside(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	arrays := " " + data + "vadd.tileirbc -array float32:4096:iota -array float32:4096:1 -array float32:4096"
	for _, name := range []string{"run", "bench -device cpu -budget 1ms"} {
		for _, grid := range []string{"5", "500"} {
			code, out, errs := cutile(strings.Fields(name + " -workers 1 -grid " + grid + arrays)...)
			want := "kernel vadd, block (4, 0, 0): load_view_tko of a tile wholly outside the view: index 4 along axis 0 is elements 4096 to 5119 of 4096, " +
				"which a GPU leaves undefined; test the index first, or give -outside if it is intended"
			if code != exitFailed || out != "" || !strings.Contains(errs, want) {
				t.Errorf("%s on a grid of %s: exit code %d, %s%s", name, grid, code, out, errs)
			}
		}
		must(t, strings.Fields(name+" -grid 4"+arrays)...)
		must(t, strings.Fields(name+" -outside -grid 5"+arrays)...)
		ragged := strings.ReplaceAll(arrays, "4096", "1600")
		must(t, strings.Fields(name+" -grid 2"+ragged)...) // the last tile is partly outside
	}
	want := must(t, strings.Fields("run -print -grid 4"+arrays)...)
	if got := must(t, strings.Fields("run -print -outside -grid 9"+arrays)...); got != want {
		t.Errorf("tiles outside change the result:\n%s", got)
	}
}
