package toolbox_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/tileir"
)

// TestRead reads texts from the standard input, and picks their entries. A choice that the command line has to make is a
// mistake of usage; a module that is wrong is none.
func TestRead(t *testing.T) {
	read := func(text string) (*toolbox.File, error) { return toolbox.ReadSound(strings.NewReader(text), "-") }
	const entry = "entry @a() {\nreturn\n}\n"
	one, err := read(entry)
	if err != nil || one.Form() != "text" || one.OwnVersion() != tileir.Newest {
		t.Fatalf("got %+v, %v", one, err)
	}
	if e, err := one.Entry(""); err != nil || e.Name != "a" {
		t.Errorf("got %v, %v", e, err)
	}
	two, err := read(entry + strings.Replace(entry, "@a", "@b", 1))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"":  "standard input has 2 entries: choose one of a, b with -entry",
		"c": `-entry: standard input has no entry "c"; it has a, b`,
	} {
		if _, err := two.Entry(name); !errors.As(err, new(toolbox.UsageError)) || err.Error() != want {
			t.Errorf("%q: got %v, want %s", name, err, want)
		}
	}
	_, err = read(entry + entry)
	if err == nil || errors.As(err, new(toolbox.UsageError)) || !strings.HasPrefix(err.Error(), "standard input") {
		t.Errorf("got %v", err)
	}
}
