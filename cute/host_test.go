package cute_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/cute"
)

// TestHostValues: the algebra on the host, by values that are known from CuTe or from the definition.
func TestHostValues(t *testing.T) {
	s, i, l := cute.S, cute.I, cute.MakeLayout
	rows := l(s(4, 8), s(8, 1))
	swizzled := cute.Swizzle{Bits: 2, Base: 1, Shift: 2}.Of(rows)
	for _, c := range []struct {
		want string
		got  any
	}{
		{"(2,(3,4))", cute.Nest(i(2), s(3, 4))},
		{"7", i(7)},
		{"()", s()},
		{"(4,8)", rows.Shape()},
		{"(8,1)", rows.Stride()},
		{"(4,8):(1,4)", l(s(4, 8))},
		{"(4,8):(8,1)", rows},
		{"(4,8):(8,1)", cute.MakeOrderedLayout(s(4, 8), s(1, 0))},
		{"(4,8):(1,4)", cute.MakeOrderedLayout(s(4, 8), s(0, 1))},
		{"S<2,1,2> o 0 o (4,8):(8,1)", swizzled},
		{"(8):(1)", rows.Slice(i(0), cute.All)},
		{"(4):(8)", rows.Slice(cute.All, i(0))},
		{"8:1", rows.Mode(1)},
		{"4:8", rows.Mode(0)},
		{"(3,2)", cute.CeilDivEach(s(10, 8), s(4, 4))},
		{"(12,8)", cute.RoundUpEach(s(10, 8), s(4, 4))},
		{"(2,4)", cute.ShapeDiv(s(8, 4), s(4, 1))},
		{"(1,2)", cute.IdxToCrd(9, s(4, 8))},
		{"32:1", cute.Coalesce(l(s(4, 8)))},
		{"(4,(2,3)):(1,(4,8))", cute.GroupModes(l(s(4, 2, 3)), 1, 3)},
		{"(3,4):(8,1)", cute.SelectModes(l(s(4, 2, 3)), 2, 0)},
		{"(4,8,2):(8,1,32)", cute.Append(rows, l(i(2), i(32)))},
		{"(2,4,8):(32,8,1)", cute.Prepend(rows, l(i(2), i(32)))},
		{"(2,1,4):(1,2,8)", cute.Flatten(l(cute.Nest(s(2, 1), i(4)), cute.Nest(s(1, 2), i(8))))},
		{"(4,16):(16,1)", cute.RecastLayout(rows, 16, 32)},
		{"(4,4):(4,1)", cute.RecastLayout(rows, 32, 16)},
		{"4:8", cute.Composition(rows, cute.Tile{l(i(4)), i(1)}).Mode(0)},
		{"true true false false", fmt.Sprint(cute.ElemLess(s(3, 7), s(4, 8)), cute.ElemLess(cute.Nest(i(1), s(2, 3)), cute.Nest(i(2), s(3, 4))), cute.ElemLess(s(3, 8), s(4, 8)), cute.ElemLess(s(4, 7), s(4, 8)))},
		{"31 true false", fmt.Sprint(cute.CrdToIdx(s(3, 7), rows), cute.ElemLess(i(31), s(4, 8)), cute.ElemLess(i(32), s(4, 8)))},
		{"false true", fmt.Sprint(cute.ElemLess(s(1, 2, 3), s(4, 8)), cute.ElemLess(s(1), s(4, 8)))},
		{"4 8 32 32", fmt.Sprint(rows.Shape().At(0), rows.Mode(1).Size(), rows.Size(), rows.Cosize())},
		{"9 2 0 30", fmt.Sprint(rows.At(1, 1), rows.At(0, 2), swizzled.At(0, 0), swizzled.At(3, 0))},
		{"8 1", fmt.Sprint(rows.Stride().At(0), rows.Stride().Mode(1))},
		{"5 5", fmt.Sprint(cute.Nest(i(1), s(4, 5)).At(1, 1), cute.Nest(i(1), s(4, 5)).Mode(1).Mode(1))},
		{"6", i(6).Mode(0)},
	} {
		if fmt.Sprint(c.got) != c.want {
			t.Errorf("got %v, want %s", c.got, c.want)
		}
	}
}

