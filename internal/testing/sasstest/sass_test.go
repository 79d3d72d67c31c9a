package sasstest_test

import (
	"embed"
	"math"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/testing/sasstest"
	. "github.com/cutile-go/cutile/tile"
)

//go:embed sass_test.go saturate_test.go
var source embed.FS
var _ = cutile.Module(source)

// The kernels below are written as those that cuTile Python compiled to testdata are: the same operations on the same
// tiles. Where Python takes the maximum that drops NaN, so do they.

func vectorAdd[B Dim](x, y In[F32T1[B]], z Out[F32T1[B]]) {
	i := z.Index(0)
	z.Store(x.Load(i) + y.Load(i))
}

func gemm[M, N, K Dim](a In[F16T2[M, K]], b In[F16T2[K, N]], c Out[F16T2[M, N]]) {
	var sum F32T2[M, N]
	for k := range a.Tiles(1) {
		sum = Dot(a.Load(c.Index(0), k), b.Load(k, c.Index(1)), sum)
	}
	c.Store(F16T2[M, N](sum))
}

// attention takes k as a transposed view. The number of steps is 32-bit arithmetic, as Python's is.
func attention[M, N, D Dim](q In[F16T4[D1, D1, M, D]], k In[F16T4[D1, D1, D, N]], v In[F16T4[D1, D1, N, D]],
	o InOut[F16T4[D1, D1, M, D]], scale float32) {
	const group = 4
	i, h, b := BlockID(0), BlockID(1), BlockID(2)
	x := Reshape[F16T2[M, D]](q.Load(b, h, i, 0))
	m := F32T2[M, D1](-1e30)
	var s F32T2[M, D1]
	var acc F32T2[M, D]
	row := Reshape[I32T2[M, D1]](I32T1[M](i*Extent[M]()) + Iota[M]())
	for j := range DivCeil(I32(i+1)*I32(Extent[M]()), I32(Extent[N]())) {
		y := Reshape[F16T2[D, N]](k.Load(b, h/group, 0, int(j)))
		p := Dot(x, y, F32T2[M, N](0)) * F32T2[M, N](scale)
		col := I32T1[N](int(j)*Extent[N]()) + Iota[N]()
		p = Where(I32T2[M, N](row) >= I32T2[M, N](col), p, -1e30)
		m1 := MaxNum(m, p.Fold1(Inf[F32](-1), MaxNum[F32]))
		e := Exp2((p - F32T2[M, N](m1)) * math.Log2E)
		f := Exp2((m - m1) * math.Log2E)
		s = FMA(s, f, e.Sum1())
		z := Reshape[F16T2[N, D]](v.Load(b, h/group, int(j), 0))
		acc = Dot(F16T2[M, N](e), z, acc*F32T2[M, D](f))
		m = m1
	}
	o.Store(Reshape[F16T4[D1, D1, M, D]](F16T2[M, D](acc/F32T2[M, D](s))), b, h, i, 0)
}

// TestAgainstPython: at equal tiles and equal promises our machine code uses the same units, is not longer by more than
// 1 %, and spills no more. It measures the twins, so that what is stored of the others would be noticed to be of another way of counting.
func TestAgainstPython(t *testing.T) {
	for _, c := range []struct {
		file string
		ours assemble.Case
	}{
		{"vadd_zero", assemble.Case{Kernel: vectorAdd[D1024]}},
		{"gemm_f16", assemble.Case{Kernel: gemm[D128, D128, D64]}},
		{"flash_attention", assemble.Case{Kernel: attention[D64, D64, D64], Transposed: []string{"k"}}},
	} {
		for _, target := range []string{"sm_90", "sm_100"} {
			t.Run(c.file+" "+target, func(t *testing.T) {
				t.Parallel()
				ours := sasstest.Measure(t, assemble.Bytecode(t, c.ours.Code(t, true).Module), target)
				python := measuredTwin(t, c.file, target)
				t.Logf("Go     %v", ours)
				t.Logf("Python %v", python)
				for _, w := range sasstest.Worse(ours, python) {
					t.Error(w)
				}
			})
		}
	}
}

func TestCount(t *testing.T) {
	const text = `
	code for sm_90
		Function : gemm
	.headerflags	@"EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                    /* 0x00000a00ff017b82 */
                                                                             /* 0x000fe20000000800 */
        /*0010*/              @!P0 UTMALDG.3D [UR4], [UR8] ;                 /* 0x00000a00ff017b82 */
        /*0020*/               @P1 STL [R1], R2 ;                            /* 0x00000a00ff017b82 */
        /*0030*/             @!UP0 HGMMA.64x128x16.F32 R24, gdesc[UR4] ;     /* 0x00000a00ff017b82 */
        /*0040*/                   NOP;                                      /* 0x00000a00ff017b82 */
        /*10050*/                  HMMA.16816.F32 R4, R8, R10, R4 ;          /* 0x00000a00ff017b82 */
`
	p := sasstest.Count(text)
	const want = "5 instructions, warp group matrix 1, warp matrix 1, TMA load 1, local store 1"
	if p.String() != want || p.Spills() != 1 {
		t.Errorf("%v, %d spills; want %s", p, p.Spills(), want)
	}
}

func TestWorse(t *testing.T) {
	type classes = map[sasstest.Class]int
	reference := sasstest.Profile{Instructions: 200, Classes: classes{sasstest.HGMMA: 8, sasstest.LocalLoad: 1}}
	for _, c := range []struct {
		ours sasstest.Profile
		want string
	}{
		{reference, ""},
		{sasstest.Profile{Instructions: 202, Classes: classes{sasstest.HGMMA: 1, sasstest.LocalStore: 1}}, ""},
		{sasstest.Profile{Instructions: 203, Classes: classes{sasstest.HGMMA: 8}}, "203 instructions, the reference has 200"},
		{sasstest.Profile{Instructions: 100}, "warp group matrix: 0, the reference has 8"},
		{sasstest.Profile{Instructions: 100, Classes: classes{sasstest.HGMMA: 8, sasstest.HMMA: 1}}, "warp matrix: 1, the reference has 0"},
		{sasstest.Profile{Instructions: 200, Classes: classes{sasstest.HGMMA: 8, sasstest.LocalLoad: 2}}, "2 spills, the reference has 1"},
		{sasstest.Profile{Instructions: 200, Classes: classes{sasstest.HGMMA: 8, sasstest.TMALoad: 2}}, ""},
	} {
		if got := strings.Join(sasstest.Worse(c.ours, reference), "; "); got != c.want {
			t.Errorf("%v: %q, want %q", c.ours, got, c.want)
		}
	}
}
