// Package worked holds the worked examples in package comments against the goldens that they show.
package worked

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var goFile = regexp.MustCompile(`[a-z_/]+\.go\b`)

// Check holds the comment of the file doc.go of a folder against testdata/emit/loop.go and its text: its lines of code are lines of
// those, in order, cut where an ellipsis says so; and the files that it names lie in the folder, or below top.
func Check(t *testing.T, folder, top string) {
	t.Helper()
	lines := strings.Split(read(t, "testdata/emit/loop.go")+read(t, "testdata/emit/loop.txt"), "\n")
	doc := read(t, filepath.Join(folder, "doc.go"))
	for line := range strings.Lines(doc) {
		want, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "//\t")
		if want = strings.TrimSuffix(strings.TrimSpace(want), "…"); !ok {
			continue
		}
		at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), want) })
		if at < 0 {
			t.Fatalf("%q is not in the files, or not there", want)
		}
		lines = lines[at+1:]
	}
	for _, name := range goFile.FindAllString(doc, -1) {
		_, err := os.Stat(filepath.Join(folder, name))
		if _, err2 := os.Stat(filepath.Join(top, name)); err != nil && err2 != nil {
			t.Errorf("the comment names %s, which is not there", name)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
