package gemm

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/native/host"
)

// A Kind says of which types the elements of A and B are, and so the type of C.
type Kind uint8

// The kinds. C has f64 for F64, i32 for the integers and f32 for all others.
const (
	F32 Kind = iota // also for tf32, which is f32 that is rounded already
	F64
	F16
	BF16
	E4M3 // f8 with 4 bits of exponent, without infinities
	E5M2
	S8S8 // signed in A and B
	S8U8 // signed in A, unsigned in B
	U8S8
	U8U8
	// BF16Pairs is BF16 with VDPBF16PS, or TDPBF16PS where there is AMX, which add the products of neighbours in k in an order of
	// their own, and take subnormal numbers as 0 and give none. Its results are not those of BF16: an element of C differs from
	// the exact one by at most 2K·2^-24 times the sum of the absolute values that are added, plus (K+1)·2^-125 times 1 and the
	// greatest factor, for what is flushed, unless something overflows. See [PairsPay].
	BF16Pairs
)

// A scheme is one way to compute a kind.
type scheme struct {
	requires func(Target) bool
	a, b     uint8 // loaders
	step     step
	// bias says that A's bytes come with their highest bit inverted, which changes the numbers by 128: what 128 times B adds up
	// to is subtracted from the sums. Each panel of B begins with a row of that (see [plan]).
	bias bool
	// tiles says that the step is done on tile registers (see [tileLevel]), for products of at least some size.
	tiles bool
	least size
	// squares says that a register has the sums of two rows and two columns (see [squareLevel]).
	squares bool
}

// A step is what is done with an element of A and a lane of B, one or several products; each machine has a table with the
// instructions.
type step uint8

const (
	stepF32 step = iota
	stepF64
	stepU8S8 // four or eight bytes, of A without a sign and of B with one
	stepS8U8
	stepS8S8
	stepU8U8
	stepWords // two numbers of 16 bits, whose products and sums have no overflow
	stepI32
	stepPairs   // two bf16
	stepInOrder // two bf16, one fused multiplication and addition after the other
)

type kindRow struct {
	name    string
	lacks   host.Features // what a machine lacks that has no scheme
	schemes []scheme      // the first one for which the machine has the features is taken
}

var kinds = [...]kindRow{
	F32:  {"f32", 0, floats(loadF32, stepF32)},
	F64:  {"f64", 0, floats(loadF64, stepF64)},
	F16:  {"f16", 0, floats(loadF16, stepF32)},
	BF16: {"bf16", 0, append([]scheme{{requires: bf16, a: loadBF16Pair, b: loadBF16InOrder, step: stepInOrder}}, floats(loadBF16, stepF32)...)},
	E4M3: {"e4m3", 0, floats(loadE4M3, stepF32)},
	E5M2: {"e5m2", 0, floats(loadE5M2, stepF32)},
	S8S8: {"s8*s8", 0, []scheme{
		{requires: amxInt8, a: loadQuad, b: loadQuad, step: stepS8S8, tiles: true, least: fullTiles},
		{requires: vnni, a: loadQuadInverted, b: loadQuad, step: stepU8S8, bias: true},
		{requires: avx2, a: loadS8Pair, b: loadS8Pair, step: stepWords},
		{requires: i8mm, a: loadOct, b: loadOct, step: stepS8S8, squares: true},
		{requires: dotProd, a: loadQuad, b: loadQuad, step: stepS8S8},
		{requires: neon, a: loadS8, b: loadS8, step: stepI32},
	}},
	S8U8: {"s8*u8", 0, []scheme{
		{requires: amxInt8, a: loadQuad, b: loadQuad, step: stepS8U8, tiles: true, least: fullTiles},
		{requires: vnni, a: loadQuad, b: loadQuad, step: stepS8U8},
		{requires: avx2, a: loadS8Pair, b: loadU8Pair, step: stepWords},
		{requires: i8mm, a: loadOct, b: loadOct, step: stepS8U8, squares: true},
		{requires: dotProd, a: loadQuadInverted, b: loadQuad, step: stepU8U8, bias: true},
		{requires: neon, a: loadS8, b: loadU8, step: stepI32},
	}},
	U8S8: {"u8*s8", 0, []scheme{
		{requires: amxInt8, a: loadQuad, b: loadQuad, step: stepU8S8, tiles: true, least: fullTiles},
		{requires: vnni, a: loadQuad, b: loadQuad, step: stepU8S8},
		{requires: avx2, a: loadU8Pair, b: loadS8Pair, step: stepWords},
		{requires: i8mm, a: loadOct, b: loadOct, step: stepU8S8, squares: true},
		{requires: dotProd, a: loadQuadInverted, b: loadQuad, step: stepS8S8, bias: true},
		{requires: neon, a: loadU8, b: loadS8, step: stepI32},
	}},
	U8U8: {"u8*u8", 0, []scheme{
		{requires: amxInt8, a: loadQuad, b: loadQuad, step: stepU8U8, tiles: true, least: fullTiles},
		{requires: vnni, a: loadQuadInverted, b: loadQuad, step: stepS8U8, bias: true},
		{requires: avx2, a: loadU8Pair, b: loadU8Pair, step: stepWords},
		{requires: i8mm, a: loadOct, b: loadOct, step: stepU8U8, squares: true},
		{requires: dotProd, a: loadQuad, b: loadQuad, step: stepU8U8},
		{requires: neon, a: loadU8, b: loadU8, step: stepI32},
	}},
	BF16Pairs: {"bf16 in pairs", host.AVX512BF16, []scheme{
		{requires: amxBF16, a: loadBF16Pair, b: loadBF16Pair, step: stepPairs, tiles: true},
		{requires: pairs, a: loadBF16Pair, b: loadBF16Pair, step: stepPairs},
		// NEON's BFDOT and BFMMLA are left out: they round to odd, and it is not known on which CPUs they pay.
	}},
}

