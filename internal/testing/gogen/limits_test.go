package gogen_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/cutile-go/cutile/dtype"
	formats "github.com/cutile-go/cutile/internal/elem"
)

// limited is an element type, of which kernels name the values that a detour through another type changes.
type limited struct {
	dtype.Type
	name  string // in package tile
	under string // the type of Go beneath a tile of it
}

var limitedTypes = []limited{
	{dtype.I8, "I8", "int64"}, {dtype.I16, "I16", "int64"}, {dtype.I32, "I32", "int64"}, {dtype.I64, "I64", "int64"},
	{dtype.U8, "U8", "uint64"}, {dtype.U16, "U16", "uint64"}, {dtype.U32, "U32", "uint64"}, {dtype.U64, "U64", "uint64"},
	{dtype.F16, "F16", "float64"}, {dtype.BF16, "BF16", "float64"}, {dtype.F32, "F32", "float64"}, {dtype.F64, "F64", "float64"},
}

// goName is the element type in Go.
func (e limited) goName() string {
	if e.GoType().PkgPath() == "" {
		return e.GoType().Name()
	}
	return "dtype." + e.GoType().Name()
}

func (e limited) width() int { return 8 * e.Size() }

// wrap keeps the bits of an element.
func (e limited) wrap(v uint64) uint64 { return v << (64 - e.width()) >> (64 - e.width()) }

// signed is an integer with the sign of its type.
func (e limited) signed(v uint64) int64 { return int64(v<<(64-e.width())) >> (64 - e.width()) }

func (e limited) less(a, b uint64) bool {
	if e.IsSigned() {
		return e.signed(a) < e.signed(b)
	}
	return a < b
}

// written is a number as a kernel writes it, and its bits.
type written struct {
	text string
	bits uint64
	call bool // its type in Go is float64
}

// limits are the least and the greatest value of a type, values beside them, and those that a float would round.
func (e limited) limits() (all []written) {
	if e.IsFloat() {
		return e.floatLimits()
	}
	half := uint64(1) << (e.width() - 1)
	var seen []uint64
	for _, v := range []uint64{0, 1, half - 2, half - 1, half, half + 1, half + half/2 + 1, math.MaxUint64 - 1, math.MaxUint64, 1<<24 + 1, 1<<53 + 1, -(1<<53 + 1) & math.MaxUint64} {
		if v = e.wrap(v); slices.Contains(seen, v) {
			continue
		}
		seen = append(seen, v)
		text := fmt.Sprint(v)
		if e.IsSigned() {
			text = fmt.Sprint(e.signed(v))
		}
		all = append(all, written{text, v, false})
	}
	return all
}

// floatLimits are the least and the greatest float, one with a bit at either end, and those that no constant of Go is.
func (e limited) floatLimits() (all []written) {
	row := formats.Table[e.Type]
	for _, v := range []uint64{0, 1, row.Format.Largest(), e.FloatBits(1) + 1, e.FloatBits(-1) + 1} {
		all = append(all, written{strconv.FormatFloat(e.FloatFromBits(v), 'x', -1, 64), v, false})
	}
	// Above the middle between two numbers by so little that it is the middle to a float64.
	tie := new(big.Int).Lsh(big.NewInt(1<<(row.Format.Man+1)+1), uint(79-row.Format.Man))
	all = append(all, written{fmt.Sprintf("(1 + 0x1p-%d + 0x1p-80)", row.Format.Man+1), e.FloatBits(1) + 1, false},
		written{fmt.Sprintf("1 + 0x1p-%d + 0x1p-80", row.Format.Man+1), e.FloatBits(1) + 1, false}, written{fmt.Sprintf("0x%xp-80", tie.Add(tie, big.NewInt(1))), e.FloatBits(1) + 1, false})
	return append(all, written{"math.Inf(1)", e.FloatBits(math.Inf(1)), true}, written{"math.Inf(-1)", e.FloatBits(math.Inf(-1)), true},
		written{"math.NaN()", e.FloatBits(math.NaN()), true}, written{"math.Copysign(0, -1)", 1 << (e.width() - 1), true})
}

// form is an expression with a number in it, and what it is for elements x and the number v, which stands for $C where a tile
// stands and for $I where an element does that must be known. $T is the type of tiles, $S that of an element, $E that of one in Go.
type form struct {
	text string
	want func(e limited, x, v uint64) uint64
	half bool // the number is that of the last two elements only
}

func given(e limited, x, v uint64) uint64 { return v }

