package amd64

import (
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the assembler makes into testdata")

const goldenFile = "testdata/forms.golden"

// TestGolden compares the samples with those that GNU's assembler was compared with when the file was written: of each form
// the first one with its bytes, and a checksum of text and bytes of all.
func TestGolden(t *testing.T) {
	type summary struct {
		first emitted
		n     int
		sum   uint32
	}
	var order []*form
	forms := map[*form]*summary{}
	for _, e := range emitSamples(t) {
		s := forms[e.form]
		if s == nil {
			s = &summary{first: e}
			forms[e.form] = s
			order = append(order, e.form)
		}
		s.n++
		s.sum = crc32.Update(s.sum, crc32.IEEETable, append([]byte(e.text), e.code...))
	}
	var b strings.Builder
	for _, f := range order {
		s := forms[f]
		fmt.Fprintf(&b, "%08x %3d  %s = %x\n", s.sum, s.n, s.first.text, s.first.code)
	}
	got := b.String()
	if *update {
		if err := os.WriteFile(goldenFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the forms differ from %s at %s; -update writes them, after TestGNU has passed", goldenFile, firstDifference(got, string(want)))
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d\n got %s\nwant %s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("the end: %d lines, expected %d", len(g), len(w))
}
