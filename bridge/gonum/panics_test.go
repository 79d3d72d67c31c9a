package tileblas_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	tileblas "github.com/cutile-go/cutile/bridge/gonum"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// TestPanics gives products right and wrong arguments in random combinations: the panics are Gonum's.
func TestPanics(t *testing.T) {
	x, r := open(t, 0, false), source(6)
	var g gonum.Implementation
	bad := map[string]int{}
	same := func(what string, f func(impl blas.Float64)) {
		got, want := panics(func() { f(x) }), panics(func() { f(g) })
		if got != want {
			t.Fatalf("%s: panics with %v, Gonum with %v", what, got, want)
		}
		if want != nil {
			bad[what]++
		}
	}
	const rounds = 2000
	for range rounds {
		n, k, m := pick(r, []int{-1, 0, 3, 3, 3, 3}), pick(r, []int{-1, 0, 3, 3, 3, 3}), pick(r, []int{3, 3, 3, 3, 2, -1})
		ld := func() int { return pick(r, []int{-1, 0, 2, 3, 5, 5, 5, 5, 5, 5}) }
		lda, ldb, ldc := ld(), ld(), ld()
		slice := func() []float64 { return make([]float64, pick(r, []int{0, 12, 13, 13, 13, 13, 15})) }
		a, b, c := slice(), slice(), slice()
		tA, tB := pick(r, append(transposes, 'X')), pick(r, append(transposes, 'X'))
		ul, side, diag := pick(r, append(uplos, uplos...)), pick(r, append(sides, sides...)), pick(r, append(diags, diags...))
		switch r.IntN(8) {
		case 0:
			ul = 'X'
		case 1:
			side = 'X'
		case 2:
			diag = 'X'
		}
		alpha, beta := pick(r, factors), pick(r, factors)
		same("Dgemm", func(i blas.Float64) { i.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) })
		same("Dsymm", func(i blas.Float64) { i.Dsymm(side, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc) })
		same("Dsyrk", func(i blas.Float64) { i.Dsyrk(ul, tA, n, k, alpha, a, lda, beta, c, ldc) })
		same("Dsyr2k", func(i blas.Float64) { i.Dsyr2k(ul, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc) })
		same("Dtrmm", func(i blas.Float64) { i.Dtrmm(side, ul, tA, diag, m, n, alpha, a, lda, b, ldb) })
		same("Dtrsm", func(i blas.Float64) { i.Dtrsm(side, ul, tA, diag, m, n, alpha, a, lda, b, ldb) })
	}
	for what, n := range bad {
		if n < rounds/10 || n > rounds*99/100 {
			t.Errorf("%s: %d of %d calls are wrong: the test does not try enough of both", what, n, rounds)
		}
	}
	t.Log(bad)
}

// TestNew: what New does not take.
func TestNew(t *testing.T) {
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tileblas.New(dev, tileblas.Threshold(-1)); err == nil || !strings.Contains(err.Error(), "the threshold is -1") {
		t.Errorf("a negative threshold gives %v", err)
	}
	if err := dev.Close(); err != nil {
		t.Fatal(err)
	}
	for _, d := range []*cutile.Device{nil, dev} {
		if _, err := tileblas.New(d); err == nil || !strings.Contains(err.Error(), "tileblas: New needs an open device of the CPU engine") {
			t.Errorf("New(%v) gives %v", d, err)
		}
	}
	if err := tileblas.Use(cutile.WithWorkers(-1)); err == nil {
		t.Error("Use takes -1 workers")
	}
}
