package tiletest_test

import (
	"embed"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tiletest"
)

//go:embed tiletest_test.go
var source embed.FS
var _ = cutile.Module(source)

// add adds two vectors.
func add[B tile.Dim](x, y tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	i := z.Index(0)
	z.Store(x.Load(i) + y.Load(i))
}

// recorder is a test that records its failures.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper()           {}
func (r *recorder) Error(args ...any) { r.failures = append(r.failures, fmt.Sprint(args...)) }
func (r *recorder) Errorf(f string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(f, args...))
}

// fails runs a check that must fail with a text.
func fails(t *testing.T, want string, check func(t testing.TB) bool) {
	t.Helper()
	r := &recorder{TB: t}
	if check(r) || len(r.failures) != 1 || !strings.Contains(r.failures[0], want) {
		t.Errorf("got the failures %q, want %q", r.failures, want)
	}
}

// TestSlices: what is equal within a tolerance, and the reports of what is not.
func TestSlices(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	next := math.Nextafter32(1, 2)
	tiletest.Slices(t, []float32{1, 2, nan, inf, 0}, []float32{1, 2, nan, inf, float32(math.Copysign(0, -1))}, tiletest.Tolerance{})
	tiletest.Slices(t, []float32{next, 1}, []float32{1, next}, tiletest.Tolerance{ULP: 1})
	tiletest.Slices(t, []float32{1e-45, 0}, []float32{-1e-45, 1e-45}, tiletest.Tolerance{ULP: 2})
	tiletest.Slices(t, []float32{1.01, 99}, []float32{1, 100}, tiletest.Tolerance{Rel: 0.0101})
	tiletest.Slices(t, []int32{math.MaxInt32, 3}, []int32{math.MaxInt32 - 1, 4}, tiletest.Tolerance{Abs: 1})
	tiletest.Slices(t, []dtype.Float16{0x3c01}, []dtype.Float16{0x3c00}, tiletest.Tolerance{ULP: 1})
	tiletest.Slices(t, []dtype.TensorFloat32{0x3f802000}, []dtype.TensorFloat32{0x3f800000}, tiletest.Tolerance{ULP: 1})
	tiletest.Slices(t, []bool{true, false}, []bool{true, false}, tiletest.Tolerance{})
	for _, c := range []struct {
		want  string
		check func(t testing.TB) bool
	}{
		{"2 of 4 elements are wrong; the worst is at [1 0]: got 5, want 3, an error of 2 (0.667 of it, 6291456 ulps)", func(t testing.TB) bool {
			return tiletest.Slices(t, []float32{1, 2.5, 5, 4}, []float32{1, 2, 3, 4}, tiletest.Tolerance{}, 2, 2)
		}},
		{"1 of 1 elements are wrong; the worst is at [0]: got 1.0000001, want 1, an error of 1.19e-07 (1.19e-07 of it, 1 ulps); allowed are 1e-08 or 1e-09 of the wanted element", func(t testing.TB) bool {
			return tiletest.Slices(t, []float32{next}, []float32{1}, tiletest.Tolerance{Abs: 1e-8, Rel: 1e-9})
		}},
		{"1 of 2 elements are wrong; the worst is at [1]: got NaN, want 1", func(t testing.TB) bool {
			return tiletest.Slices(t, []float32{1.5, nan}, []float32{1, 1}, tiletest.Tolerance{Abs: 1})
		}},
		{"the worst is at [0]: got 3.4028235e+38, want +Inf", func(t testing.TB) bool {
			return tiletest.Slices(t, []float32{math.MaxFloat32}, []float32{inf}, tiletest.Tolerance{Rel: 1, ULP: 5})
		}},
		{"got 1, want NaN", func(t testing.TB) bool {
			return tiletest.Slices(t, []float32{1}, []float32{nan}, tiletest.Tolerance{Abs: 9})
		}},
		{"got 1.002, want 1, an error of 0.00195 (0.00195 of it, 2 ulps); allowed are 1 ulps", func(t testing.TB) bool {
			return tiletest.Slices(t, []dtype.Float16{0x3c02}, []dtype.Float16{0x3c00}, tiletest.Tolerance{ULP: 1})
		}},
		{"1 of 2 elements are wrong; the worst is at [1]: got true, want false", func(t testing.TB) bool {
			return tiletest.Slices(t, []bool{true, true}, []bool{true, false}, tiletest.Tolerance{Abs: 0.5})
		}},
		{"got 9223372036854775807, want -9223372036854775808, an error of 1.84e+19 (2 of it)", func(t testing.TB) bool {
			return tiletest.Slices(t, []int64{math.MaxInt64}, []int64{math.MinInt64}, tiletest.Tolerance{ULP: 5})
		}},
		{"there are 1 elements, and 2 are wanted", func(t testing.TB) bool { return tiletest.Slices(t, []int8{1}, []int8{1, 2}, tiletest.Tolerance{}) }},
		{"the shape [2 2] has 4 elements, but there are 1", func(t testing.TB) bool { return tiletest.Slices(t, []int8{1}, []int8{1}, tiletest.Tolerance{}, 2, 2) }},
		{"expected bounds of 0 or more", func(t testing.TB) bool {
			return tiletest.Slices(t, []int8{1}, []int8{1}, tiletest.Tolerance{Abs: math.NaN()})
		}},
	} {
		fails(t, c.want, c.check)
	}
}

