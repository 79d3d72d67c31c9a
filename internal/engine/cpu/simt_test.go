package cpu_test

import (
	"bytes"
	"errors"
	"go/token"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/simt"
)

// simtModule is a module with one kernel k of 4 threads, whose body write appends: its parameter is an address, in base.
func simtModule(write func(b *simt.Builder, base simt.Reg)) *simt.Module {
	f := &simt.Func{Name: "k", Block: [3]int{4, 1, 1}, Params: []simt.Param{{Name: "p", Type: "u64"}}}
	b := &simt.Builder{Func: f, Pos: token.Position{Filename: "k.ir", Line: 7, Column: 3}}
	base := b.Value(simt.B64, "ld.param.b64", simt.AtName("p", 0)).Reg
	write(b, base)
	b.Emit("ret", nil)
	return &simt.Module{Name: "m", Kernels: []*simt.Func{f}}
}

func loadSIMT(t *testing.T, d *cpu.Device, m *simt.Module) engine.Kernel {
	t.Helper()
	l, err := d.LoadSIMT(bg, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	k, err := l.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Kernel("other"); err == nil {
		t.Error("a kernel that is not there was found")
	}
	return k
}

// TestSIMT: launches are work of the stream like any other, and what a kernel does wrong comes when one waits.
func TestSIMT(t *testing.T) {
	var out bytes.Buffer
	d := newDevice(t, cpu.Options{Output: &out})
	s := newStream(t, d).(*cpu.Stream)
	buf, err := d.Alloc(16)
	if err != nil {
		t.Fatal(err)
	}
	add := loadSIMT(t, d, simtModule(func(b *simt.Builder, base simt.Reg) {
		i := b.Value(simt.B32, "mov.u32", simt.S("%tid.x"))
		at := b.Value(simt.B64, "mad.wide.s32", i, simt.I(4), simt.R(base)).Reg
		v := b.Value(simt.B32, "ld.global.b32", simt.At(at, 0))
		b.Emit("st.global.b32", nil, simt.At(at, 0), b.Value(simt.B32, "add.s32", v, i))
		b.Emit(simt.OpPrintf, nil, i).Text = "thread %d\n"
	}))
	launch := engine.SIMTLaunch{Grid: [3]uint32{1, 1, 1}, Args: []uint64{buf.Address()}, Buffers: []engine.Buffer{buf}}
	for range 3 {
		if err := s.LaunchSIMT(add, launch); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Wait(bg); err != nil {
		t.Fatal(err)
	}
	if got := buf.Host(); got[4] != 3 || got[8] != 6 || got[12] != 9 || strings.Count(out.String(), "thread 2\n") != 3 {
		t.Errorf("memory %v, printed %q", got, out.String())
	}
	launch.Args[0]++ // misaligned; the launch has copied its arguments
	if err := s.LaunchSIMT(add, launch); err != nil {
		t.Fatal(err)
	}
	var fault *engine.Fault
	if err := s.Wait(bg); !errors.As(err, &fault) || fault.Kernel != "k" || fault.Loc.File != "k.ir" || fault.Loc.Line != 7 || !fault.Known ||
		!strings.Contains(fault.Text, "thread (0, 0, 0)") {
		t.Errorf("got %v", err)
	}
	other := newDevice(t, cpu.Options{})
	for _, bad := range []struct {
		kernel engine.Kernel
		launch engine.SIMTLaunch
		want   string
	}{
		{add, engine.SIMTLaunch{}, "takes 1 arguments, but got 0"},
		{loadSIMT(t, other, simtModule(func(*simt.Builder, simt.Reg) {})), launch, "loaded on another device"},
	} {
		if err := s.LaunchSIMT(bad.kernel, bad.launch); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("got %v, want %q", err, bad.want)
		}
	}
}

// TestSIMTStop: a kernel that does not end is stopped.
func TestSIMTStop(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	s := newStream(t, d).(*cpu.Stream)
	forever := loadSIMT(t, d, simtModule(func(b *simt.Builder, _ simt.Reg) {
		l := b.NewLabel()
		b.Place(l)
		b.Branch(l)
	}))
	for range 2 {
		if err := s.LaunchSIMT(forever, engine.SIMTLaunch{Grid: [3]uint32{1, 1, 1}, Args: []uint64{0}}); err != nil {
			t.Fatal(err)
		}
	}
	s.Stop()
	var fault *engine.Fault
	if err := s.Wait(bg); !errors.As(err, &fault) || fault.Text != "stopped" {
		t.Errorf("got %v", err)
	}
}
