package eval_test

import (
	"go/constant"
	"math"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/simtc/eval"
)

func TestSGemm(t *testing.T) {
	start := time.Now()
	m := evaluateWith(t, Config.run, []any{Identity}, func(w *world.World, fns []*world.Function) []eval.Arg {
		v := eval.TensorArg{Layout: dynLayout("(?,?):(?,1)"), Align: 16}
		k := func(n int64) eval.Arg { return eval.Known{V: constant.MakeInt64(n)} }
		return []eval.Arg{eval.StructArg{Fields: []eval.Arg{k(64), k(64), k(16), k(4), k(4)}}, v, v, v, eval.StructArg{Fields: []eval.Arg{eval.Fn{F: fns[0]}}}}
	}).Module
	t.Log("evaluated", time.Since(start), len(m.Kernels[0].Body))
	if err := simt.Verify(m, "sm_80"); err != nil {
		t.Fatalf("%v", err)
	}
	const M, N, K = 256, 256, 256
	p, err := emu.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	t.Log("loaded", time.Since(start))
	var mem emu.Memory
	a, b, c := floats(M*K, 1), floats(N*K, 2), make([]byte, 4*M*N)
	mem.Map(0x100000, f32bytes(a), "a", true)
	mem.Map(0x200000, f32bytes(b), "b", true)
	mem.Map(0x300000, c, "c", false)
	var lb *simt.Launch
	for _, in := range m.Host.Body {
		if in.Launch != nil {
			lb = in.Launch
		}
	}
	_ = lb
	t.Log(m.Kernels[0].Params)
	var launched *emu.HostLaunch
	args := []uint64{0x100000, M, K, K, 0x200000, N, K, K, 0x300000, M, N, N}
	_, err = p.Host(t.Context(), args, func(l *emu.HostLaunch) (uint64, error) {
		launched = l
		return 0, p.Run(t.Context(), emu.Launch{Kernel: l.Kernel, Grid: l.Grid, Args: l.Args, Shared: l.Shared, Memory: &mem, Workers: 2})
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Log("ran", time.Since(start), launched.Grid)
	for i := range M {
		for j := range N {
			want := 0.0
			for k := range K {
				want += float64(a[i*K+k]) * float64(b[j*K+k])
			}
			got := math.Float32frombits(uint32(c[4*(i*N+j)]) | uint32(c[4*(i*N+j)+1])<<8 | uint32(c[4*(i*N+j)+2])<<16 | uint32(c[4*(i*N+j)+3])<<24)
			if math.Abs(float64(got)-want) > 1e-3 {
				t.Fatalf("(%d,%d) %v want %v", i, j, got, want)
			}
		}
	}
}

func floats(n, seed int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32((i*seed*7919)%101-50) / 50
	}
	return v
}

func f32bytes(v []float32) (b []byte) {
	for _, x := range v {
		u := math.Float32bits(x)
		b = append(b, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
	}
	return b
}
