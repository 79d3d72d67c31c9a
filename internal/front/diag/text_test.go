package diag_test

import (
	"errors"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/front/diag"
)

func at(file string, line, column int) token.Position {
	return token.Position{Filename: file, Line: line, Column: column}
}

// TestText: the whole text of a mistake, with its place, the line, the mark under the column, and the calls.
func TestText(t *testing.T) {
	for _, c := range []struct {
		name string
		e    diag.Error
		want []string // lines
	}{
		{"no position", diag.Error{Msg: "too large"}, []string{"too large"}},
		{"no source", diag.Error{Pos: at("k.go", 12, 9), Msg: "too large"}, []string{"k.go:12:9: too large"}},
		{"first column", diag.Error{Pos: at("k.go", 1, 1), Msg: "m", Source: "x := 1"}, []string{"k.go:1:1: m", "    x := 1", "    ^"}},
		{"third column", diag.Error{Pos: at("k.go", 1, 3), Msg: "m", Source: "x := 1"}, []string{"k.go:1:3: m", "    x := 1", "      ^"}},
		{"no column", diag.Error{Pos: at("k.go", 1, 0), Msg: "m", Source: "x := 1"}, []string{"k.go:1: m", "    x := 1", "    ^"}},
		{"two tabs before", diag.Error{Pos: at("k.go", 7, 5), Msg: "m", Source: "\t\tx = y\tz"},
			[]string{"k.go:7:5: m", "            x = y    z", "              ^"}},
		{"at a tab", diag.Error{Pos: at("k.go", 7, 1), Msg: "m", Source: "\tx"}, []string{"k.go:7:1: m", "        x", "    ^"}},
		{"beyond the line", diag.Error{Pos: at("k.go", 7, 5), Msg: "m", Source: "\tx"}, []string{"k.go:7:5: m", "        x", "           ^"}},
		{"calls", diag.Error{Pos: at("k.go", 7, 1), Msg: "m", Source: "x", Calls: []token.Position{at("a.go", 3, 4), at("b.go", 5, 6)}},
			[]string{"k.go:7:1: m", "    x", "    ^", "\tcalled at a.go:3:4", "\tcalled at b.go:5:6"}},
	} {
		if got := c.e.Error(); got != strings.Join(c.want, "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, strings.Join(c.want, "\n"))
		}
	}
}

// TestMiddleOfWay: which calls of a long way a message lists, in their order.
func TestMiddleOfWay(t *testing.T) {
	e := &diag.Error{Msg: "m"}
	for i := range 11 {
		e.Calls = append(e.Calls, at("f.go", i, 1))
	}
	e.Calls = e.Calls[1:] // lines 1 to 10
	want := []string{"m"}
	for _, line := range []string{"1", "2", "3", "4", "", "7", "8", "9", "10"} {
		if line == "" {
			want = append(want, "\t(2 more calls)")
			continue
		}
		want = append(want, "\tcalled at f.go:"+line+":1")
	}
	if got := e.Error(); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// TestList: a list is sorted by file, line and column, has no mistake twice, keeps the order of those at one place, and
// leaves the list that it is made from as it was.
func TestList(t *testing.T) {
	if err := (diag.List{}).Err(); err != nil {
		t.Errorf("the empty list is the error %v", err)
	}
	mistake := func(file string, line, column int, msg string) *diag.Error {
		return &diag.Error{Pos: at(file, line, column), Msg: msg}
	}
	list := diag.List{
		mistake("b.go", 1, 1, "last"), mistake("a.go", 10, 1, "line 10"), mistake("a.go", 9, 7, "second"), mistake("a.go", 9, 30, "column 30"),
		mistake("a.go", 9, 7, "second"), mistake("a.go", 9, 7, "another"), mistake("a.go", 9, 2, "first"), mistake("a.go", 9, 31, "column 30"),
	}
	before := slices.Clone(list)
	err := list.Err()
	if !slices.Equal(list, before) {
		t.Error("Err changed the list")
	}
	want := []string{"a.go:9:2: first", "a.go:9:7: second", "a.go:9:7: another", "a.go:9:30: column 30", "a.go:9:31: column 30",
		"a.go:10:1: line 10", "b.go:1:1: last"}
	if got := err.Error(); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	var one *diag.Error
	if !errors.As(err, &one) || one.Msg != "first" {
		t.Errorf("errors.As gives %v", one)
	}
}
