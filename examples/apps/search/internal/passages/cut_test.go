package passages_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cutile-go/cutile/examples/apps/search/internal/passages"
)

// words is a size that a reader can count.
func words(s string) (int, error) { return len(strings.Fields(s)), nil }

func TestCut(t *testing.T) {
	for _, c := range []struct {
		name     string
		max      int
		text     string
		markdown bool
		want     []passages.Passage
	}{
		{"nothing", 8, "", true, nil},
		{"blank", 8, " \n\t\n\n", true, nil},
		{"one", 8, "A b.\nC d.\n", true, []passages.Passage{{1, "", "A b. C d."}}},
		{"short paragraphs together", 8, "A b.\n\nC d.\n\n\nE f.", false, []passages.Passage{{1, "", "A b. C d. E f."}}},
		{"overlap", 7, "One two three. Four five. Six seven eight nine. Ten.", false,
			[]passages.Passage{{1, "", "One two three. Four five."}, {1, "", "Four five. Six seven eight nine. Ten."}}},
		{"no overlap between paragraphs", 7, "One two three four.\nFive six.\n\nSeven eight nine ten.", false,
			[]passages.Passage{{1, "", "One two three four. Five six."}, {4, "", "Seven eight nine ten."}}},
		{"a long sentence", 7, "a b c d e f g h i j k l", false, []passages.Passage{{1, "", "a b c d e"}, {1, "", "f g h i j k l"}}},
		{"headings", 8, "# A\nx\n## B\ny\n### C #\nz\n## D\nw\n# E\nv", true,
			[]passages.Passage{{2, "A", "x"}, {4, "A › B", "y"}, {6, "B › C", "z"}, {8, "A › D", "w"}, {10, "E", "v"}}},
		{"no headings in plain text", 8, "# A\nx", false, []passages.Passage{{1, "", "# A x"}}},
		{"a heading is no hashtag", 8, "#tag x\n####### seven", true, []passages.Passage{{1, "", "#tag x ####### seven"}}},
		{"a level left out", 8, "### C\nx\n# A\ny", true, []passages.Passage{{2, "C", "x"}, {4, "A", "y"}}},
		{"a heading takes room", 8, "# A B C\none two three four five six. Seven.", true,
			[]passages.Passage{{2, "A B C", "one two three"}, {2, "A B C", "four five six. Seven."}}},
		{"a long heading", 8, "# a b c d e f g\nx", true, []passages.Passage{{2, "d e f g", "x"}}},
		{"code", 8, "t\n```go\n# no heading\n\nx := 1\n```\nu", true, []passages.Passage{{1, "", "t # no heading x := 1 u"}}},
		{"code without end", 8, "~~~\n```\na", true, []passages.Passage{{2, "", "``` a"}}},
		{"abbreviations", 7, "See fig. 4 or e.g. this. Then that! \"So?\" Yes.", false,
			[]passages.Passage{{1, "", "See fig. 4 or e.g. this."}, {1, "", "Then that! \"So?\" Yes."}}},
		{"Chinese", 8, "一二三。四五六。", false, []passages.Passage{{1, "", "一二三。 四五六。"}}},
		{"line ends of Windows", 8, "\ufeffA.\r\n\r\nB.", true, []passages.Passage{{1, "", "A. B."}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := passages.Cutter{Max: c.max, Size: words}.Cut(c.text, c.markdown)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, c.want)
			}
		})
	}
}

// FuzzCut checks that passages fit, lose no word, begin on the line that they say, and that nothing panics.
func FuzzCut(f *testing.F) {
	f.Add("# A\none two. Three four five six seven eight nine ten.\n\nx", true)
	f.Add("```\ncode\n``", true)
	f.Add("\xff\xfe. A 。。\r\n#", false)
	f.Add(strings.Repeat("word", 100)+" . . .", false)
	size := func(s string) (int, error) { return (len(s) + 7) / 8, nil }
	f.Fuzz(func(t *testing.T, text string, markdown bool) {
		got, err := passages.Cutter{Max: 10, Size: size}.Cut(text, markdown)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
		for _, p := range got {
			if p.Line < 1 || p.Line > len(lines) {
				t.Fatalf("line %d of %d: %+v", p.Line, len(lines), p)
			}
			if n, _ := size(p.Text); n > 10 && utf8.RuneCountInString(p.Text) > 1 {
				t.Fatalf("size %d: %+v", n, p)
			}
			if utf8.ValidString(text) && !utf8.ValidString(p.Text) {
				t.Fatalf("%q is cut inside of a character", p.Text)
			}
		}
	})
}

func TestErrors(t *testing.T) {
	bad := fmt.Errorf("no size")
	if _, err := (passages.Cutter{Max: 8, Size: func(string) (int, error) { return 0, bad }}).Cut("a", false); err != bad {
		t.Errorf("got %v, want the error of Size", err)
	}
}
