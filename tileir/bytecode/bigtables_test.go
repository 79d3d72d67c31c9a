package bytecode_test

import (
	"fmt"
	"testing"

	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// TestBigTables: files whose tables have so many entries that their number takes one, two and three bytes are read as
// what was written, with each entry in its place.
func TestBigTables(t *testing.T) {
	for _, n := range []int{0, 1, 31, 32, 33, 127, 128, 129, 16383, 16384} {
		m := kernel(func(b *builder) {})
		for i := range n {
			c := IntConstant(Tile(I32, 2), int64(i), int64(n))
			m.Globals = append(m.Globals, &Global{Name: fmt.Sprintf("g%d", i), Value: c})
		}
		data, err := bytecode.Write(m, Newest, bytecode.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if secs, err := bytecode.Sections(data); err != nil || len(secs) == 0 {
			t.Fatalf("%d: %v", n, err)
		}
		got, _, err := bytecode.Read(data)
		if err != nil || len(got.Globals) != n || len(got.Listed) != 0 {
			t.Fatalf("%d: %v, with %d globals", n, err, len(got.Globals))
		}
		for i, g := range got.Globals {
			if want := m.Globals[i]; g.Name != want.Name || g.Value.Element(0) != uint64(i) || g.Value.Element(1) != uint64(n) {
				t.Fatalf("%d: global %d is %s", n, i, g.Name)
			}
		}
		again, err := bytecode.Write(got, Newest, bytecode.Options{})
		if err != nil || string(again) != string(data) {
			t.Errorf("%d: %v, or other bytes", n, err)
		}
	}
}
