package tileblas_test

import (
	"math"
	"math/rand/v2"
	"testing"

	tileblas "github.com/cutile-go/cutile/bridge/gonum"
	"gonum.org/v1/gonum/blas"
)

var (
	transposes = []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}
	uplos      = []blas.Uplo{blas.Upper, blas.Lower}
	sides      = []blas.Side{blas.Left, blas.Right}
	diags      = []blas.Diag{blas.NonUnit, blas.Unit}
	factors    = []float64{0, 1, -1, 0.75}
)

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// oriented makes a matrix whose op has m by n elements.
func oriented[E float](r *rand.Rand, t blas.Transpose, m, n int) matrix[E] {
	if t != blas.NoTrans {
		m, n = n, m
	}
	return newMatrix[E](r, m, n)
}

// poison puts NaN where an operation must not read: into c, where beta is 0.
func poison[E float](beta E, c matrix[E], f func(i, j int) bool) {
	if beta == 0 {
		c.fill(E(math.NaN()), f)
	}
}

// compare checks alpha·(sum of products) + beta·c in the elements that f names, and that nothing else has changed. chain is the
// number of roundings that an element goes through.
func compare[E float](t *testing.T, what string, unit float64, chain int, got, was matrix[E], f func(i, j int) bool, alpha, beta E, terms func(i, j int, s *sum)) {
	t.Helper()
	if i, is := got.changed(was, f); is {
		t.Errorf("%s: element %d of the slice has changed", what, i)
	}
	for i := range got.rows {
		for j := range got.cols {
			if !f(i, j) {
				continue
			}
			var s, all sum
			if alpha != 0 {
				terms(i, j, &s)
			}
			all.add(float64(alpha), s.high)
			all.add(float64(alpha), s.low)
			size := math.Abs(float64(alpha)) * s.size
			if beta != 0 {
				all.add(float64(beta), was.at(i, j))
				size += math.Abs(float64(beta) * was.at(i, j))
			}
			if bound := float64(chain) * unit / (1 - float64(chain)*unit) * size; !(math.Abs(got.at(i, j)-all.value()) <= bound) {
				t.Fatalf("%s: element (%d, %d) is %v, want %v: they may differ by %.3g", what, i, j, got.at(i, j), all.value(), bound)
			}
		}
	}
}

// shape is the extents of a product.
type shape struct{ m, n, k int }

// one runs each product once, with random matrices of a shape and random options, and checks its result.
func (f functions[E]) one(t *testing.T, r *rand.Rand, x shape) {
	t.Helper()
	alpha, beta := E(pick(r, factors)), E(pick(r, factors))
	f.checkGemm(t, r, x, alpha, beta)
	f.checkSymm(t, r, x, alpha, beta)
	f.checkSyrk(t, r, x, alpha, beta)
	f.checkSyr2k(t, r, x, alpha, beta)
	f.checkTriangular(t, r, x, alpha)
}

func (f functions[E]) checkGemm(t *testing.T, r *rand.Rand, x shape, alpha, beta E) {
	t.Helper()
	tA, tB := pick(r, transposes), pick(r, transposes)
	a, b, c := oriented[E](r, tA, x.m, x.k), oriented[E](r, tB, x.k, x.n), newMatrix[E](r, x.m, x.n)
	poison(beta, c, everywhere)
	was, wasA, wasB := c.clone(), a.clone(), b.clone()
	f.gemm(tA, tB, x.m, x.n, x.k, alpha, a.data, a.ld, b.data, b.ld, beta, c.data, c.ld)
	u, v := op(tA, a), op(tB, b)
	compare(t, "gemm", f.unit, x.k+3, c, was, everywhere, alpha, beta, func(i, j int, s *sum) {
		for l := range x.k {
			s.add(u(i, l), v(l, j))
		}
	})
	unchanged(t, "gemm", a, wasA)
	unchanged(t, "gemm", b, wasB)
}

func (f functions[E]) checkSymm(t *testing.T, r *rand.Rand, x shape, alpha, beta E) {
	t.Helper()
	side, ul, k := pick(r, sides), pick(r, uplos), x.m
	if side == blas.Right {
		k = x.n
	}
	a, b, c := newMatrix[E](r, k, k), newMatrix[E](r, x.m, x.n), newMatrix[E](r, x.m, x.n)
	poison(beta, c, everywhere)
	a.fill(E(math.NaN()), func(i, j int) bool { return !inTriangle(ul)(i, j) })
	was, wasA := c.clone(), a.clone()
	f.symm(side, ul, x.m, x.n, alpha, a.data, a.ld, b.data, b.ld, beta, c.data, c.ld)
	u := symmetric(ul, a)
	compare(t, "symm", f.unit, k+3, c, was, everywhere, alpha, beta, func(i, j int, s *sum) {
		for l := range k {
			if side == blas.Left {
				s.add(u(i, l), b.at(l, j))
			} else {
				s.add(b.at(i, l), u(l, j))
			}
		}
	})
	unchanged(t, "symm", a, wasA)
}

func (f functions[E]) checkSyrk(t *testing.T, r *rand.Rand, x shape, alpha, beta E) {
	t.Helper()
	ul, tA := pick(r, uplos), pick(r, transposes)
	a, c := oriented[E](r, tA, x.n, x.k), newMatrix[E](r, x.n, x.n)
	poison(beta, c, inTriangle(ul))
	was := c.clone()
	f.syrk(ul, tA, x.n, x.k, alpha, a.data, a.ld, beta, c.data, c.ld)
	u := op(tA, a)
	compare(t, "syrk", f.unit, x.k+4, c, was, inTriangle(ul), alpha, beta, func(i, j int, s *sum) {
		for l := range x.k {
			s.add(u(i, l), u(j, l))
		}
	})
}

