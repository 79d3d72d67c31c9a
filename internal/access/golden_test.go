package access_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/access"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

var update = flag.Bool("update", false, "write the facts about the modules in testdata anew")

// parse reads a module that holds every rule.
func parse(t testing.TB, source string) *tileir.Module {
	t.Helper()
	m, err := text.Parse(source, text.ParseOptions{})
	if err == nil {
		err = tileir.Verify(m, tileir.Newest)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestModules compares the facts about the modules in testdata with those that were looked through before. Arguments do not
// overlap, except in alias.tileir.
func TestModules(t *testing.T) {
	files, err := filepath.Glob("testdata/*.tileir")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			facts := access.Facts{Apart: func(int, int) bool { return true }}
			if filepath.Base(file) == "alias.tileir" {
				facts.Apart = nil
			}
			var got strings.Builder
			for _, e := range parse(t, string(source)).Entries {
				got.WriteString("entry @" + e.Name + "\n\n")
				if err := access.Analyse(e, facts).Print(&got); err != nil {
					t.Fatal(err)
				}
				got.WriteString("\n")
			}
			golden(t, strings.TrimSuffix(file, ".tileir")+".txt", got.String())
		})
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s is different from what is found, which -update writes:\n%s", file, got)
	}
}
