package chars

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// TestNormalForms compares with golang.org/x/text on characters that both know. Its limit of 30 marks is not reached.
func TestNormalForms(t *testing.T) {
	letters, _ := active()
	var known []rune
	for r := range letters {
		known = append(known, r)
	}
	slices.Sort(known)
	rnd := rand.New(rand.NewPCG(1, 2))
	pick := func() rune {
		switch rnd.IntN(6) {
		case 0:
			return 'a' + rune(rnd.IntN(26))
		case 1:
			return jamoL + rune(rnd.IntN(0x100))
		case 2:
			return hangulFirst + rune(rnd.IntN(hangulCount))
		case 3:
			return 0x300 + rune(rnd.IntN(0x70))
		}
		return known[rnd.IntN(len(known))]
	}
	forms := []struct {
		form Form
		want norm.Form
	}{{NFC, norm.NFC}, {NFD, norm.NFD}, {NFKC, norm.NFKC}, {NFKD, norm.NFKD}}
	texts := []string{"", "abc", "ো ୈ", "\u0344\u0f73"}
	for _, r := range known {
		texts = append(texts, string(r), "a"+string(r)+"\u0301")
	}
	for range 20_000 {
		var s []rune
		for range 1 + rnd.IntN(12) {
			s = append(s, pick())
		}
		texts = append(texts, string(s))
	}
	for _, s := range texts {
		for i, f := range forms {
			got := s
			if changes, changed := f.form.Apply(s); changed {
				var out []rune
				for _, c := range changes {
					out = append(out, c.Rune)
				}
				got = string(out)
			}
			if want := f.want.String(s); got != want {
				t.Fatalf("form %d of %+q is %+q, want %+q", i, s, got, want)
			}
		}
	}
}

// TestKinds compares with Go's tables where every version of Unicode says the same.
func TestKinds(t *testing.T) {
	for r := range rune(0x250) {
		if IsSpace(r) != unicode.IsSpace(r) {
			t.Errorf("IsSpace(%U)", r)
		}
		if IsNumeric(r) != unicode.IsNumber(r) {
			t.Errorf("IsNumeric(%U)", r)
		}
		if r != 'İ' && Lower(r) != unicode.ToLower(r) {
			t.Errorf("Lower(%U)", r)
		}
		if IsPunctuation(r) != (unicode.IsPunct(r) || r < 128 && unicode.IsSymbol(r)) {
			t.Errorf("IsPunctuation(%U)", r)
		}
	}
	letters := NewSet(Union(append(append(Ranges("category/Lu"), Ranges("category/Ll")...), Ranges("category/Lo")...)))
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lo) && !letters.Has(r) {
			t.Errorf("%U is no letter", r)
		}
	}
}

// TestSets checks the operations on ranges with all characters.
func TestSets(t *testing.T) {
	ranges := []Range{{'x', 'z'}, {'a', 'c'}, {'b', 'f'}, {0x1000, 0x4321}, {-5, 3}, {unicode.MaxRune, unicode.MaxRune}}
	in := func(r rune) bool {
		return slices.ContainsFunc(ranges, func(s Range) bool { return s.Lo <= r && r <= s.Hi })
	}
	set, rest := NewSet(ranges), NewSet(Not(ranges[:4]))
	for r := rune(-10); r <= unicode.MaxRune+10; r++ {
		if want := in(r) && r >= 0; set.Has(r) != want {
			t.Fatalf("%U: %v", r, !want)
		}
		if r > 3 && r < unicode.MaxRune && rest.Has(r) == in(r) {
			t.Fatalf("%U in Not: %v", r, in(r))
		}
	}
}

// TestGraphemes compares with pip's regex, on random texts. It needs version 2025.11.3 for CUTILE_PYTHON or python3: later
// ones follow Unicode 18, which has other rules.
func TestGraphemes(t *testing.T) {
	path := os.Getenv("CUTILE_PYTHON")
	if path == "" {
		path = "python3"
	}
	const script = `import json, regex, sys
assert regex.__version__ == "2025.11.3", "regex 2025.11.3 is needed, which has Unicode 17"
print(json.dumps([[c for c in regex.findall(r"\X", s)] for s in json.load(sys.stdin)]))`
	rnd := rand.New(rand.NewPCG(3, 4))
	var special []rune
	for _, line := range []string{"Extend", "ZWJ", "Regional_Indicator", "Prepend", "SpacingMark", "L", "V", "T", "Control", "CR", "LF", "pictographic", "linker", "consonant", "extend"} {
		for range 20 {
			r := Ranges("cluster/" + line)[rnd.IntN(len(Ranges("cluster/"+line)))]
			special = append(special, r.Lo, r.Hi)
		}
	}
	special = append(special, 'a', 'b', 0x200D, 0x200D, 0x1F469, 0xAC00, 0xAC01, 0x915, 0x94D, 0x94D, 0x1F1E6, 0x1F1E7)
	texts := []string{"\r\n\r", "e\u0301x", "👩‍👩‍👧‍👦a", "🇩🇪🇫🇷🇯", "क्षि"}
	for range 20_000 {
		var s []rune
		for range 1 + rnd.IntN(8) {
			s = append(s, special[rnd.IntN(len(special))])
		}
		texts = append(texts, string(s))
	}
	in, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "-c", script)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		if slices.Contains(strings.Split(os.Getenv("CUTILE_REQUIRE"), ","), "regex") {
			t.Fatalf("%s with regex 2025.11.3: %v; CUTILE_REQUIRE lists regex", path, err)
		}
		t.Skipf("%s with regex 2025.11.3: %v", path, err)
	}
	var want [][]string
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	for i, s := range texts {
		var got []string
		Graphemes(s, func(c string) { got = append(got, c) })
		if !slices.Equal(got, want[i]) {
			t.Errorf("%+q: %+q, want %+q", s, got, want[i])
		}
		if !utf8.ValidString(s) {
			t.Errorf("%q", s)
		}
	}
}