// anyForms are for every element type.
var anyForms = []form{
	{"$C", given, false},
	{"tile.Full[$T]($C)", given, false},
	{"tile.FullTo($C, tile.Shape[$T]{})", given, false},
	{"[]$T{$C, x.Load(0)}[int(tile.Extent[tile.D1]())-1]", given, false},
	{"same($C)", given, false},
	{"tile.Where(first, x.Load(0), $C)", given, true},
	{"tile.Gather[$T](p, at, first, $C)", given, true},
	{"tile.GatherOrdered[$T](p, at, first, $C, tile.Relaxed, tile.DeviceScope)", given, true},
	{"tile.GatherAt[$T](x, $C, tile.Where(first, at, -at))", given, true},
	{"tile.GatherAt[$T](x, $C, tile.Where(first, at, at+4))", given, true},
	{"tile.GatherAtInOut[$T](q, $C, tile.Where(first, at, at+100))", given, true},
	{"swapped(q, at, x.Load(0), $C)", given, false},
}

// intForms are for integers.
var intForms = []form{
	{"x.Load(0) + $C", func(e limited, x, v uint64) uint64 { return x + v }, false},
	{"$C - x.Load(0)", func(e limited, x, v uint64) uint64 { return v - x }, false},
	{"x.Load(0) * $C", func(e limited, x, v uint64) uint64 { return x * v }, false},
	{"x.Load(0) & $C", func(e limited, x, v uint64) uint64 { return x & v }, false},
	{"x.Load(0) | $C", func(e limited, x, v uint64) uint64 { return x | v }, false},
	{"^(x.Load(0) ^ $C)", func(e limited, x, v uint64) uint64 { return ^(x ^ v) }, false},
	{"min(x.Load(0), $C)", func(e limited, x, v uint64) uint64 { return pick(e.less(x, v), x, v) }, false},
	{"max($C, x.Load(0))", func(e limited, x, v uint64) uint64 { return pick(e.less(x, v), v, x) }, false},
	{"tile.Where(x.Load(0) < $C, $T(1), 0)", func(e limited, x, v uint64) uint64 { return pick(e.less(x, v), 1, 0) }, false},
	{"tile.Where($C == x.Load(0), $T(1), 0)", func(e limited, x, v uint64) uint64 { return pick(x == v, 1, 0) }, false},
}

func pick(c bool, a, b uint64) uint64 {
	if c {
		return a
	}
	return b
}

// knownForms need a number that is known.
var knownForms = []form{
	{"tile.Elements[$T]($S($I), $S($I), $S($I), $S($I))", given, false},
	{"tile.Where(first, x.Load(0), $T([...]$S{$I, 1}[0]))", given, true},
}

// foldForms have the number as an identity, of which the CPU engine makes no use: it must stand in the kernel.
var foldForms = []form{
	{text: "$T(x.Load(0).Fold0($I, fold))"},
	{text: "x.Load(0).Scan0($I, fold)"},
	{text: "$T(tile.Reduce[$S](x.Load(0), 0, $I, fold))"},
	{text: "tile.Scan(x.Load(0), 0, tile.Backward, $I, fold)"},
	{text: "of2(tile.Scan2(x.Load(0), x.Load(0), 0, tile.Forward, $I, $I, fold2))"},
	{text: "$T(of2(tile.Reduce2[$S, $S](x.Load(0), x.Load(0), 0, $I, $I, fold2)))"},
	{text: "of3(tile.Scan3(x.Load(0), x.Load(0), x.Load(0), 0, tile.Forward, $I, $I, $I, fold3))"},
	{text: "$T(of3(tile.Reduce3[$S, $S, $S](x.Load(0), x.Load(0), x.Load(0), 0, $I, $I, $I, fold3)))"},
}

// helpers are what the forms call.
const helpers = `
func same(v $T) $T { return v }

func swapped(q tile.InOut[$T], at tile.I32T1[tile.D4], x, v $T) $T {
	tile.ScatterAt(q, v, at)
	r := q.Load(0)
	tile.ScatterAt(q, x, at)
	return r
}

func fold(a, b $S) $S { return tile.Where(a == b, a, b) }

func fold2(a, b, x, y $S) ($S, $S) { return fold(a, x), fold(b, y) }

func fold3(a, b, c, x, y, z $S) ($S, $S, $S) { return fold(a, x), fold(b, y), fold(c, z) }

func of2[T any](a, b T) T { return a }

func of3[T any](a, b, c T) T { return a }
`