// TestHostMistakes: what cannot be made says why, and so does all that is made of it.
func TestHostMistakes(t *testing.T) {
	s, i, l := cute.S, cute.I, cute.MakeLayout
	noMode := s(2, 3).Mode(2)
	bad := l(s(2, 3), s(1))
	good := l(s(4, 8), s(8, 1))
	swizzled := cute.Swizzle{Bits: 2, Base: 1, Shift: 2}.Of(good)
	if s(2).Err() != nil || good.Err() != nil || swizzled.Err() != nil {
		t.Error("mistakes of what is right")
	}
	for k, c := range []struct {
		got  interface{ Err() error }
		want string
	}{
		{noMode, "(2,3) has no mode 2"}, {s(2, 3).Mode(-1), "(2,3) has no mode -1"}, {i(5).Mode(1), "5 has no mode 1"}, {cute.Nest(s(1), noMode), "has no mode 2"}, {bad, ""},
		{l(noMode), "has no mode 2"}, {l(s(2), noMode), "has no mode 2"}, {l(noMode, s(2)), "has no mode 2"}, {cute.MakeOrderedLayout(noMode, s(0, 1)), "has no mode 2"}, {cute.MakeOrderedLayout(s(2, 3), noMode), "has no mode 2"},
		{cute.MakeOrderedLayout(s(2, 3), s(0)), ""}, {cute.MakeIdentityLayout(noMode), "has no mode 2"}, {cute.IdxToCrd(1, noMode), "has no mode 2"}, {cute.CeilDivEach(noMode, s(1)), "has no mode 2"}, {cute.CeilDivEach(s(1), noMode), "has no mode 2"},
		{cute.CeilDivEach(s(4, 4), s(1, 2, 3)), ""}, {cute.ShapeDiv(s(6), s(4)), ""}, {bad.Shape(), ""}, {bad.Stride(), ""}, {cute.Coalesce(bad), ""}, {cute.Append(bad, good), ""}, {cute.Append(good, bad), ""}, {cute.Swizzle{Bits: 2, Base: 1, Shift: 2}.Of(bad), ""},
		{cute.Swizzle{Bits: -1}.Of(good), ""}, {good.Slice(noMode), "has no mode 2"}, {good.Slice(i(1), noMode), "has no mode 2"}, {good.Mode(2), ""}, {good.Mode(0, 1), ""}, {cute.CoalesceBy(good, noMode), "has no mode 2"}, {cute.GroupModes(good, 1, 3), ""}, {cute.SelectModes(good, 2), ""},
		{cute.Composition(good, nil), "a tiler is a shape, a layout or a Tile, not nil"}, {cute.Composition(good, cute.Tile{nil}), "an entry of a Tile is a layout, a shape or All"}, {cute.Composition(good, cute.Tile{i(2), bad}), ""}, {cute.Composition(good, noMode), "has no mode 2"},
		{cute.Composition(good, cute.Tile{noMode}), "has no mode 2"}, {cute.Composition(good, bad), ""}, {cute.LogicalDivide(good, cute.Tile{i(2), i(2), i(2)}), ""}, {cute.Complement(bad, 8), ""}, {cute.BlockedProduct(good, bad), ""}, {cute.TileToShape(good, noMode, s(0, 1)), "has no mode 2"},
		{cute.TileToShape(good, s(8, 8), noMode), "has no mode 2"}, {cute.RecastLayout(bad, 16, 32), ""}, {cute.Coalesce(cute.Swizzle{Bits: 2, Base: 1, Shift: 2}.Of(bad)), ""}, {swizzled.Slice(noMode, i(1)), "has no mode 2"}, {cute.RecastLayout(cute.Swizzle{Bits: -1}.Of(good), 16, 32), ""},
	} {
		err := c.got.Err()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("case %d, %v: %v, want %q", k, c.got, err, c.want)
		}
		if text := fmt.Sprint(c.got); err != nil && text != "!("+err.Error()+")" {
			t.Errorf("case %d prints %s", k, text)
		}
	}
	if _, tv := cute.MakeLayoutTV(bad, good); tv.Err() == nil {
		t.Error("MakeLayoutTV of a layout that was not made")
	}
	if tiler, _ := cute.MakeLayoutTV(good, bad); tiler.Err() == nil {
		t.Error("MakeLayoutTV of values that were not made")
	}
	for k, n := range []int{bad.Size(), bad.At(1), s(2).At(4), noMode.At(0), good.At(1, 2, 3)} {
		if n != 0 {
			t.Errorf("number %d of what was not made is %d", k, n)
		}
	}
}