func floats(l uint8, s step) []scheme { return []scheme{{requires: always, a: l, b: l, step: s}} }

// The conditions of schemes.

func always(Target) bool { return true }

// on gives the condition that code of a level may use some features.
func on(l host.Level, f host.Features) func(Target) bool {
	return func(t Target) bool { return t.Level == l && t.Features.Has(f) }
}

var (
	amxBF16 = on(host.LevelAVX512, host.AMXTile|host.AMXBF16)
	amxInt8 = on(host.LevelAVX512, host.AMXTile|host.AMXInt8)
	vnni512 = on(host.LevelAVX512, host.AVX512VNNI)
	vnni256 = on(host.LevelAVX2, host.AVXVNNI)
	dotProd = on(host.LevelNEON, host.DotProd)
	i8mm    = on(host.LevelNEON, host.I8MM)
	bf16    = on(host.LevelNEON, host.BF16)
	neon    = on(host.LevelNEON, 0)
	pairs   = on(host.LevelAVX512, host.AVX512BF16)
)

func vnni(t Target) bool { return vnni512(t) || vnni256(t) }
func avx2(t Target) bool { return t.Level == host.LevelAVX2 || t.Level == host.LevelAVX512 }

// level says how the code of a scheme is made.
func (s *scheme) level(t Target) *levelRow {
	switch {
	case s.tiles:
		return tileLevel
	case s.squares:
		return squareLevel
	}
	return levels[t.Level]
}

// String is the name of the types.
func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k].name
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Elem is the number of bytes of an element of A and B.
func (k Kind) Elem() int { return loaders[kinds[k].schemes[0].a].elem }

// Acc is the number of bytes of an element of C.
func (k Kind) Acc() int { return loaders[kinds[k].schemes[0].a].lane }

// A size is that of a product.
type size struct{ m, n, k int }

func (s size) fits(in size) bool { return s.m <= in.m && s.n <= in.n && s.k <= in.k }

// scheme gives the way for a kind on a machine, with its number.
func (k Kind) scheme(t Target, of size) (*scheme, uint8, error) {
	if int(k) >= len(kinds) {
		return nil, 0, fmt.Errorf("gemm: no product is known for %v", k)
	}
	if levels[t.Level] == nil {
		return nil, 0, fmt.Errorf("gemm: no machine code for products at level %v", t.Level)
	}
	for i := range kinds[k].schemes {
		if s := &kinds[k].schemes[i]; s.requires(t) && (!s.tiles || s.least.fits(of) && requestAMX() == nil) {
			return s, uint8(i), nil
		}
	}
	return nil, 0, fmt.Errorf("gemm: products of %v need %v, which may not be used here at level %v", k, kinds[k].lacks, t.Level)
}

// PairsPay says whether BF16Pairs is known to be faster than BF16 on a CPU: about twice as fast on AMD's Zen 5. On Intel's
// Sapphire Rapids VDPBF16PS is slower; but AMX, which needs the system's permission, multiplies 512 pairs of numbers in a cycle, by
// Intel's figures, where vector registers multiply 32.
func PairsPay(c host.CPU) bool {
	if c.Features.Has(host.AMXTile|host.AMXBF16) && requestAMX() == nil {
		return true
	}
	return c.Vendor == host.AMD && c.Family == 26 && c.Features.Has(host.AVX512BF16)
}

// A Target is what code is generated for: the level and the features of a host.Target.
type Target struct {
	Level    host.Level
	Features host.Features
	Flush    bool // subnormal factors, sums and results are zeros
}
