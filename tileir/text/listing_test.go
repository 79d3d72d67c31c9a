package text_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/tileir/text"
)

// TestLines finds each operation of nested regions on its line.
func TestLines(t *testing.T) {
	m, err := text.Parse(`entry @k(%n: tile<i32>) {
  %q = cmpi less_than %n, %n, signed : tile<i32> -> tile<i1>
  %r = if %q -> (tile<i32>) {
    yield %n : tile<i32>
  } else {
    %m = muli %n, %n : tile<i32>
    yield %m : tile<i32>
  }
  %s = for %i in (%n to %r, step %r) : tile<i32> iter_values(%a = %n) -> (tile<i32>) {
    continue %a : tile<i32>
  }
  return
}
`, text.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	lines, at := text.Lines(m.Entries[0])
	var found []string
	for o := range m.Entries[0].All() {
		i, ok := at[o]
		if !ok || !strings.Contains(lines[i], o.Info.Mnemonic+" ") && o.Info.Mnemonic != "return" {
			t.Errorf("%s is on line %d, %t", o.Info.Mnemonic, i, ok)
		}
		found = append(found, o.Info.Mnemonic)
	}
	if want := "cmpi if yield muli yield for continue return"; strings.Join(found, " ") != want {
		t.Errorf("got %q, want %s", found, want)
	}
}

// TestNames: values are named as in the text, and blocks beside one another reuse names.
func TestNames(t *testing.T) {
	m, err := text.Parse(`entry @k(%n: tile<i32>) {
  %q = cmpi less_than %n, %n, signed : tile<i32> -> tile<i1>
  if %q {
    %m = muli %n, %n : tile<i32>
  } else {
    %o = addi %n, %n : tile<i32>
  }
  return
}
`, text.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e := m.Entries[0]
	names := text.Names(e)
	got := names[e.Params[0]]
	for o := range e.All() {
		for _, v := range o.Results {
			got += " " + names[v]
		}
	}
	if want := "%arg0 %0 %1 %1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
