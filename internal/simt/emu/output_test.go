package emu_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/cache"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

func TestPrintf(t *testing.T) {
	b := kernel(2, 0)
	i := tid(b)
	f := func(x float64) simt.Operand { return b.Value(simt.B64, "mov.b64", simt.B(math.Float64bits(x))) }
	print := func(format string, v ...simt.Operand) { b.Emit("printf", nil, v...).Text = format }
	print("%d of %u: %05d %x %#X|%-4d|\n", b.Value(simt.B32, "neg.s32", i), simt.I(2), simt.I(42), simt.I(255), simt.I(255), simt.I(7))
	print("%lld %lu %llx 100%%\n", simt.I(-5), simt.B(1<<63), simt.B(0xabcdef0123456789))
	print("%f %.2f %e %g %g %8.3f|%g %g\n", f(1.5), f(math.Pi), f(12345.678), f(0.0001), f(1e10), f(-2), f(math.Inf(-1)), f(math.NaN()))
	print("%a %.1a %a\n", f(-1.5), f(1), f(0x1.8p-30))
	print("%c%c\n", simt.I('o'), simt.I('k'))
	print("%08x|%+u|%-05d|%08.2F|%010a|%p|%hhu|%+5.1f|%5c|%zu\n", simt.I(255), simt.I(7), simt.I(7), f(-3.14159), f(3), simt.I(4096), simt.I(3),
		f(math.Inf(1)), simt.I('x'), simt.I(9))
	var out strings.Builder
	must(t, launch(b, emu.Launch{Stdout: &out}))
	want := `0 of 2: 00042 ff 0XFF|7   |
-1 of 2: 00042 ff 0XFF|7   |
-5 9223372036854775808 abcdef0123456789 100%
-5 9223372036854775808 abcdef0123456789 100%
1.500000 3.14 1.234568e+04 0.0001 1e+10   -2.000|-inf nan
1.500000 3.14 1.234568e+04 0.0001 1e+10   -2.000|-inf nan
-0x1.8p+0 0x1.0p+0 0x1.8p-30
-0x1.8p+0 0x1.0p+0 0x1.8p-30
ok
ok
000000ff|7|7    |-0003.14|0x001.8p+1|0x1000|3| +inf|    x|9
000000ff|7|7    |-0003.14|0x001.8p+1|0x1000|3| +inf|    x|9
`
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
}

// failing is a writer without room.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("no room") }

// TestPrintfNowhere: without a writer nothing is printed; an error of the writer ends the kernel at the instruction.
func TestPrintfNowhere(t *testing.T) {
	b := kernel(2, 0)
	line(b, 3)
	b.Emit("printf", nil, tid(b)).Text = "%d\n"
	must(t, launch(b, emu.Launch{}))
	wantError(t, launch(b, emu.Launch{Stdout: failing{}}), 3, "printf: no room")
}

func TestPrintfOrder(t *testing.T) {
	b := kernel(64, 0)
	b.Emit("printf", nil, b.Value(simt.B32, "mov.u32", simt.S("%ctaid.x")), tid(b)).Text = "%d %d\n"
	var first strings.Builder
	for range 3 {
		var out strings.Builder
		must(t, launch(b, emu.Launch{Grid: [3]int{5, 1, 1}, Workers: 1, Stdout: &out}))
		if first.Len() == 0 {
			first.WriteString(out.String())
		}
		if out.String() != first.String() || strings.Count(out.String(), "\n") != 5*64 {
			t.Fatal(out.String())
		}
	}
}

