package paritytest_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	fenced = regexp.MustCompile("(?s)\n *```.*?\n *```")
	// quoted is what a text has in backquotes; inFolder finds tests with their folder in parentheses.
	quoted   = regexp.MustCompile("`([^`\n]+)`")
	someTest = regexp.MustCompile(`\bTest[A-Z]\w+`)
	inFolder = regexp.MustCompile(`(Test[A-Z]\w+(?:(?:,|\s+and)\s+Test\w+)*)\s+\(([\w/]+)\)`)
	aPath    = regexp.MustCompile(`^[\w*-]+(/[\w*.-]+)+$|^[\w*-]+\.(go|txt|md|json|gz|py)$`)
)

// TestAdding holds docs/adding.md against the tree: every file and folder that its text names is there, and every test is in
// the folder behind its name. NAME in a path stands for the reader's choice.
func TestAdding(t *testing.T) {
	doc := fileText(t, "../../../docs/adding.md")
	if n := strings.Count(doc, "\n"); n > 260 {
		t.Errorf("docs/adding.md has %d lines: recipes are short", n)
	}
	text := fenced.ReplaceAllString(doc, "")
	paths, tests := 0, 0
	for _, m := range quoted.FindAllStringSubmatch(text, -1) {
		name := m[1]
		if !aPath.MatchString(name) || strings.Contains(name, "NAME") {
			continue
		}
		paths++
		found, err := filepath.Glob(filepath.Join("../../..", filepath.FromSlash(name)))
		if err != nil || len(found) == 0 {
			t.Errorf("docs/adding.md: there is no %s", name)
		}
	}
	for _, m := range inFolder.FindAllStringSubmatch(text, -1) {
		for _, name := range someTest.FindAllString(m[1], -1) {
			tests++
			if !testsOf(t, m[2])[name] {
				t.Errorf("docs/adding.md: there is no %s in %s", name, m[2])
			}
		}
	}
	spoken := quoted.ReplaceAllString(text, "") // commands name tests, too
	if all := len(someTest.FindAllString(spoken, -1)); all != tests || tests < 25 || paths < 60 {
		t.Errorf("docs/adding.md names %d tests, %d of them with their folder, and %d paths", all, tests, paths)
	}
}
