package gemm

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/host"
)

// TestPairsBound compares products in pairs with float64, in which the products of bf16 are exact: with numbers of all sizes that do
// not overflow, with subnormal ones, and with sums that cancel.
func TestPairsBound(t *testing.T) {
	m := host.Machine()
	target := Target{Level: host.LevelAVX512, Features: m.Features & host.LevelAVX512.Allows()}
	if !m.Features.Has(host.LevelAVX512.Requires()) || !pairs(target) {
		t.Skip("the machine does not multiply pairs")
	}
	target.Features &^= host.AMXTile // see TestTilesPairsBound
	testPairsBounds(t, target)
}

func testPairsBounds(t *testing.T, target Target) {
	r := rand.New(rand.NewPCG(7, 7))
	differ := 0
	for _, span := range []int{1, 8, 60, 126} { // of the exponents
		for range 6 {
			differ += testPairsBound(t, r, target, span, 1+r.IntN(40), 1+r.IntN(70), 1+r.IntN(600))
		}
	}
	if differ == 0 {
		t.Error("all results are those of one sum after the other: nothing was tested")
	}
}

// testPairsBound counts the elements that the products of BF16 do not give.
func testPairsBound(t *testing.T, r *rand.Rand, target Target, span, m, n, k int) (differ int) {
	p := newProblem(r, BF16Pairs, m, n, k, RowMajor(k, 2), RowMajor(n, 2))
	greatest := 0.0
	for _, memory := range [][]byte{p.a.memory, p.b.memory} {
		for i := 0; i < len(memory); i += 2 {
			x := math.Ldexp(1+r.Float64(), r.IntN(2*span)-span)
			if r.IntN(20) == 0 {
				x = math.Ldexp(r.Float64(), -126) // subnormal
			}
			if r.IntN(2) == 0 {
				x = -x
			}
			bits := math.Float32bits(float32(x)) >> 16
			greatest = max(greatest, math.Abs(float64(math.Float32frombits(bits<<16))))
			binary.LittleEndian.PutUint16(memory[i:], uint16(bits))
		}
	}
	if greatest > math.MaxFloat32/2 {
		t.Fatal("the test's numbers are too large")
	}
	c := p.newC(n * 4)
	before, inOrder := append([]byte(nil), c...), p.reference(c, n*4, true)
	cache := NewCache(1 << 20)
	defer cache.Release()
	product, err := NewProduct(target, ProductSpec{Kind: BF16Pairs, M: m, N: n, K: k, A: p.a.layout, B: p.b.layout}, p.a.at, p.b.at, cache)
	if err != nil {
		t.Fatal(err)
	}
	doAll(product, 1, Sums{unsafe.Pointer(&c[0]), n * 4}, true)
	at := func(c []byte, i int) float64 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(c[4*i:])))
	}
	for i := range m * n {
		exact, sum := at(before, i), math.Abs(at(before, i))
		for l := range k {
			x := p.a.number(BF16, i/n, l) * p.b.number(BF16, l, i%n)
			exact, sum = exact+x, sum+math.Abs(x)
		}
		bound := math.Ldexp(float64(2*k)*sum, -24) + math.Ldexp(float64(k+1)*(1+greatest), -125)
		if e := math.Abs(at(c, i) - exact); !(e <= bound) && sum < math.MaxFloat32 {
			t.Fatalf("exponents to %d, %dx%dx%d, element %d: %v, exactly %v: the error is %.3g times the bound", span, m, n, k, i, at(c, i), exact, e/bound)
		}
		if at(c, i) != at(inOrder, i) {
			differ++
		}
	}
	return differ
}
