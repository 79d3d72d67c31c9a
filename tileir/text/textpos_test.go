package text_test

import (
	"errors"
	"strings"
	"testing"

	. "github.com/cutile-go/cutile/tileir"
	. "github.com/cutile-go/cutile/tileir/text"
)

const wrongText = `// a comment
global @g <i8: 1> : tile<i8>
entry @k(%x: tile<4xf32>) {
  %0 = addf %x, %x : tile<4xf32>
    %c = constant <i1: true> : tile<i1>
  if %c {
    %1:1 = mulf %x, %x rounding<full> : tile<4xf32>
    loop { break }
  }
  %2 = negf %x : tile<4xf32> loc(#here)
  return
}
entry @l() { %0 = constant <i32: 3> : tile<i32>
  for %i in (%0 to %0, step %0) : tile<i32> { yield } return }
#here = loc("k.go":7:3)
`

// TestVerifyTextPos: faults of a module that was parsed begin with the place in the text.
func TestVerifyTextPos(t *testing.T) {
	m, err := Parse(wrongText, ParseOptions{File: "k.mlir"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"k.mlir:2:1: global g: expected a value of rank 1",
		"k.mlir:3:1: entry k: parameter 0: expected a tile of rank 0",
		"k.mlir:7:5: entry k: operation 2.0.0 (mulf): attribute rounding_mode: expected",
		"k.mlir:14:47: entry l: operation 1.0.0 (yield): ",
	}
	err = m.Verify(Newest)
	got := strings.Split(err.Error(), "\n")
	for _, w := range want {
		found := false
		for _, g := range got {
			found = found || strings.HasPrefix(g, w)
		}
		if !found {
			t.Errorf("no error %q among\n%v", w, err)
		}
	}
	var e *VerifyError
	if !errors.As(err, &e) || e.Text.File != "k.mlir" || e.Text.Line < 1 || e.Text.Col < 1 {
		t.Errorf("%+v", e)
	}
	if err := m.Entries[0].Body.Ops[0].Loc; !err.IsZero() {
		t.Errorf("the operation has a place, though nobody asked: %v", err)
	}
}

// TestEachFaultHasTextPos: what Verify and VerifyTarget say of a text begins with a place in it, that of a module's parts too.
func TestEachFaultHasTextPos(t *testing.T) {
	const global = "global @g <i8: 1> : tile<1xi8>\n"
	for text, want := range map[string]string{
		"entry @k() { return }\n  entry @k() { return }":                  "text:2:3: entry k: the name is already taken",
		"// a\n" + global + global:                                        "text:3:1: global g: the name is already taken",
		global + "entry @g() { return }":                                  "text:2:1: entry g: the name is already taken",
		"entry @k() { return }\n entry @\"\"() { return } loc(\"a\":1:2)": "text:2:2: entry without a name",
		"\n" + global: "text:2:1: the module has globals, but no entry that is not private",
		"entry @k() { return }\nglobal @\"g h\" <i8: 1> : tile<1xi8>": `text:2:1: global "g h": expected a name of letters`,
		"entry @k() { return }\nentry @\"a b\"() { return }":          `text:2:1: entry "a b": expected a name of letters`,
	} {
		m, err := Parse(text, ParseOptions{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if err = m.Verify(Newest); err == nil {
			err = VerifyTarget(m, "sm_90")
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
	// An entry without a name that has a place of its own, in a module that was not parsed.
	m, err := Parse("entry @k(%x: tile<4xf32>) { return }", ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e := *m.Entries[0]
	e.Name, e.Loc = "", Loc{File: "k.go", Line: 1, Col: 2}
	if err := Verify(&Module{Entries: []*Entry{&e}}, Newest); err == nil || !strings.Contains(err.Error(), "\ntileir: at k.go:1:2: parameter 0: expected a tile of rank 0") {
		t.Error(err)
	}
}

// TestTextPos: every part has its place, those that the text leaves out too, and no part of another module.
func TestTextPos(t *testing.T) {
	m, err := Parse(wrongText, ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ops := m.Entries[0].Body.Ops
	for _, c := range []struct {
		part any
		want string
	}{
		{m.Globals[0], "text:2:1"}, {m.Entries[1], "text:13:1"}, {ops[0], "text:4:3"}, {ops[1], "text:5:5"},
		{ops[2].Regions[0].Ops[0], "text:7:5"}, {ops[2].Regions[0].Ops[1].Regions[0].Ops[0], "text:8:12"},
		{ops[2].Regions[0].Ops[2], "text:9:3"}, // the yield that is left out, where the block ends
		{ops[4], "text:11:3"},
	} {
		if got := m.TextPos(c.part); got.String() != c.want || got.IsZero() {
			t.Errorf("%v: %v, expected %s", c.part, got, c.want)
		}
	}
	for _, part := range []any{nil, &Op{}, (*Op)(nil), 7} {
		if got := m.TextPos(part); !got.IsZero() {
			t.Errorf("%v: %v", part, got)
		}
	}
	if got := (&Module{}).TextPos(ops[0]); !got.IsZero() {
		t.Error(got)
	}
}

// TestTextAsSource gives operations without place that in the text, when asked.
func TestTextAsSource(t *testing.T) {
	m, err := Parse(wrongText, ParseOptions{File: "k.mlir", Places: true})
	if err != nil {
		t.Fatal(err)
	}
	ops := m.Entries[0].Body.Ops
	for l, want := range map[*Loc]Loc{
		&m.Entries[0].Loc:             {File: "k.mlir", Line: 3, Col: 1},
		&ops[0].Loc:                   {File: "k.mlir", Line: 4, Col: 3},
		&ops[2].Regions[0].Ops[0].Loc: {File: "k.mlir", Line: 7, Col: 5},
		&ops[3].Loc:                   {File: "k.go", Line: 7, Col: 3}, // its own
		&m.Entries[1].Body.Ops[1].Loc: {File: "k.mlir", Line: 14, Col: 3},
		&m.Entries[1].Body.Ops[0].Loc: {File: "k.mlir", Line: 13, Col: 14},
	} {
		if *l != want {
			t.Errorf("%+v, expected %+v", *l, want)
		}
	}
}

// TestProducerOfSeveralLines: what Print writes for one is a comment in each line, and Parse gives it back.
func TestProducerOfSeveralLines(t *testing.T) {
	for _, producer := range []string{"one line", "two\nlines", "a\n\n// b\nentry @x() {\n", "\n", "a\rb\n\r\n"} {
		m, err := Parse("entry @k() { return }", ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		m.Producer = producer
		again, err := Parse(Sprint(m), ParseOptions{})
		if err != nil || again.Producer != producer || len(again.Entries) != 1 {
			t.Errorf("%q: %v, %+v\n%s", producer, err, Sprint(again), Sprint(m))
		}
	}
	text := "// Producer: a\n//           b\n// c\n//           d\nentry @k() { return }"
	if m, err := Parse(text, ParseOptions{}); err != nil || m.Producer != "a\nb" {
		t.Errorf("%v, %+v", err, Sprint(m))
	}
}
