package layout_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/layout"
)

func TestParse(t *testing.T) {
	for _, s := range []string{
		"7", "-3", "_", "()", "(4)", "(4,(2,3))", "?", "?{div=8}", "?{i64}", "?{i64 div=8}", "1@0", "2@1@0", "0@3",
		"4:1", "(4,(2,3)):(1,(4,8))", "():()", "(?,?{div=16}):(?{i64 div=8},1)", "(4,8):(1@0,1@1)",
		"[]", "[4]", "[4:1;_;8]", "[(2,2):(1,4);?{div=4}]", "S<3,4,3>", "S<1,0,-1>",
		"S<3,4,3> o 64 o (8,64):(64,1)", "S<0,4,3> o ?{div=8} o 4:1",
	} {
		v, err := layout.Parse(s)
		if err != nil || v.String() != s {
			t.Errorf("%q reads as %v, %v", s, v, err)
		}
	}
	v, err := layout.Parse(" ( 4 , 8 ) : ( 1 , ?{ div=4 } ) ")
	if err != nil || v.String() != "(4,8):(1,?{div=4})" {
		t.Errorf("with blanks: %v, %v", v, err)
	}
}

func TestParseErrors(t *testing.T) {
	deep := strings.Repeat("(", 200)
	for s, want := range map[string]string{
		"":                              `at byte 0 of "": expected an integer of 64 bits`,
		"(4,":                           `at byte 3 of "(4,": expected an integer of 64 bits`,
		"(4 8)":                         `at byte 3 of "(4 8)": expected ,`,
		"(,4)":                          `at byte 1 of "(,4)": expected an integer of 64 bits`,
		"4:1 x":                         `at byte 4 of "4:1 x": unexpected text`,
		"9223372036854775808":           `at byte 0 of "9223372036854775808": expected an integer of 64 bits`,
		"?{div=0}":                      `at byte 7 of "?{div=0}": a divisor must be positive`,
		"?{32}":                         `at byte 2 of "?{32}": expected i64 or div=`,
		"1@256":                         `at byte 5 of "1@256": a mode is a number from 0 to 255`,
		"[(4,8)]":                       `at byte 6 of "[(4,8)]": an entry of a tiler is a layout, an integer or _`,
		"[4,8]":                         `at byte 2 of "[4,8]": expected ;`,
		"S<3,4>":                        `at byte 5 of "S<3,4>": expected ,`,
		"S<3,4,3> o 0":                  `at byte 12 of "S<3,4,3> o 0": expected o`,
		"S<3,4,3> o 0 o 4":              `at byte 16 of "S<3,4,3> o 0 o 4": expected a layout`,
		deep:                            `more than 100 parentheses deep`,
		"(4,8):(1,4,2)":                 `make_layout of (4,8) and (1,4,2): shape and stride have different nesting`,
		"(4,_):(1,4)":                   `make_layout of (4,_): a shape must hold only integers`,
		"(4,1@0):(1,4)":                 `make_layout of (4,1@0): a shape must hold only integers`,
		"(4,8):(1,_)":                   `make_layout of (1,_): _ is not a stride`,
		"S<-1,4,3>":                     `make_swizzle of S<-1,4,3>: bits must lie between 0 and 62`,
		"(4294967296,4294967296):(1,1)": `make_layout of (4294967296,4294967296) and (1,1): a result does not fit 64 bits`,
	} {
		v, err := layout.Parse(s)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q reads as %v, error %v, want %s", s, v, err, want)
		}
	}
	var syntax *layout.SyntaxError
	if _, err := layout.ParseLayout("(4,8)"); !errors.As(err, &syntax) || syntax.Msg != "expected a layout" {
		t.Errorf("a tuple is no layout: %v", err)
	}
	if _, err := layout.ParseTiler("S<3,4,3>"); !errors.As(err, &syntax) || syntax.Msg != "expected a tiler" {
		t.Errorf("a swizzle is no tiler: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	compose := func(a, b string) error { _, err := layout.Compose(lay(a), til(b)); return err }
	huge := "(2,2305843009213693952):(1,4)"
	_, complement := layout.Complement(lay("(4,?):(1,?)"), tup("64"))
	_, left := layout.LeftInverse(lay("(4,?):(1,4)"))
	_, coordinates := layout.Complement(lay("(4,8):(1@0,1@1)"), tup("64"))
	_, product := layout.LogicalProduct(lay(huge), lay("8:1"))
	_, zero := layout.Complement(lay("4:1"), tup("_"))
	_, crd := lay("(4,8):(1,4)").Index(tup("(1,2,3)"))
	_, mode := lay("(4,8):(1,4)").Mode(2)
	_, _, tile := layout.LocalTile(lay("(64,64,3):(64,1,4096)"), layout.TileOf(16, 16), tup("(1,2)"))
	_, div := layout.CeilDiv(tup("(4,8)"), tup("(0,1)"))
	_, order := layout.Ordered(tup("(4,8)"), tup("(0,1,2)"))
	_, nested := layout.Tile(tup("((4,2),8)"))
	_, swizzle := layout.Composed{Swizzle: layout.Swizzle{Bits: -1}, Layout: lay("4:1")}.Index(tup("1"))
	for _, c := range []struct {
		err  error
		want string
	}{
		{compose("(6,2):(1,7)", "(2,4):(1,4)"), "composition of (6,2):(1,7) and (2,4):(1,4): "},
		{compose("(6,2):(1,7)", "(2,4):(1,4)"), "neither the stride 4 nor the size 6 of a mode divides the other"},
		{compose("(6,2):(1,7)", "4:1"), "4 elements do not divide the 6 that a mode gives"},
		{compose("(4,2):(1,7)", "6:1"), "6 elements are not a whole number of times the 4 that a mode gives"},
		{compose("(4,2):(1,7)", "[4;2;2]"), "the tiler has 3 modes, the layout 2"},
		{compose("4:4611686018427387904", "4:4"), "a result does not fit 64 bits"},
		{compose("(0,2):(1,7)", "4:1"), "division by a shape or stride of 0"},
		{complement, "complement of (4,?):(1,?) and 64: an integer is known only at run time"},
		{left, "left_inverse of (4,?):(1,4): an integer is known only at run time"},
		{coordinates, "a coordinate layout has no complement"},
		{product, "logical_product of " + huge + " and 8:1: "},
		{zero, "complement of 4:1 and _: the target of a complement is a shape"},
		{crd, "crd2idx of (1,2,3) and (4,8):(1,4): the coordinate (1,2,3) does not fit the shape (4,8)"},
		{mode, "get of (4,8):(1,4): there is no mode [2]"},
		{tile, "local_tile of (64,64,3):(64,1,4096) and [16;16] and (1,2): the coordinate must have an entry for each mode"},
		{div, "ceil_div of (4,8) and (0,1): division by a shape or stride of 0"},
		{order, "make_ordered_layout of (4,8) and (0,1,2): the order does not fit the shape"},
		{nested, "make_tile of ((4,2),8): (4,2) is neither an integer nor _"},
		{swizzle, "crd2idx of 1 and S<-1,0,0> o 0 o 4:1: a result does not fit 64 bits"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want %s", c.err, c.want)
		}
	}
	if !errors.Is(complement, layout.ErrSymbolic) || !errors.Is(div, layout.ErrZero) || !errors.Is(product, layout.ErrOverflow) {
		t.Error("the reasons are not found by errors.Is")
	}
	for name, n := range map[string]layout.Int{
		"sum": layout.N(math.MaxInt).Add(layout.N(1)), "negative sum": layout.N(math.MinInt).Add(layout.N(-1)),
		"product": layout.N(math.MaxInt).Mul(layout.N(2)), "quotient": layout.N(math.MinInt).Quo(layout.N(-1)),
		"absolute value": layout.N(math.MinInt).Abs(), "shift": layout.N(4).Shift(62), "far shift": layout.N(1).Shift(99),
	} {
		if n.Err() != layout.ErrOverflow || n.Add(layout.N(1)).Err() == nil || layout.N(2).Mul(n).Err() == nil {
			t.Errorf("%s: %v, %v", name, n, n.Err())
		}
	}
	if n := layout.N(math.MaxInt).Add(layout.N(-1)); n.Err() != nil || !n.Is(math.MaxInt-1) {
		t.Errorf("a sum that fits: %v, %v", n, n.Err())
	}
	if n := layout.N(1).Quo(layout.N(0)); n.Err() != layout.ErrZero {
		t.Errorf("1/0: %v", n.Err())
	}
}

// FuzzParse: what reads prints as a text that reads the same, and no operation panics on it.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"(4,(2,3)):(1,(4,8))", "(?,?{div=16}):(?{i64 div=8},1)", "[4:1;_;8]", "S<3,4,3> o 64 o (8,64):(64,1)",
		"(4,8):(1@0,1@1)", "(0,-4):(-1,0)", "((),4):((),1)", "[]", "_", "S<62,0,0> o 0 o 4:1",
		"(9223372036854775807,2):(3,-9223372036854775808)",
	} {
		f.Add(s)
	}
	for _, name := range []string{"agreed.txt", "package.txt"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if i%97 == 0 {
				f.Add(strings.SplitN(line, "\t", 2)[0])
			}
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := layout.Parse(s)
		if err != nil {
			return
		}
		again, err := layout.Parse(v.String())
		if err != nil || again.String() != v.String() {
			t.Fatalf("%q prints as %q, which reads as %v, %v", s, v, again, err)
		}
		exercise(v)
	})
}

