package tileblas

import (
	"fmt"
	"runtime"

	"github.com/cutile-go/cutile"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
)

// Implementation is Gonum's BLAS with large products of matrices on a device of cuTile. Its methods may be called by several
// goroutines. The zero value is not usable: see [New].
type Implementation struct {
	gonum.Implementation // everything else
	single               *engine[float32]
	double               *engine[float64]
	threshold            int
}

var (
	_ blas.Float32    = (*Implementation)(nil)
	_ blas.Float64    = (*Implementation)(nil)
	_ blas.Complex64  = (*Implementation)(nil)
	_ blas.Complex128 = (*Implementation)(nil)
)

// shared is what the engines of both types have in common.
type shared struct {
	dev       *cutile.Device
	threshold int
	streams   chan *cutile.Stream // that nobody uses
}

// An Option changes an Implementation that New makes.
type Option func(*shared)

// DefaultThreshold is the number of multiplications below which Gonum computes a product, unless there is an option
// [Threshold]: that of a product of matrices of 64 by 64 elements. Larger products are Gonum's, too, where an estimate of the
// cost says that they do not pay.
const DefaultThreshold = 1 << 18

// Threshold sets what stands for [DefaultThreshold]: a number of multiplications, m·n·k for a product of matrices. With a threshold of
// 0 the device computes everything that it can, down to products of single elements, which is meant for tests.
func Threshold(multiplications int) Option {
	return func(s *shared) { s.threshold = multiplications }
}

// New returns an implementation that uses a device, which must be of the CPU engine, since BLAS works on memory of the program.
// The device must stay open as long as the implementation is used. How many goroutines compute is chosen when the device is
// opened: see cutile.WithWorkers.
func New(dev *cutile.Device, opts ...Option) (*Implementation, error) {
	probe, err := cutile.Wrap(dev, make([]float64, 1))
	if err != nil {
		return nil, fmt.Errorf("tileblas: New needs an open device of the CPU engine, as cutile.Open(\"cpu\") gives it: %w", err)
	}
	if err := probe.Close(); err != nil {
		return nil, fmt.Errorf("tileblas: %w", err)
	}
	s := &shared{dev: dev, threshold: DefaultThreshold, streams: make(chan *cutile.Stream, 2*runtime.GOMAXPROCS(0))}
	for _, o := range opts {
		o(s)
	}
	if s.threshold < 0 {
		return nil, fmt.Errorf("tileblas: the threshold is %d: give a number of multiplications that is at least 0", s.threshold)
	}
	var g gonum.Implementation
	return &Implementation{
		threshold: s.threshold,
		single:    &engine[float32]{shared: s, gonum: level3[float32]{g.Sgemm, g.Ssyrk, g.Ssyr2k, g.Strsm, g.Strmm}},
		double:    &engine[float64]{shared: s, gonum: level3[float64]{g.Dgemm, g.Dsyrk, g.Dsyr2k, g.Dtrsm, g.Dtrmm}},
	}, nil
}

// Use opens the CPU engine with options, such as cutile.WithWorkers, and makes it the implementation of packages blas32 and
// blas64, and so of packages mat and lapack. Like blas64.Use, it must be called before anything else uses BLAS, as in an init
// function or at the beginning of main. The device stays open.
func Use(opts ...cutile.Option) error {
	dev, err := cutile.Open("cpu", opts...)
	if err != nil {
		return fmt.Errorf("tileblas: %w", err)
	}
	x, err := New(dev)
	if err != nil {
		return err
	}
	x.Use()
	return nil
}

// Use makes x the implementation of packages blas32 and blas64, as the function [Use] does for a device of its own.
func (x *Implementation) Use() {
	blas32.Use(x)
	blas64.Use(x)
}

// tiny reports whether a call is Gonum's whatever its arguments are, for at most m·n·k multiplications: the compiler puts the test
// into the methods, so that the smallest products take no longer than Gonum's.
func (x *Implementation) tiny(m, n, k int) bool { return m*n*k < x.threshold }

// thin is the extent below which products are left to Gonum: they read each element a few times only.
const thin = 16

// What four multiplications of a product are worth, in the unit of blockFor's costs. Gonum's take 18 in float64 and 24 in float32.
const (
	useful      = 16
	withCopies  = 12 // of a matrix
	besideGonum = 8  // of a triangle, of which Gonum computes another part
	halfForNone = 7  // of a triangle, of which the other half is computed, too, and not used
)

// pays reports whether a product of m by n elements, sums of k products, is for the device.
func (s *shared) pays(worth, m, n, k int) bool {
	if m == 0 || n == 0 || k == 0 || s.threshold == 0 {
		return m != 0 && n != 0 && k != 0
	}
	if min(m, n, k) < thin || m*n*k < s.threshold {
		return false
	}
	_, cost := blockFor(m, n, k)
	return 4*cost <= worth*m*n*k
}

// stream gives a stream that no other call uses, so that calls do not wait for each other.
func (s *shared) stream() (*cutile.Stream, error) {
	select {
	case x := <-s.streams:
		return x, nil
	default:
		return s.dev.NewStream()
	}
}

// done gives a stream back.
func (s *shared) done(x *cutile.Stream) {
	select {
	case s.streams <- x:
	default:
		x.Close()
	}
}
