package pattern

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func matches(t *testing.T, expr, text string) string {
	t.Helper()
	p, err := Compile(expr)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	steps := Steps(len(text))
	if err := p.Each(text, &steps, func(a, b int) { out = append(out, text[a:b]) }); err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, "|")
}

// TestMatches has cases whose results follow from the definitions; testdata/variants.py compares others with Oniguruma.
func TestMatches(t *testing.T) {
	for _, c := range []struct{ expr, text, want string }{
		{"a+?b*", "aab", "a|ab"},
		{"(a*)*", "aab", "aa|"},
		{"(?>a+)ab|a", "aab", "a|a"},
		{"a++a|b", "aaab", "b"},
		{"(?<!a)b", "abb", "b"},
		{"(?<=aa|b)c", "aacbcac", "c|c"},
		{"a{2}", "aaaaa", "aa|aa"},
		{"a{,2}b", "aaab", "aab"},
		{"a{x}", "a{x}", "a{x}"},
		{"(?i)Ab(?-i:C)", "aBCabc", "aBC"},
		{"(?x) a b # c\n c", "abc", "abc"},
		{"^.$", "a\nb\nccc", "a|b"},
		{"(?m:.)+", "a\nb", "a\nb"},
		{`\Aa|a\z`, "aaa", "a|a"},
		{`[^\p{L}\d]`, "a1 ß_", " |_"},
		{`[a-z&&[^aeiou]]+`, "hello", "h|ll"},
		{`[[:^alpha:]]`, "a1", "1"},
		{`\x{e9}\u00e9\x41`, "ééA", "ééA"},
		{`(?:(?=a)a|b){2,}`, "abab", "abab"},
		{"x*", "axb", "|x|"},
	} {
		if got := matches(t, c.expr, c.text); got != c.want {
			t.Errorf("%s in %q: %q, want %q", c.expr, c.text, got, c.want)
		}
	}
}

// TestRefused has what is not supported, with the message that says so.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{"(", "byte 0: the group has no end"}, {")", "unmatched )"}, {"[a", "the pattern ends too early"}, {"*", "nothing to repeat"},
		{`\1`, `\1 is not supported`}, {`\p{Foo}`, `\p{Foo} is not supported`}, {"(?(1)a)", "this kind of group is not supported"},
		{"(?i)st", "also stands for a ligature"}, {"(?i)ß", "beyond ASCII"}, {"a{5,2}", "counts must rise"}, {"a{2000}", "at most 1000"},
		{"(?:(?:a{1000}b){1000}c){1000}", "too large"}, {strings.Repeat("(", 100), "nested deeper"}, {`\xff`, "is a byte"},
		{"[z-a]", "a range must go"}, {"[]a]", "starts with ]"}, {"^*", "cannot be repeated"}, {"\xff", "not valid UTF-8"}, {"(?s:.)", "not supported"},
	} {
		_, err := Compile(c.expr)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.expr, err, c.want)
		}
	}
}

// TestSteps: a pattern that takes exponential time ends by an error.
func TestSteps(t *testing.T) {
	p, err := Compile("(a|a)*b")
	if err != nil {
		t.Fatal(err)
	}
	steps := 1_000_000
	err = p.Each(strings.Repeat("a", 100), &steps, func(int, int) {})
	if err == nil || !strings.Contains(err.Error(), "too many steps") {
		t.Errorf("error %v", err)
	}
}

// FuzzPattern compiles any expression and searches with it.
func FuzzPattern(f *testing.F) {
	for _, e := range []string{`'s|'t| ?\p{L}+|\s+(?!\S)`, "(a|b)*?c{2,3}", "[^a-c&&[:alpha:]]", "(?<=x)y|(?<!z)", "(?i:Ab)|(?>a+)", `(?:a*)+$`, "(?x) a #", `\b\B\A\z\Z^`} {
		f.Add(e, "abc xyz\n 's")
	}
	f.Fuzz(func(t *testing.T, expr, text string) {
		if len(text) > 200 || len(expr) > 200 {
			return
		}
		p, err := Compile(expr)
		if err != nil {
			return
		}
		text = strings.ToValidUTF8(text, "?")
		steps, last := 200_000, 0
		start := time.Now()
		err = p.Each(text, &steps, func(a, b int) {
			if a < last || b < a || b > len(text) {
				t.Fatalf("match %d to %d after %d", a, b, last)
			}
			last = b
		})
		if d := time.Since(start); d > 10*time.Second {
			t.Fatal(fmt.Sprint(expr, d, err))
		}
	})
}
