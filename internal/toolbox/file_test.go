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
	for text, want := range map[string]string{
		".version 8.0\n": "standard input is PTX, where a Tile IR module is expected, bytecode or text: `cutile profile -emulate FILE` runs PTX",
		"//\n// by a compiler\n/* of\n C */ .version 8.0\n": "standard input is PTX, ",
		"// .version 8.0\nmod":                              `standard input:2:1: expected entry, global or an alias`,
		"\x7fELF\x02\x01\x01\x00\x00":                       "standard input is machine code (ELF), where a Tile IR module is expected",
	} {
		if _, err := read(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	_, err = read(entry + entry)
	if err == nil || errors.As(err, new(toolbox.UsageError)) || !strings.HasPrefix(err.Error(), "standard input") {
		t.Errorf("got %v", err)
	}
}