// TestEach runs a kernel on every engine, with special numbers, and compares it with Go.
func TestEach(t *testing.T) {
	var ran []string
	tiletest.Each(t, func(t *testing.T, dev *cutile.Device) {
		ran = append(ran, strings.TrimPrefix(t.Name(), "TestEach/"))
		x, y := tiletest.Mixed[float32](1, 1000), tiletest.Mixed[float32](2, 1000)
		want := make([]float32, len(x))
		for i := range want {
			want[i] = x[i] + y[i]
		}
		z := tiletest.Zeros[float32](t, dev, 1000)
		if err := cutile.Launch(t.Context(), dev, add[tile.D64], tiletest.New(t, dev, x), tiletest.New(t, dev, y), z); err != nil {
			t.Fatal(err)
		}
		right := tiletest.New(t, dev, want)
		tiletest.Tensors(t, z, right, tiletest.Tolerance{})
		fails(t, "the shape is [1000], want [10 100]", func(t testing.TB) bool {
			return tiletest.Tensors(t, z, right.Reshape(10, 100), tiletest.Tolerance{})
		})
	})
	for _, want := range []string{"checks/forward", "checks/backward", "checks/shuffled", "cpu/interpreter"} {
		if !slices.Contains(ran, want) {
			t.Errorf("%s did not run, but %q", want, ran)
		}
	}
}

// last leaves the number of the block that ran last: the result depends on the order.
func last(z tile.Ptr[int32]) {
	tile.AtomicExchange(z, tile.I32(0), tile.I32(tile.BlockID(0)), true)
}

// TestOrders: on the device with checks, blocks run in three orders.
func TestOrders(t *testing.T) {
	orders := map[string]int32{}
	tiletest.Each(t, func(t *testing.T, dev *cutile.Device) {
		z := tiletest.Zeros[int32](t, dev, 1)
		if err := cutile.Launch(t.Context(), dev.Grid(100), last, z); err != nil {
			t.Fatal(err)
		}
		n, err := z.Item()
		if err != nil {
			t.Fatal(err)
		}
		orders[strings.TrimPrefix(t.Name(), "TestOrders/")] = n
	}, cutile.WithWorkers(1))
	if orders["checks/forward"] != 99 || orders["checks/backward"] != 0 || orders["checks/shuffled"] == 99 || orders["checks/shuffled"] == 0 {
		t.Errorf("the last blocks are %v", orders)
	}
}

