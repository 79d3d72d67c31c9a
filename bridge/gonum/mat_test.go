package tileblas_test

import (
	"fmt"
	"math"
	"testing"

	tileblas "github.com/cutile-go/cutile/bridge/gonum"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"
)

// unit is the rounding of float64.
const unit = 0x1p-53

// TestMat computes with package mat on this implementation and on Gonum's. Each result is checked by what it must satisfy, with a
// bound of 10·n·u beside the norms of its parts, for both implementations; so an operation that goes wrong in Gonum would show.
func TestMat(t *testing.T) {
	every(t, func(t *testing.T, x *tileblas.Implementation) {
		n := 45
		if x.Threshold() > 0 {
			n = 150
		}
		for name, impl := range map[string]interface{ Use() }{"tileblas": x, "gonum": theirs{}} {
			impl.Use()
			t.Run(name, func(t *testing.T) { operations(t, n) })
		}
	})
	theirs{}.Use()
}

// theirs is Gonum's own implementation.
type theirs struct{}

func (theirs) Use() { blas64.Use(gonum.Implementation{}) }

// operations runs operations of package mat on matrices of about n by n elements.
func operations(t *testing.T, n int) {
	r := source(9)
	m := n + 13
	whole := mat.NewDense(m+5, n+9, random[float64](r, (m+5)*(n+9)))
	view := whole.Slice(3, m+3, 4, n+4).(*mat.Dense) // m by n, with strides
	square := whole.Slice(5, n+5, 9, n+9).(*mat.Dense)
	id := mat.NewDense(n, n, nil)
	for i := range n {
		id.Set(i, i, 1)
	}

	t.Run("Mul", func(t *testing.T) { // with the rows and columns of a product by hand
		var p, q mat.Dense
		p.Mul(view.T(), view)
		q.Mul(square, square.T())
		for i := range n {
			for j := range n {
				near(t, fmt.Sprint("AᵀA ", i, j), p.At(i, j), m, dot(view.ColView(i), view.ColView(j)))
				near(t, fmt.Sprint("BBᵀ ", i, j), q.At(i, j), n, dot(square.RowView(i), square.RowView(j)))
			}
		}
	})
	t.Run("QR", func(t *testing.T) {
		var qr mat.QR
		var q, r, b mat.Dense
		qr.Factorize(view)
		qr.QTo(&q)
		qr.RTo(&r)
		product(t, view, &q, &r)
		b.Mul(q.T(), &q)
		product(t, &b, eye(m), eye(m))
	})
	t.Run("LU", func(t *testing.T) {
		var lu mat.LU
		var l, u mat.TriDense
		var lower, p mat.Dense
		lu.Factorize(square)
		lu.LTo(&l)
		lu.UTo(&u)
		p.Permutation(n, lu.RowPivots(nil))
		lower.Mul(&p, &l)
		product(t, square, &lower, &u)
	})
	var spd mat.SymDense
	t.Run("Cholesky", func(t *testing.T) {
		spd.SymOuterK(1, view.T())
		for i := range n {
			spd.SetSym(i, i, spd.At(i, i)+1)
		}
		var ch mat.Cholesky
		if !ch.Factorize(&spd) {
			t.Fatal("not positive definite")
		}
		var l mat.TriDense
		ch.LTo(&l)
		product(t, &spd, &l, l.T())
	})
	t.Run("SVD", func(t *testing.T) {
		var svd mat.SVD
		if !svd.Factorize(view, mat.SVDThin) {
			t.Fatal("no convergence")
		}
		var u, v, us mat.Dense
		svd.UTo(&u)
		svd.VTo(&v)
		us.Mul(&u, mat.NewDiagDense(n, svd.Values(nil)))
		product(t, view, &us, v.T())
	})
	t.Run("EigenSym", func(t *testing.T) {
		var eig mat.EigenSym
		if !eig.Factorize(&spd, true) {
			t.Fatal("no convergence")
		}
		var v, vd mat.Dense
		eig.VectorsTo(&v)
		vd.Mul(&v, mat.NewDiagDense(n, eig.Values(nil)))
		product(t, &spd, &vd, v.T())
	})
	t.Run("Solve", func(t *testing.T) {
		var x mat.Dense
		if err := x.Solve(&spd, square); err != nil {
			t.Fatal(err)
		}
		product(t, square, &spd, &x)
	})
	t.Run("Inverse", func(t *testing.T) {
		var x mat.Dense
		if err := x.Inverse(&spd); err != nil {
			t.Fatal(err)
		}
		product(t, id, &spd, &x)
	})
}

// eye is a unit matrix.
func eye(n int) mat.Matrix {
	d := mat.NewDiagDense(n, nil)
	for i := range n {
		d.SetDiag(i, 1)
	}
	return d
}

// dot is a product of vectors with twice the digits.
func dot(x, y mat.Vector) *sum {
	var s sum
	for i := range x.Len() {
		s.add(x.AtVec(i), y.AtVec(i))
	}
	return &s
}

// near checks a sum of k products.
func near(t *testing.T, what string, got float64, k int, want *sum) {
	t.Helper()
	if !(math.Abs(got-want.value()) <= float64(k+3)*unit*want.size) {
		t.Fatalf("%s is %v, want %v", what, got, want.value())
	}
}

// product checks that x is a·b, up to what rounding does to the algorithms that find a and b: 10·n·u·‖a‖·‖b‖.
func product(t *testing.T, x, a, b mat.Matrix) {
	t.Helper()
	rows, inner := a.Dims()
	_, cols := b.Dims()
	bound := 10 * float64(max(rows, inner, cols)) * unit * mat.Norm(a, 2) * mat.Norm(b, 2)
	for i := range rows {
		for j := range cols {
			var s sum
			for l := range inner {
				s.add(a.At(i, l), b.At(l, j))
			}
			if got, want := x.At(i, j), s.value(); !(math.Abs(got-want) <= bound) {
				t.Fatalf("element (%d, %d) is %v, the product of the factors %v: they may differ by %.3g", i, j, got, want, bound)
			}
		}
	}
}
