package ptx_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/ptx"
)

// TestElements runs each element operation on the emulator.
func TestElements(t *testing.T) { threadtest.Elements(t, nil, run) }

// run runs a kernel on the emulator, with one buffer.
func run(t testing.TB, b *ir.Builder, data []byte) {
	t.Helper()
	b.Place()
	b.Synchronise()
	arch, err := simt.TargetOf("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	m := &simt.Module{Name: "m", Kernels: []*simt.Func{ptx.Write(&b.Kernel, arch, false)}}
	if err := simt.Verify(m, arch.Name); err != nil {
		t.Fatalf("%v\n%v", err, &b.Kernel)
	}
	p, err := emu.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	mem := &emu.Memory{}
	const base = 1 << 32
	mem.Map(base, data, "data", false)
	if err := p.Run(context.Background(), emu.Launch{Kernel: b.Name, Grid: [3]int{1, 1, 1}, Shared: b.Shared, Args: []uint64{base}, Memory: mem, Races: true}); err != nil {
		t.Fatal(fmt.Errorf("%w\n%v", err, &b.Kernel))
	}
}