func (f functions[E]) checkSyr2k(t *testing.T, r *rand.Rand, x shape, alpha, beta E) {
	t.Helper()
	ul, tA := pick(r, uplos), pick(r, transposes)
	a, b, c := oriented[E](r, tA, x.n, x.k), oriented[E](r, tA, x.n, x.k), newMatrix[E](r, x.n, x.n)
	poison(beta, c, inTriangle(ul))
	was := c.clone()
	f.syr2(ul, tA, x.n, x.k, alpha, a.data, a.ld, b.data, b.ld, beta, c.data, c.ld)
	u, v := op(tA, a), op(tA, b)
	compare(t, "syr2k", f.unit, 2*x.k+6, c, was, inTriangle(ul), alpha, beta, func(i, j int, s *sum) {
		for l := range x.k {
			s.add(u(i, l), v(j, l))
			s.add(v(i, l), u(j, l))
		}
	})
}

// checkTriangular checks trmm, and trsm by the product that its result must satisfy.
func (f functions[E]) checkTriangular(t *testing.T, r *rand.Rand, x shape, alpha E) {
	t.Helper()
	side, ul, tA, d, k := pick(r, sides), pick(r, uplos), pick(r, transposes), pick(r, diags), x.m
	if side == blas.Right {
		k = x.n
	}
	a, b := newMatrix[E](r, k, k), newMatrix[E](r, x.m, x.n)
	for i := range k {
		for j := range k {
			a.data[i*a.ld+j] /= E(k)
		}
		a.data[i*a.ld+i] += 2
	}
	a.fill(E(math.NaN()), func(i, j int) bool { return !inTriangle(ul)(i, j) || i == j && d == blas.Unit })
	was, wasA := b.clone(), a.clone()
	u := triangle(ul, tA, d, a)
	terms := func(b matrix[E]) func(i, j int, s *sum) {
		return func(i, j int, s *sum) {
			for l := range k {
				if side == blas.Left {
					s.add(u(i, l), b.at(l, j))
				} else {
					s.add(b.at(i, l), u(l, j))
				}
			}
		}
	}
	f.trmm(side, ul, tA, d, x.m, x.n, alpha, a.data, a.ld, b.data, b.ld)
	compare(t, "trmm", f.unit, 2*k+8, b, was, everywhere, alpha, 0, terms(was))
	unchanged(t, "trmm", a, wasA)

	solved := was.clone()
	f.trsm(side, ul, tA, d, x.m, x.n, alpha, a.data, a.ld, solved.data, solved.ld)
	if i, is := solved.changed(was, everywhere); is {
		t.Errorf("trsm: element %d of the slice has changed", i)
	}
	unchanged(t, "trsm", a, wasA)
	bound := float64(2*k+8) * f.unit
	for i := range x.m {
		for j := range x.n {
			var s sum
			terms(solved)(i, j, &s)
			want := float64(alpha) * was.at(i, j)
			if !(math.Abs(s.value()-want) <= bound*(s.size+math.Abs(want))) {
				t.Fatalf("trsm: element (%d, %d) of the product with the solution is %v, want %v", i, j, s.value(), want)
			}
		}
	}
}

func unchanged[E float](t *testing.T, what string, got, was matrix[E]) {
	t.Helper()
	if i, is := got.changed(was, func(i, j int) bool { return false }); is {
		t.Errorf("%s: element %d of an operand has changed", what, i)
	}
}

// TestRandom runs products of random shapes, strides, transposes and factors.
func TestRandom(t *testing.T) {
	every(t, func(t *testing.T, x *tileblas.Implementation) {
		r := source(7)
		for range 25 {
			s := shape{1 + r.IntN(40), 1 + r.IntN(40), 1 + r.IntN(40)}
			doubles(x).one(t, r, s)
			singles(x).one(t, r, s)
		}
	})
}

// TestLarge runs products of several blocks, and triangles that are cut in two.
func TestLarge(t *testing.T) {
	x := open(t, tileblas.DefaultThreshold, false)
	r := source(8)
	for _, s := range []shape{{130, 257, 100}, {150, 140, 161}, {128, 128, 128}, {257, 200, 64}, {200, 16, 320}} {
		doubles(x).one(t, r, s)
		singles(x).one(t, r, s)
	}
}

// FuzzProducts runs products of any sizes, of which a few blocks are the largest: what they are compared with takes long.
func FuzzProducts(f *testing.F) {
	x := open(f, 0, false)
	f.Add(uint8(3), uint8(4), uint8(5), uint64(1))
	f.Add(uint8(64), uint8(16), uint8(32), uint64(2))
	f.Add(uint8(0), uint8(1), uint8(0), uint64(3))
	f.Add(uint8(129), uint8(15), uint8(130), uint64(4))
	f.Add(uint8(16), uint8(69), uint8(0), uint64(1))
	f.Fuzz(func(t *testing.T, m, n, k uint8, seed uint64) {
		r, s := source(seed), shape{int(m), int(n), int(k)}
		if s.m*s.n*max(s.m, s.n, s.k) > 1<<18 {
			t.Skip("too large")
		}
		doubles(x).one(t, r, s)
		singles(x).one(t, r, s)
	})
}
