package cpu_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/tileir"
)

func TestPrint(t *testing.T) {
	f64 := func(k *kernel, v float64) *tileir.Value { return constant(k, tileir.Tile(tileir.F64), v) }
	for _, c := range []struct {
		format, want string
		args         func(k *kernel) vals
	}{
		{"hello\n", "hello\n", func(*kernel) vals { return nil }},
		{"100%%|%d|", "100%|-42|", func(k *kernel) vals { return vals{k.i32(-42)} }},
		{"%5d|%-5d|%05d|%+d|% d|%.3d", "   42|42   |00042|+42| 42|042", func(k *kernel) vals {
			return slices.Repeat(vals{k.i32(42)}, 6)
		}},
		{"%u %x %X %#x %o %lld", "4294967295 ffffffff FFFFFFFF 0xffffffff 37777777777 -1", func(k *kernel) vals {
			return slices.Repeat(vals{k.i32(-1)}, 6)
		}},
		{"%f %.2f %8.3f|%-8.1f|%08.2f %e %g", "3.141593 3.14    3.142|3.1     |00003.14 3.141593e+00 3.14159", func(k *kernel) vals {
			return slices.Repeat(vals{f64(k, math.Pi)}, 7)
		}},
		{"%g %g %g %G", "1e+06 100000 1e-05 INF", func(k *kernel) vals {
			return vals{f64(k, 1e6), f64(k, 1e5), f64(k, 1e-5), f64(k, math.Inf(1))}
		}},
		{"%f %5.1f|%a", "-inf   nan|0x1.8p+1", func(k *kernel) vals { return vals{f64(k, math.Inf(-1)), f64(k, math.NaN()), f64(k, 3)} }},
		{"%c%c", "Go", func(k *kernel) vals { return vals{k.i32('G'), k.i32('o')} }},
		{"%d\n", "[1, 2, 3, 4]\n", func(k *kernel) vals { return vals{constant(k, tileir.Tile(tileir.I32, 4), []int32{1, 2, 3, 4}...)} }},
		{"%d", "[[1, 2], [3, 4]]", func(k *kernel) vals { return vals{constant(k, tileir.Tile(tileir.I8, 2, 2), []int8{1, 2, 3, 4}...)} }},
		{"%08x|%#o|%08.2F|%010a", "000000ff|0377|-0003.14|0x001.8p+1", func(k *kernel) vals { return vals{k.i32(255), k.i32(255), f64(k, -3.14159), f64(k, 3)} }},
		{"%f %g %e", "-3.000000 7 1.000000e+00", func(k *kernel) vals {
			return vals{k.i32(-3), constant(k, tileir.Tile(tileir.I64), int64(7)), k.bools(true)}
		}},
		{"%d %u %x", "2 3 ff", func(k *kernel) vals { return vals{f64(k, 2.9), f64(k, 3.1), f64(k, 255)} }},
		{"%u %x %o|%u %x", "255 ff 177777|[65535, 1] [fe, 1]", func(k *kernel) vals {
			return vals{constant(k, tileir.Tile(tileir.I8), int8(-1)), constant(k, tileir.Tile(tileir.I8), int8(-1)), constant(k, tileir.Tile(tileir.I16), int16(-1)),
				constant(k, tileir.Tile(tileir.I16, 2), int16(-1), 1), constant(k, tileir.Tile(tileir.I8, 2), int8(-2), 1)}
		}},
		{"%llu %llx", "18446744073709551615 ffffffffffffffff", func(k *kernel) vals {
			return slices.Repeat(vals{constant(k, tileir.Tile(tileir.I64), int64(-1))}, 2)
		}},
		{"%g %g %g %g", "-2.5 1.5 -0.25 448", func(k *kernel) vals {
			return vals{constant(k, tileir.Tile(tileir.BF16), dtype.BFloat16FromFloat64(-2.5)), constant(k, tileir.Tile(tileir.F16), dtype.Float16FromFloat64(1.5)),
				constant(k, tileir.Tile(tileir.F32), float32(-0.25)), constant(k, tileir.Tile(tileir.F8E4M3FN), uint8(0x7e))}
		}},
		{"%s|%6s|%-6s|", "-7|    -7|-7    |", func(k *kernel) vals { return slices.Repeat(vals{k.i32(-7)}, 3) }},
		{"%d %.1f", "[1, 0] [0.5, 0.5]", func(k *kernel) vals {
			return vals{k.bools(true, false), constant(k, tileir.Tile(tileir.F16, 2), uint16(0x3800))}
		}},
	} {
		var out bytes.Buffer
		d := newDevice(t, cpu.Options{Output: &out})
		k := newKernel(t)
		k.opGroups("print_tko", []vals{c.args(k)}, attrs{"str": tileir.String(c.format)}, nil, tileir.Token)
		k.ret()
		if err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}); err != nil {
			t.Fatal(err)
		}
		if out.String() != c.want {
			t.Errorf("print %q wrote %q, want %q", c.format, out.String(), c.want)
		}
	}
}

