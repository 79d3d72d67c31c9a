package tileblas_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/cutile-go/cutile"
	tileblas "github.com/cutile-go/cutile/bridge/gonum"
	"gonum.org/v1/gonum/blas"
)

// TestTogether multiplies in many goroutines at once, with the same factors, into tiles of one matrix: the results have the same
// bits as one after the other.
func TestTogether(t *testing.T) {
	const n, tile = 96, 24
	for _, checks := range []bool{false, true} {
		x := open(t, 0, checks)
		r := source(3)
		a, b, c := random[float64](r, n*n), random[float64](r, n*n), random[float64](r, n*n)
		want, got := slices.Clone(c), slices.Clone(c)
		multiply := func(c []float64, i, j int) {
			x.Dgemm(blas.NoTrans, blas.Trans, tile, tile, n, -1, a[i*n:], n, b[j*n:], n, 1, c[i*n+j:], n)
		}
		var all sync.WaitGroup
		for i := 0; i < n; i += tile {
			for j := 0; j < n; j += tile {
				multiply(want, i, j)
				all.Go(func() { multiply(got, i, j) })
			}
		}
		all.Wait()
		if !slices.Equal(got, want) {
			t.Errorf("checks %v: the results of several goroutines differ from those of one", checks)
		}
	}
}

// TestOverlapping multiplies parts of one matrix into another part of it, as factorisations do.
func TestOverlapping(t *testing.T) {
	const n, half = 70, 35
	x := open(t, 0, false)
	whole := random[float32](source(4), n*n)
	a, b := slices.Clone(whole[half*n:]), slices.Clone(whole[half:])
	want := slices.Clone(whole)
	x.Sgemm(blas.NoTrans, blas.NoTrans, half, half, half, -1, a, n, b, n, 1, want[half*n+half:], n)
	x.Sgemm(blas.NoTrans, blas.NoTrans, half, half, half, -1, whole[half*n:], n, whole[half:], n, 1, whole[half*n+half:], n)
	if !slices.Equal(whole, want) {
		t.Error("a product of parts of a matrix differs from that of copies")
	}
}

// TestWrapped: memory that the program wraps itself is copied, and free for it again after a call.
func TestWrapped(t *testing.T) {
	const n = 20
	x := open(t, 0, false)
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	r := source(5)
	a, b, c, want := random[float64](r, n*n), random[float64](r, n*n), random[float64](r, n*n), make([]float64, n*n)
	x.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 2, a, n, b, n, 0, want, n)
	for range 3 {
		var tensors []*cutile.Tensor[float64]
		for _, s := range [][]float64{a, b, c} {
			tensor, err := cutile.Wrap(dev, s)
			if err != nil {
				t.Fatal(err)
			}
			tensors = append(tensors, tensor)
		}
		clear(c)
		x.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 2, a, n, b, n, 0, c, n)
		if !slices.Equal(c, want) {
			t.Fatal("the product of wrapped matrices is wrong")
		}
		for _, tensor := range tensors {
			if err := tensor.Close(); err != nil {
				t.Fatal(err)
			}
		}
		clear(c)
		x.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 2, a, n, b, n, 0, c, n)
		if !slices.Equal(c, want) {
			t.Fatal("the product of matrices that were wrapped is wrong")
		}
	}
}

// TestUseOfMemory: what a call wrapped or copied is free after it, even if it fails.
func TestUseOfMemory(t *testing.T) {
	x := open(t, 0, false)
	n := 33
	a := make([]float64, n*n)
	for range 10 {
		x.Dsyrk(blas.Upper, blas.Trans, n, n, 1, a, n, 0, make([]float64, n*n), n)
	}
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	closed, err := tileblas.New(dev, tileblas.Threshold(0))
	if err != nil {
		t.Fatal(err)
	}
	dev.Close()
	if p := panics(func() { closed.Dsyrk(blas.Upper, blas.Trans, n, n, 1, a, n, 0, make([]float64, n*n), n) }); p == nil {
		t.Error("a closed device computes")
	} else {
		t.Log(p)
	}
	if n := tileblas.InUse(); n != 0 {
		t.Errorf("%d parts of memory are in use", n)
	}
}
