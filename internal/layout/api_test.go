package layout_test

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/layout"
)

// TestComposeWithCoordinates: a right operand that maps to coordinates picks modes.
func TestComposeWithCoordinates(t *testing.T) {
	r := rand.New(rand.NewSource(19))
	for range rounds / 4 {
		m, n := 1+r.Intn(6), 1+r.Intn(6)
		a := must(layout.Ordered(layout.Of(m, n), layout.Of(r.Perm(2)...)))
		same := must(layout.Compose(a, must(layout.Identity(a.Shape()))))
		swapped := must(layout.Compose(a, must(layout.New(layout.Of(n, m),
			layout.T(layout.Basis(layout.N(1), 1), layout.Basis(layout.N(1), 0))))))
		i, j := r.Intn(m), r.Intn(n)
		want := must(a.At(layout.N(i), layout.N(j)))
		if got := must(same.At(layout.N(i), layout.N(j))); !got.Equal(want) {
			t.Fatalf("%v o identity = %v", a, same)
		}
		if got := must(swapped.At(layout.N(j), layout.N(i))); !got.Equal(want) {
			t.Fatalf("%v transposed = %v", a, swapped)
		}
	}
	if _, err := layout.Compose(lay("(4,8):(1,4)"), lay("4:1@2")); err == nil || !strings.Contains(err.Error(), "there is no mode [2]") {
		t.Errorf("a step along a mode that is not there: %v", err)
	}
}

// TestComposeForms are forms that the recorded answers do not have.
func TestComposeForms(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"(4,8):(1,100)", "2:-4", "2:-100"},
		{"(4,8):(1,100)", "(8,2):(1,-8)", "((4,2),2):((1,100),-200)"},
		{"(?,?):(1,?)", "1:1", "1:0"},
		{"(?,?):(1,?)", "(1,4):(7,1)", "(1,(?,?)):(0,(1,?))"},
		{"(4,8):(1,100)", "4:2@1", "4:200"},
		{"((2,3),8):((1,10),100)", "(3,2):(1@1@0,4@1)", "(3,2):(10,400)"},
		{"(4,8):(1@0,1@1)", "(2,4):(2,8)", "(2,4):(2@0,2@1)"},
	} {
		if got, err := layout.Compose(lay(c.a), lay(c.b)); err != nil || got.String() != c.want {
			t.Errorf("%s o %s = %v, %v, want %s", c.a, c.b, got, err, c.want)
		}
	}
	for in, want := range map[string]string{
		"(2,2):(1@0,2@1)": "(2,2):(1@0,2@1)", "(2,2):(1@0,2@0)": "4:1@0", "(?,4):(1,8)": "(?,4):(1,8)",
		"(4,?):(1,4)": "(4,?):(1,4)", "(4,1,2):(1,9,4)": "8:1",
	} {
		if got := layout.Coalesce(lay(in)); got.String() != want {
			t.Errorf("coalesce of %s = %v, want %s", in, got, want)
		}
	}
	for _, c := range []struct{ in, crd, want string }{
		{"S<1,0,1> o 0 o (2,3,5):(1,4,12)", "(0,_,_)", "S<0,4,3> o 0 o (3,5):(4,12)"},
		{"S<1,0,1> o 0 o (2,?):(1,?{div=4})", "(1,_)", "S<0,4,3> o 0 o (?):(?{div=4})"},
		{"S<1,0,1> o 0 o (2,?):(1,?{div=2})", "(1,_)", "S<1,0,1> o 1 o (?):(?{div=2})"},
		{"S<1,0,1> o 0 o (2,3):(1,1)", "(0,_)", "S<1,0,1> o 0 o (3):(1)"},
	} {
		got, _, err := layout.SliceComposed(must(layout.ParseComposed(c.in)), tup(c.crd))
		if err != nil || got.String() != c.want {
			t.Errorf("slice %s of %s = %v, %v, want %s", c.crd, c.in, got, err, c.want)
		}
	}
}

