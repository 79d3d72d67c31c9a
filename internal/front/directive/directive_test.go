package directive_test

import (
	"errors"
	"go/ast"
	"go/token"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/front/directive"
)

func doc(lines ...string) *ast.CommentGroup {
	g := &ast.CommentGroup{}
	for _, l := range lines {
		g.List = append(g.List, &ast.Comment{Text: l})
	}
	return g
}

// TestOf: every directive of a comment, in order, and nothing else.
func TestOf(t *testing.T) {
	if directive.Of(token.NewFileSet(), nil) != nil || directive.Has(nil, directive.State) || directive.Replaces(nil) {
		t.Error("no comment has directives")
	}
	c := doc("// F is.", "//cutile:operator  +   float", "// cutile:state", "//cutile:state", "//cutile:stately", "//go:noinline")
	want := []struct {
		word  directive.Word
		text  string
		words []string
	}{
		{directive.Operator, " +   float", []string{"+", "float"}}, {directive.State, "", nil}, {"stately", "", nil},
	}
	all := directive.Of(token.NewFileSet(), c)
	if len(all) != len(want) {
		t.Fatalf("%d directives, want %d", len(all), len(want))
	}
	for i, w := range want {
		if d := all[i]; d.Word != w.word || d.Text != w.text || !slices.Equal(d.Words, w.words) {
			t.Errorf("directive %d is %q %q %q, want %q", i, d.Word, d.Text, d.Words, w)
		}
	}
	for _, w := range []directive.Word{directive.Operator, directive.State, "stately"} {
		if !directive.Has(c, w) {
			t.Errorf("%s is not found", w)
		}
	}
	if directive.Has(c, "stat") || directive.Has(c, "noinline") || directive.Has(c, "") {
		t.Error("a directive is found that is not there")
	}
}

// TestReplaces: the words that every language has leave a function its body, but for intrinsics.
func TestReplaces(t *testing.T) {
	for text, want := range map[string]bool{
		"//cutile:operator + float": false, "//cutile:param in": false, "//cutile:state": false, "//cutile:type f32": false,
		"//cutile:intrinsic size": true, "//cutile:other": true, "// plain": false,
	} {
		if got := directive.Replaces(doc("// F.", text)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// TestMeaning: a directive is read once, and a mistake in it names it each time.
func TestMeaning(t *testing.T) {
	d := directive.Of(token.NewFileSet(), doc("//cutile:odd one"))[0]
	n := 0
	for range 2 {
		m, err := d.Meaning(func(d *directive.Directive) (any, error) { n++; return d.Words, errors.New("too odd") })
		if err == nil || err.Error() != "directive //cutile:odd: too odd\n    //cutile:odd one\n    ^" || !slices.Equal(m.([]string), []string{"one"}) {
			t.Errorf("%v, %v", m, err)
		}
	}
	if n != 1 {
		t.Errorf("read %d times", n)
	}
}