// host is f(n): launches k with (n+31)/32 blocks twice, the second after the first, and gives 2n.
func host() *simt.Module {
	f := &simt.Func{Name: "f", Host: true, Params: []simt.Param{{Name: "n", Type: "u32"}, {Name: "p", Type: "u64"}},
		Result: []simt.Class{simt.B32, simt.Pred}}
	b := &simt.Builder{Func: f}
	line(b, 5)
	n := b.Value(simt.B32, "ld.param.u32", simt.AtName("n", 0))
	p := b.Value(simt.B64, "ld.param.u64", simt.AtName("p", 0))
	blocks := b.Value(simt.B32, "shr.u32", b.Value(simt.B32, "add.u32", n, simt.I(31)), simt.I(5))
	b.Emit("assert", nil, b.Value(simt.Pred, "setp.gt.u32", n, simt.I(0))).Text = "n is positive"
	token := simt.R(b.NewReg(simt.B64))
	in := b.Emit(simt.OpLaunch, []simt.Operand{token}, p, n)
	in.Launch = &simt.Launch{Kernel: "k", Grid: [3]simt.Operand{blocks, simt.I(1), simt.I(1)}, Shared: simt.I(64), Stream: simt.I(9), Async: true}
	in = b.Emit(simt.OpLaunch, nil, p, simt.I(3))
	in.Launch = &simt.Launch{Kernel: "k", Grid: [3]simt.Operand{simt.I(1), simt.I(2), simt.I(3)}, Shared: simt.I(0), After: []simt.Operand{token}}
	b.Emit("ret", nil, b.Value(simt.B32, "add.u32", n, n), b.Value(simt.Pred, "setp.eq.u32", n, simt.I(40)))
	return &simt.Module{Name: "f", Host: f}
}

// An array of bytes is passed on from the host function to a kernel by its number.
func TestHostBytes(t *testing.T) {
	f := &simt.Func{Name: "f", Host: true, Params: []simt.Param{{Name: "n", Type: "u32"}, {Name: "map", Type: "b8", Bytes: 128, Align: 64}}}
	b := &simt.Builder{Func: f}
	b.Emit(simt.OpLaunch, nil, simt.I(1), simt.Sym("map")).Launch = &simt.Launch{Kernel: "k", Grid: [3]simt.Operand{simt.I(1), simt.I(1), simt.I(1)}}
	b.Emit("ret", nil)
	p, err := emu.Load(&simt.Module{Name: "f", Host: f})
	must(t, err)
	_, err = p.Host(context.Background(), []uint64{5, 0}, func(l *emu.HostLaunch) (uint64, error) {
		if n, ok := l.Bytes[1]; !ok || n != 1 || len(l.Args) != 2 || l.Args[0] != 1 {
			t.Errorf("%+v", l)
		}
		return 0, nil
	}, nil)
	must(t, err)
}

func TestHost(t *testing.T) {
	p, err := emu.Load(host())
	must(t, err)
	var launches []emu.HostLaunch
	record := func(l *emu.HostLaunch) (uint64, error) {
		launches = append(launches, *l)
		return 77, nil
	}
	got, err := p.Host(context.Background(), []uint64{40, start}, record, nil)
	must(t, err)
	if !slices.Equal(got, []uint64{80, 1}) || len(launches) != 2 {
		t.Fatalf("%v %v", got, launches)
	}
	a, b := launches[0], launches[1]
	if a.Kernel != "k" || a.Grid != [3]int{2, 1, 1} || a.Shared != 64 || a.Stream != 9 || !a.Async || a.Pos.Line != 5 ||
		!slices.Equal(a.Args, []uint64{start, 40}) {
		t.Errorf("%+v", a)
	}
	if b.Grid != [3]int{1, 2, 3} || !slices.Equal(b.After, []uint64{77}) || !slices.Equal(b.Args, []uint64{start, 3}) || b.Async {
		t.Errorf("%+v", b)
	}
	broken := errors.New("no device")
	if _, err := p.Host(context.Background(), []uint64{40, start}, func(*emu.HostLaunch) (uint64, error) { return 0, broken }, nil); err != broken {
		t.Errorf("%v", err)
	}
	_, err = p.Host(context.Background(), []uint64{0, start}, record, nil)
	wantError(t, err, 5, "k.go:5:1: host function f: assertion failed: n is positive")
}

// panicking is a writer with a bug.
type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("no writer") }

// TestPanic: a panic while a kernel runs is the error of the launch, and does not end the program.
func TestPanic(t *testing.T) {
	b := kernel(2, 0)
	b.Emit("printf", nil, tid(b)).Text = "%d\n"
	err := launch(b, emu.Launch{Grid: [3]int{5, 1, 1}, Workers: 3, Stdout: panicking{}})
	var bug *cache.Panic
	if !errors.As(err, &bug) || !strings.HasPrefix(err.Error(), "BUG: the emulator panicked: no writer") || !strings.Contains(string(bug.Stack), "panicking.Write") {
		t.Errorf("error %v", err)
	}
}