// exercise runs operations for their panics; what they answer or refuse does not matter.
func exercise(v fmt.Stringer) {
	block := lay("(2,4):(4,1)")
	switch v := v.(type) {
	case layout.Layout:
		layout.Filter(v)
		v.Cosize()
		layout.RightInverse(v)
		layout.LeftInverse(v)
		layout.FragmentLike(v)
		layout.Recast(32, 8, v)
		layout.Recast(4, 16, v)
		layout.RakedProduct(v, block)
		layout.BlockedProduct(block, v)
		layout.LayoutTV(block, v)
		layout.MaxCommon(block, v)
		layout.TileToShape(v, tup("(8,8,8)"), tup("(0,1,2)"))
		v.FlatCoord(layout.N(3))
		v.Index(tup("5"))
		layout.LocalPartition(v, block, layout.N(3))
		layout.LocalTile(v, layout.TileOf(2, 2), tup("(0,_)"))
		exerciseTiler(v)
	case layout.ByMode:
		exerciseTiler(v)
	case layout.Composed:
		v.Index(tup("3"))
		for _, crd := range []string{"_", "(_,1)", "(1,_)"} {
			layout.SliceComposed(v, tup(crd))
		}
		layout.RecastComposed(8, 16, v)
		layout.RecastComposed(64, 16, v)
	case layout.Tuple:
		layout.Compact(v)
		layout.Identity(v)
		layout.Ordered(v, v)
		layout.Ordered(tup("(4,8)"), v)
		layout.Coord(layout.N(5), v)
		layout.CeilDiv(tup("(8,8)"), v)
		layout.ShapeDiv(v, tup("(2,2)"))
		layout.Complement(block, v)
		block.Index(v)
		layout.Slice(block, v)
		layout.CoalesceBy(block, v)
		layout.Dice(v, tup("(1,2)"))
		layout.TileToShape(block, v, v)
	}
}

func exerciseTiler(b layout.Tiler) {
	for _, s := range []string{"(8,16):(1,8)", "(?,4):(4,1)", "(4,8):(1@0,1@1)", "24:1"} {
		a := lay(s)
		layout.Compose(a, b)
		layout.FlatDivide(a, b)
		layout.TiledProduct(a, b)
		if l, ok := b.(layout.Layout); ok {
			layout.ZippedDivide(l, a)
			layout.ZippedProduct(l, a)
		}
	}
}