// TestPrintPointer prints addresses: of a parameter, and of its elements.
func TestPrintPointer(t *testing.T) {
	var out bytes.Buffer
	d := newDevice(t, cpu.Options{Output: &out})
	k := newKernel(t, tileir.PointerTile(tileir.F32))
	k.opGroups("print_tko", []vals{{k.entry.Params[0], k.pointersTo(k.entry.Params[0], 0, 2)}}, attrs{"str": tileir.String("%p %llx")}, nil, tileir.Token)
	k.ret()
	at := upload(t, d, make([]float32, 4)).Address()
	if err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, at); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("0x%x [%x, %x]", at, at, at+8); out.String() != want {
		t.Errorf("%s, want %s", out.String(), want)
	}
}

// TestPrintRoom: a print whose text may be larger than the limit is refused before it runs; one that just fits runs.
func TestPrintRoom(t *testing.T) {
	const most = 4096
	for _, c := range []struct {
		format string
		n      int // elements
		want   string
	}{
		{"%4000d" + strings.Repeat("x", 64), 1, ""},
		{"%4000d" + strings.Repeat("x", 65), 1, "print: its text may take 4097 bytes, more than 4096"},
		{"%.4064f", 1, ""}, {"%.4065f", 1, "print: its text may take 4097 bytes"},
		{"%4097d", 1, "print: a width or precision of 4097 in its format is too large"},
		{"%.4097d", 1, "print: a width or precision of 4097 in its format is too large"},
		{"%d", 128, ""}, {"%d|", 128, "print: its text may take 4097 bytes"}, {"%d", 256, "print: its text may take 8192 bytes"},
	} {
		d := newDevice(t, cpu.Options{Output: io.Discard, Limits: limit.Limits{Print: most}})
		k := newKernel(t)
		v := k.i32(1)
		if c.n > 1 {
			v = constant(k, tileir.Tile(tileir.I32, c.n), int32(1))
		}
		k.opGroups("print_tko", []vals{{v}}, attrs{"str": tileir.String(c.format)}, nil, tileir.Token)
		k.ret()
		kern, err := d.Compile(context.Background(), k.module, "k")
		if c.want == "" && err == nil {
			err = launch(t, d, kern, [3]uint32{1, 1, 1})
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%.10s of %d: %v, want %q", c.format, c.n, err, c.want)
		}
	}
}

// failingWriter has no room; panicking is a writer with a mistake.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("no room") }

type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("oh") }