// TestValues: elements depend on the seed, and the special ones are those of the types.
func TestValues(t *testing.T) {
	if a, b := tiletest.Values[float32](1, 100), tiletest.Values[float32](1, 100); !slices.Equal(a, b) || slices.Equal(a, tiletest.Values[float32](2, 100)) {
		t.Errorf("got %v and %v", a, b)
	}
	for what, c := range map[string]struct{ got, want string }{
		"float32": {fmt.Sprint(tiletest.Specials[float32]()), "[0 -0 1 -1 2 -2 0.5 -0.5 3 -3 1e-45 -1e-45 3e-45 -3e-45 1.1754944e-38 -1.1754944e-38 1.1754942e-38 -1.1754942e-38 1.7014117e+38 -1.7014117e+38 3.4028235e+38 -3.4028235e+38 +Inf -Inf NaN NaN]"},
		"float16": {fmt.Sprint(tiletest.Specials[dtype.Float16]()), "[0 -0 1 -1 2 -2 0.5 -0.5 3 -3 6e-08 -6e-08 1e-07 -1e-07 6.104e-05 -6.104e-05 6.1e-05 -6.1e-05 3.275e+04 -3.275e+04 6.55e+04 -6.55e+04 +Inf -Inf NaN NaN]"},
		"e4m3":    {fmt.Sprint(tiletest.Specials[dtype.Float8E4M3FN]()), "[0 -0 1 -1 2 -2 0.5 -0.5 3 -3 0.002 -0.002 0.004 -0.004 0.016 -0.016 0.014 -0.014 2.2e+02 -2.2e+02 4.5e+02 -4.5e+02 NaN NaN]"},
		"e8m0":    {fmt.Sprint(tiletest.Specials[dtype.Float8E8M0FNU]()), "[1 2 0.5 6e-39 1e-38 6e-39 9e+37 2e+38 NaN]"},
		"int8":    {fmt.Sprint(tiletest.Specials[int8]()), "[0 1 2 -1 -2 -128 127 -127 126]"},
		"uint16":  {fmt.Sprint(tiletest.Specials[uint16]()), "[0 1 2 65535 65534 32768 32767 32769 32766]"},
		"bool":    {fmt.Sprint(tiletest.Specials[bool]()), "[false true]"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %s, want %s", what, c.got, c.want)
		}
	}
	mixed := tiletest.Mixed[float64](3, 4000)
	var special int
	for _, x := range mixed {
		if x != x || math.IsInf(x, 0) || x == 0 || math.Abs(x) > 1e300 {
			special++
		}
	}
	if special < 100 || special > 1000 {
		t.Errorf("%d of 4000 elements are special", special)
	}
}

// TestGolden writes a file and compares with it.
func TestGolden(t *testing.T) {
	t.Chdir(t.TempDir())
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	x := tiletest.New(t, dev, []float32{1, 2, 3, 4}, 2, 2)
	exact := tiletest.Tolerance{}
	fails(t, "run the test with -args -tiletest.update to write it", func(t testing.TB) bool { return tiletest.Golden(t, "sub/x", x, exact) })
	tiletest.SetUpdate(t, true)
	if !tiletest.Golden(t, "sub/x", x, exact) {
		t.Error("the file is not written")
	}
	if err := os.Symlink("sub/linked.npy", "testdata/link.npy"); err != nil {
		t.Fatal(err)
	}
	written := tiletest.Golden(t, "link", x, exact)
	if st, err := os.Lstat("testdata/link.npy"); !written || err != nil || st.Mode().Type() != os.ModeSymlink {
		t.Errorf("the link is %v, %v", st, err)
	}
	tiletest.SetUpdate(t, false)
	for _, name := range []string{"sub/x", "sub/linked", "link"} {
		if !tiletest.Golden(t, name, x, exact) {
			t.Errorf("the file %s differs from what was written", name)
		}
	}
	fails(t, "4 of 4 elements are wrong", func(t testing.TB) bool {
		return tiletest.Golden(t, "sub/x", tiletest.New(t.(*recorder).TB, dev, []float32{2, 3, 4, 5}, 2, 2), exact)
	})
	fails(t, "the shape is [4], want [2 2]", func(t testing.TB) bool { return tiletest.Golden(t, "sub/x", x.Flatten(), exact) })
	fails(t, "the file has elements of float32", func(t testing.TB) bool {
		return tiletest.Golden(t, "sub/x", tiletest.New(t.(*recorder).TB, dev, []int32{1}), exact)
	})
	data, err := os.ReadFile("testdata/sub/x.npy")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("testdata/sub/x.npy", append(data, 0), 0o666); err != nil {
		t.Fatal(err)
	}
	fails(t, "has more behind the elements", func(t testing.TB) bool { return tiletest.Golden(t, "sub/x", x, exact) })
}