func TestAt(t *testing.T) {
	a := lay("(4,(2,3)):(1,(4,8))")
	if n := must(a.At(layout.N(3), layout.N(5))); !n.Is(3 + 4 + 16) {
		t.Errorf("(3,5) at %v", n)
	}
	if n := must(a.At(layout.N(23))); !n.Is(23) {
		t.Errorf("23 at %v", n)
	}
	if _, err := a.At(layout.N(1), layout.N(2), layout.N(3)); err == nil {
		t.Error("three coordinates for two modes")
	}
	if _, err := lay("(4,8):(1@0,1@1)").At(layout.N(3)); err == nil || !strings.Contains(err.Error(), "the layout maps to coordinates") {
		t.Errorf("an integer from a coordinate layout: %v", err)
	}
	if _, err := a.Index(tup("(_,1)")); err == nil || !strings.Contains(err.Error(), "a coordinate must not have an underscore here") {
		t.Errorf("an underscore in a coordinate: %v", err)
	}
}

func TestRecastComposed(t *testing.T) {
	for _, c := range []struct{ bits, old, in, want string }{
		{"8", "16", "S<3,4,3> o 64 o (8,64):(64,1)", "S<3,5,3> o 128 o (8,128):(128,1)"},
		{"32", "16", "S<3,4,3> o 64 o (8,64):(64,1)", "S<3,3,3> o 32 o (8,32):(32,1)"},
		{"32", "16", "S<3,4,3> o 3 o (8,64):(64,1)", "the offset is not a whole number of new elements"},
		{"48", "16", "S<3,4,3> o 0 o (8,64):(64,1)", "a swizzle is recast by powers of two only"},
		{"32", "16", "S<3,0,3> o 0 o (8,64):(64,1)", "swizzled bits would lie outside an offset"},
		{"0", "16", "S<3,0,3> o 0 o (8,64):(64,1)", "an element must have at least one bit"},
	} {
		got, err := layout.RecastComposed(number(c.bits), number(c.old), must(layout.ParseComposed(c.in)))
		if err == nil && got.String() != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s as %s bits for %s: %v, %v, want %s", c.in, c.bits, c.old, got, err, c.want)
		}
	}
	if l := must(layout.Recast(24, 16, lay("(6,4):(1,6)"))); l.String() != "(4,4):(1,4)" {
		t.Errorf("16 bits as 24: %v", l)
	}
	if l := must(layout.Recast(8, 16, lay("8:-1"))); l.String() != "16:-1" {
		t.Errorf("16 bits backwards as 8: %v", l)
	}
	if l := must(layout.Recast(32, 16, lay("(8,?):(?{div=8},1)"))); l.String() != "(8,?):(?{div=4},1)" {
		t.Errorf("16 bits as 32 with symbols: %v", l)
	}
}

func TestTuples(t *testing.T) {
	if a, b := tup("(4,(2,1@0))"), tup("(4,(2,1@0))"); !a.Equal(b) || a.Equal(tup("(4,(2,1@1))")) || a.Equal(tup("(4,2)")) {
		t.Error("tuples are equal where nesting, numbers and paths are")
	}
	modes := []layout.Tuple{tup("4"), tup("8")}
	kept := layout.T(modes...)
	modes[0], kept.Modes()[1] = tup("_"), tup("_")
	if kept.String() != "(4,8)" {
		t.Errorf("a tuple was changed from outside: %v", kept)
	}
	if d := tup("(4,(2,(3,1)))").Depth(); d != 3 || tup("7").Depth() != 0 || tup("()").Depth() != 1 {
		t.Errorf("depth %d", d)
	}
	if tup("(4,8)").Congruent(tup("(4,(2,4))")) || tup("4").Congruent(tup("(4)")) || !tup("(4,(1,2))").Congruent(tup("(1,(3,4))")) {
		t.Error("congruent tuples have one nesting")
	}
	if n, ok := tup("2@1@0").IsLeaf(); !ok || !n.Is(2) || tup("2@1@0").Path()[0] != 0 || !tup("_").IsAll() {
		t.Error("the path of a basis leaf is given outermost first")
	}
	if l := must(layout.Ordered(tup("(4,8,2)"), tup("(?,5,?)"))); l.String() != "(4,8,2):(8,1,32)" {
		t.Errorf("symbolic orders come behind the greatest one: %v", l)
	}
	if l := must(layout.Ordered(tup("(4,8,2)"), tup("(?,0,?)"))); l.String() != "(4,8,2):(8,1,32)" {
		t.Errorf("symbolic orders come last: %v", l)
	}
	if l := must(layout.FragmentLike(lay("(4,?):(?,1)"))); l.String() != "(4,?):(1,4)" {
		t.Errorf("a fragment of a symbolic shape: %v", l)
	}
}