// TestPrintFails: what goes wrong in the program's writer is an error of the launch.
func TestPrintFails(t *testing.T) {
	for _, c := range []struct {
		w    io.Writer
		want string
	}{{failingWriter{}, "print: no room"}, {panicking{}, "print: the writer for the output of kernels panicked: oh"}} {
		d := newDevice(t, cpu.Options{Output: c.w})
		k := newKernel(t)
		k.opGroups("print_tko", []vals{nil}, attrs{"str": tileir.String("x")}, nil, tileir.Token)
		k.ret()
		if err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestPrintOfLongNumbers: numbers that are longer than most end a print as soon as its text is too long.
func TestPrintOfLongNumbers(t *testing.T) {
	for _, c := range []struct {
		number float64
		want   string
	}{{1, ""}, {-math.MaxFloat64, "its text takes more than 100000 bytes: print less, or raise Limits.Print"}} {
		var out bytes.Buffer
		d := newDevice(t, cpu.Options{Output: &out, Limits: limit.Limits{Print: 100000}})
		k := newKernel(t)
		v := constant(k, tileir.Tile(tileir.F64, 2, 1024), c.number)
		k.opGroups("print_tko", []vals{{v}}, attrs{"str": tileir.String("%f")}, nil, tileir.Token)
		k.ret()
		err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("of %g: %v, want %q", c.number, err, c.want)
		}
		if (out.Len() > 0) != (err == nil) {
			t.Errorf("of %g: %d bytes were written", c.number, out.Len())
		}
	}
}

func TestPrintWhole(t *testing.T) {
	var out bytes.Buffer
	d := newDevice(t, cpu.Options{Output: &out, Workers: 4})
	k := newKernel(t)
	id := k.ids()[0]
	wide := k.one("broadcast", vals{k.one("reshape", vals{id}, nil, tileir.Tile(tileir.I32, 1))}, nil, tileir.Tile(tileir.I32, 512))
	k.opGroups("print_tko", []vals{{wide}}, attrs{"str": tileir.String("%d\n")}, nil, tileir.Token)
	k.ret()
	if err := launch(t, d, k.compile(d), [3]uint32{200, 1, 1}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	seen := map[string]bool{}
	for _, l := range lines {
		first, _, _ := strings.Cut(strings.Trim(l, "[]"), ",")
		if want := "[" + strings.Repeat(first+", ", 511) + first + "]"; l != want || seen[l] {
			t.Fatalf("a line is mixed: %.60s", l)
		}
		seen[l] = true
	}
	if len(lines) != 200 {
		t.Errorf("%d lines", len(lines))
	}
}

func TestAssert(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	k := newKernel(t, tileir.Tile(tileir.I32))
	id := k.ids()[0]
	lt := attrs{"comparison_predicate": tileir.CompareLessThan, "signedness": tileir.Signed}
	ok := k.one("cmpi", vals{id, k.entry.Params[0]}, lt, tileir.Tile(tileir.I1))
	k.op("assert", vals{ok}, attrs{"message": tileir.String("id < n")})
	k.op("assert", vals{k.bools(true, true, true, false)}, attrs{"message": tileir.String("all of them")})
	k.ret()
	k.entry.Body.Ops[2].Loc = tileir.Loc{File: "lib.go", Line: 7, Col: 3, Caller: &tileir.Loc{File: "k.ir", Line: 70, Col: 9}}
	kern := k.compile(d)
	err := launch(t, d, kern, [3]uint32{100, 2, 1}, 0)
	var f *engine.Fault
	if !errors.As(err, &f) || f.Block != [3]uint32{0, 0, 0} || !f.Known || f.Text != "assertion failed: id < n" || f.Kernel != "k" {
		t.Fatalf("%#v", err)
	}
	if want := "lib.go:7:3: kernel k, block (0, 0, 0): assertion failed: id < n\n\tcalled at k.ir:70:9"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
	err = launch(t, d, kern, [3]uint32{1, 1, 1}, 5)
	if err == nil || !strings.HasSuffix(err.Error(), "assertion failed: all of them (element 3 of 4)") {
		t.Error(err)
	}
}

func TestAssume(t *testing.T) {
	num := func(v int64) *int64 { return &v }
	row, rows := []int32{16, 1, 2, 3, 32, 5, 6, 7}, []int32{4, 4, 2, 2, 4, 4, 2, 3}
	for _, c := range []struct {
		predicate tileir.Attr
		data      []int32
		shape     []int
		want      string // "" where the promise holds
	}{
		{tileir.DivBy{Divisor: 16, Every: num(4), Along: num(0)}, row, []int{8}, ""},
		{tileir.DivBy{Divisor: 16}, row, []int{8}, "element 1 is 1, which 16 does not divide"},
		{tileir.DivBy{Divisor: 4, Every: num(2), Along: num(1)}, rows, []int{2, 4}, "element 2 is 2, which 4 does not divide"},
		{tileir.DivBy{Divisor: 4, Every: num(4), Along: num(1)}, rows, []int{2, 4}, ""},
		{tileir.DivBy{Divisor: 2, Every: num(2), Along: num(0)}, rows, []int{2, 4}, ""},
		{tileir.DivBy{Divisor: 2, Every: num(1), Along: num(0)}, rows, []int{2, 4}, "element 7 is 3, which 2 does not divide"},
		{tileir.Bounded{Lower: num(1), Upper: num(32)}, row, []int{8}, ""},
		{tileir.Bounded{Lower: num(2)}, row, []int{8}, "element 1 is 1, which is below 2"},
		{tileir.Bounded{Upper: num(31)}, row, []int{8}, "element 4 is 32, which is above 31"},
		{tileir.SameElements{1}, row, []int{8}, ""},
		{tileir.SameElements{2}, row, []int{8}, "element 1 is 1, but the first of its run is 16"},
		{tileir.SameElements{1, 1}, rows, []int{2, 4}, ""},
		{tileir.SameElements{1, 2}, rows, []int{2, 4}, "element 7 is 3, but the first of its run is 2"},
		{tileir.SameElements{2, 1}, rows, []int{2, 4}, "element 7 is 3, but the first of its run is 2"},
		{tileir.SameElements{1, 4}, rows, []int{2, 4}, "element 2 is 2, but the first of its run is 4"},
	} {
		for _, check := range []bool{false, true} {
			d := newDevice(t, cpu.Options{CheckAssumes: check})
			got, err := runTiles(t, d, []input{{tileir.I32, bytesOf(c.data)}}, func(k *kernel, args vals) *tileir.Value {
				tile := tileir.Tile(tileir.I32, c.shape...)
				return k.one("assume", vals{k.one("reshape", args, nil, tile)}, attrs{"predicate": c.predicate}, tile)
			})
			switch {
			case check && c.want != "":
				if err == nil || !strings.HasSuffix(err.Error(), "a promise does not hold: "+c.want) {
					t.Errorf("%v: %v, want %q", c.predicate, err, c.want)
				}
			case err != nil || !slices.Equal(as[int32](got), c.data):
				t.Errorf("%v: %v, %v", c.predicate, got, err)
			}
		}
	}
}

func TestCompileErrors(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	ctx := context.Background()
	for _, c := range []struct {
		build func(k *kernel)
		want  string
	}{
		{func(k *kernel) {
			k.opGroups("print_tko", []vals{{k.i32(1)}}, attrs{"str": tileir.String("%d %d")}, nil, tileir.Token)
		}, `the format "%d %d" has 2 conversions for 1 values`},
		{func(k *kernel) {
			k.opGroups("print_tko", []vals{{k.i32(1)}}, attrs{"str": tileir.String("%n")}, nil, tileir.Token)
		}, `the format "%n": a conversion is not one of diuoxXeEfFgGaAcsp`},
		{func(k *kernel) {
			k.one("get_global", nil, attrs{"name": tileir.String("no")}, tileir.PointerTile(tileir.F32))
		}, `the module has no global "no"`},
		{func(k *kernel) {
			k.one("alloca", nil, attrs{"num_elem": tileir.Int(1), "alignment": tileir.Int(4096)}, tileir.PointerTile(tileir.F32))
		}, "its alignment 4096 is above 256"},
	} {
		k := newKernel(t)
		c.build(k)
		k.ret()
		_, err := d.Compile(ctx, k.module, "k")
		var ce *cpu.CompileError
		if !errors.As(err, &ce) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	k := newKernel(t)
	k.ret()
	if _, err := d.Compile(ctx, k.module, "other"); err == nil || !strings.Contains(err.Error(), `no entry "other"`) {
		t.Error(err)
	}
	stop, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := d.Compile(stop, k.module, "k"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
