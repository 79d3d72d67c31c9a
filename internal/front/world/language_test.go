package world_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cutile-go/cutile/internal/front/directive"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/langsrc"
)

const (
	ownLang = "example.com/own/lang"
	ownUser = "example.com/own/user"
)

const ownLangSource = `package lang

import "example.com/own/host"

// Always is in every world.
//
//cutile:type always
type Always struct{}

// Num has a function.
//
//cutile:type num with(zero)
type Num struct{}

// Never is reached by nothing.
type Never struct{}

// Called is a method that the compiler calls.
func (n Num) Called() {}

// Other is one that nobody does.
func (n Num) Other() {}

func zero() Num { return Num{} }

// Plus is the sum.
//
//cutile:operator + num
func Plus(a, b Num) Num { return a }

// Made declares a function alone: its body is what the host does.
//
//cutile:made
func Made(n Num) { host.Missing() }
`

const ownUserSource = `package user

import (
	"example.com/own/lang"
	"math"
	"sort"
)

func main(n lang.Num) { lang.Made(n) }

func uses() {
	math.Odd()
	math.Twice()
	sort.Ints()
}

//cutile:made
func wrong() {}
`

// TestOwnLanguage: what a language declares is all that the front end knows of it.
func TestOwnLanguage(t *testing.T) {
	for path, text := range map[string]string{ownLang: ownLangSource, ownUser: ownUserSource} {
		langsrc.Register(&langsrc.Source{Path: path, Dir: "/" + path, FS: []fs.FS{fstest.MapFS{"a.go": {Data: []byte(text)}}}, Lang: path == ownLang})
	}
	lang := &world.Language{
		Packages: []string{ownLang}, Methods: []string{"Called"}, Std: map[string]string{"math": "func Twice()\n"},
		Bodies: []directive.Word{"made"},
		Check: func(d *source.Decl) error {
			if d.Name == "wrong" {
				return d.Directives()[0].Fault(errors.New("wrong"))
			}
			return nil
		},
		Type: func(text string) (bool, string) {
			name, _, _ := strings.Cut(text, " ")
			return name == "always", map[string]string{"num": "zero"}[name]
		},
		Implied: func(r world.Symbol) bool { return r.Name == "Always" },
		Extend:  func(w *world.World) any { return len(w.Order) },
		Code:    "a program", Library: "there is little", Instead: map[string]string{"sort": ": sort by hand"},
	}
	w, err := lang.Load([]world.Symbol{{Path: ownUser, Name: "main"}, {Path: ownUser, Name: "uses"}})
	if err != nil {
		t.Fatal(err)
	}
	if w.Extension != 2 {
		t.Errorf("the extension is %v", w.Extension)
	}
	scope := w.Pkgs[ownLang].Types.Scope()
	for name, want := range map[string]bool{"Always": true, "Num": true, "zero": true, "Made": true, "Never": false, "Plus": false} {
		if got := scope.Lookup(name) != nil; got != want {
			t.Errorf("%s is there: %v", name, got)
		}
	}
	for name, want := range map[string]bool{"Called": true, "Other": false} {
		if _, got := w.Pkgs[ownLang].Info.Defs[w.Pkgs[ownLang].Src.Methods["Num"][name].Func().Name]; got != want {
			t.Errorf("method %s is there: %v", name, got)
		}
	}
	if f := w.Lookup(ownLang, "Made"); f == nil || f.Dir == nil || f.Dir.Word != "made" || w.Lookup(ownUser, "main").Dir != nil {
		t.Error("the directive of Made does not stand for its body alone")
	}
	if f := w.Lookup(ownLang, w.Operators["+ num"].Name); f == nil || f.Decl.Name.Name != "Plus" {
		t.Error("the operator does not join")
	}
	node := w.Pkgs[ownUser].Src.Decls["uses"].Node
	if text := w.Pkgs[ownUser].Errors(node.Pos(), node.End()).Error(); !strings.Contains(text, "math.Odd cannot be used in a program") || strings.Contains(text, "Twice") {
		t.Errorf("mistakes: %s", text)
	}
	if got := lang.NamesIn(ownLang + ".Always[" + ownLang + ".Num]"); len(got) != 1 || got[0].Name != "Num" {
		t.Errorf("the names are %v", got)
	}
	if _, err := lang.Load([]world.Symbol{{Path: ownUser, Name: "wrong"}}); err == nil || !strings.Contains(err.Error(), "a.go:17:1: directive //cutile:made: wrong") {
		t.Errorf("a wrong directive: %v", err)
	}
}
