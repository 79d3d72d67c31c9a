package sasstest_test
import ("testing";"math"
"github.com/cutile-go/cutile/internal/testing/assemble"
"github.com/cutile-go/cutile/internal/testing/sasstest"
. "github.com/cutile-go/cutile/tile")
// attention takes k as a transposed view.
func att1[M, N, D Dim](q In[F16T4[D1, D1, M, D]], k In[F16T4[D1, D1, D, N]], v In[F16T4[D1, D1, N, D]],
	o InOut[F16T4[D1, D1, M, D]], scale float32) {
	const group = 4
	i, h, b := BlockID(0), BlockID(1), BlockID(2)
	kvh := h/group
	x := Reshape[F16T2[M, D]](q.Load(b, h, i, 0))
	m := F32T2[M, D1](-1e30)
	var s F32T2[M, D1]
	var acc F32T2[M, D]
	row := Reshape[I32T2[M, D1]](I32T1[M](i*Extent[M]()) + Iota[M]())
	for j := range ((i+1)*Extent[M]() + Extent[N]() - 1) / Extent[N]() {
		y := Reshape[F16T2[D, N]](k.Load(b, kvh, 0, j))
		p := Dot(x, y, F32T2[M, N](0)) * F32T2[M, N](scale)
		col := I32T1[N](j*Extent[N]()) + Iota[N]()
		p = Where(I32T2[M, N](row) >= I32T2[M, N](col), p, -1e30)
		m1 := MaxNum(m, p.Fold1(math.Inf(-1), MaxNum[F32]))
		e := Exp2((p - F32T2[M, N](m1)) * math.Log2E)
		f := Exp2((m - m1) * math.Log2E)
		s = FMA(s, f, e.Sum1())
		z := Reshape[F16T2[N, D]](v.Load(b, kvh, j, 0))
		acc = Dot(F16T2[M, N](e), z, acc*F32T2[M, D](f))
		m = m1
	}
	o.Store(Reshape[F16T4[D1, D1, M, D]](F16T2[M, D](acc/F32T2[M, D](s))), b, h, i, 0)
}

// attention takes k as a transposed view.
func att2[M, N, D Dim](q In[F16T4[D1, D1, M, D]], k In[F16T4[D1, D1, D, N]], v In[F16T4[D1, D1, N, D]],
	o InOut[F16T4[D1, D1, M, D]], scale float32) {
	const group = 4
	i, h, b := BlockID(0), BlockID(1), BlockID(2)
	x := Reshape[F16T2[M, D]](q.Load(b, h, i, 0))
	m := F32T2[M, D1](-1e30)
	var s F32T2[M, D1]
	var acc F32T2[M, D]
	row := Reshape[I32T2[M, D1]](I32T1[M](i*Extent[M]()) + Iota[M]())
	for j := range (i+1) {
		y := Reshape[F16T2[D, N]](k.Load(b, h/group, 0, j))
		p := Dot(x, y, F32T2[M, N](0)) * F32T2[M, N](scale)
		col := I32T1[N](j*Extent[N]()) + Iota[N]()
		p = Where(I32T2[M, N](row) >= I32T2[M, N](col), p, -1e30)
		m1 := MaxNum(m, p.Fold1(math.Inf(-1), MaxNum[F32]))
		e := Exp2((p - F32T2[M, N](m1)) * math.Log2E)
		f := Exp2((m - m1) * math.Log2E)
		s = FMA(s, f, e.Sum1())
		z := Reshape[F16T2[N, D]](v.Load(b, h/group, j, 0))
		acc = Dot(F16T2[M, N](e), z, acc*F32T2[M, D](f))
		m = m1
	}
	o.Store(Reshape[F16T4[D1, D1, M, D]](F16T2[M, D](acc/F32T2[M, D](s))), b, h, i, 0)
}

// attention takes k as a transposed view.
func att3[M, N, D Dim](q In[F16T4[D1, D1, M, D]], k In[F16T4[D1, D1, D, N]], v In[F16T4[D1, D1, N, D]],
	o InOut[F16T4[D1, D1, M, D]], scale float32) {
	const group = 4
	i, h, b := BlockID(0), BlockID(1), BlockID(2)
	kvh := h/group
	x := Reshape[F16T2[M, D]](q.Load(b, h, i, 0))
	m := F32T2[M, D1](-1e30)
	var s F32T2[M, D1]
	var acc F32T2[M, D]
	row := Reshape[I32T2[M, D1]](I32T1[M](i*Extent[M]()) + Iota[M]())
	for j := range (i+1) {
		y := Reshape[F16T2[D, N]](k.Load(b, kvh, 0, j))
		p := Dot(x, y, F32T2[M, N](0)) * F32T2[M, N](scale)
		col := I32T1[N](j*Extent[N]()) + Iota[N]()
		p = Where(I32T2[M, N](row) >= I32T2[M, N](col), p, -1e30)
		m1 := MaxNum(m, p.Fold1(math.Inf(-1), MaxNum[F32]))
		e := Exp2((p - F32T2[M, N](m1)) * math.Log2E)
		f := Exp2((m - m1) * math.Log2E)
		s = FMA(s, f, e.Sum1())
		z := Reshape[F16T2[N, D]](v.Load(b, kvh, j, 0))
		acc = Dot(F16T2[M, N](e), z, acc*F32T2[M, D](f))
		m = m1
	}
	o.Store(Reshape[F16T4[D1, D1, M, D]](F16T2[M, D](acc/F32T2[M, D](s))), b, h, i, 0)
}


func TestZZ(t *testing.T){
 for i,f:=range []any{att1[D64,D64,D64],att2[D64,D64,D64],att3[D64,D64,D64]} {
 c:=assemble.Case{Kernel:f,Transposed:[]string{"k"}}
 d:=assemble.Bytecode(t,c.Code(t,true).Module)
 t.Log(i+1,sasstest.Measure(t,d,"sm_90"))
 }
}
