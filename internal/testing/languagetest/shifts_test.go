package languagetest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// counts are shift counts, small and large.
func counts(n int) [6]int { return [6]int{n, n * 3, n * 11, n << 8, n<<32 | 1, 64 + n} }

// Shifts are those of Go: a count has a type of its own, and one that is not less than the width shifts out all bits.
func TestShifts(t *testing.T) {
	try(t, []feature{
		{"at run time", func(n int) int {
			sum := 0
			for _, k := range counts(n) {
				sum = sum*31 + int(int8(-77)<<k) + int(int16(-12345)>>k) + int(uint8(201)>>k) + int(uint32(1e9)<<k) + (-n-1)<<k + (-n-1)>>k
			}
			return sum
		}},
		{"of variables", func(n int) int {
			a, b, c, d := int8(-77+n), int16(n-12), uint8(201+n), uint64(n)<<60
			sum := 0
			for _, k := range counts(n) {
				sum = sum*31 + int(a<<k) + int(b>>k) + int(c>>k) + int(c<<k) + int(d>>k) + int(a>>k)
				a <<= k % 3
				b >>= uint8(k)
				d ^= 5 << uint16(k)
			}
			return sum + int(a) + int(b) + int(d)
		}},
		{"known counts", func(n int) int {
			sum := n
			for _, k := range []uint{0, 1, 7, 8, 31, 32, 63, 64, 65, 300, 1 << 40} {
				sum = sum*31 + int(int8(n-12)<<k) + int(int16(n-12)>>k) + int(uint8(n+201)>>k) + (n-12)>>k + n<<k
			}
			return sum
		}},
		{"known", func(n int) int {
			sum := n
			x, y := int32(-5), uint16(65000)
			for _, k := range []int64{0, 1, 15, 16, 17, 31, 32, 33, 300, 1 << 40} {
				sum = sum*31 + int(x<<k) + int(x>>k) + int(y<<k) + int(y>>k)
			}
			return sum
		}},
		{"integers that wrap", func(n int) int {
			a, b, c, d := int8(127), uint8(255), int32(-1<<31), uint64(1<<63)
			a++
			b *= b
			e, f := c-1, c/-1
			d *= 2
			a, b = a-int8(n), b+uint8(200)
			return int(a) + int(b)*3 + int(e)*5 + int(f)*7 + int(d) + int(-c) + int(int8(int32(300)+c)) + int(uint16(a))
		}},
	})
	refused(t, func(n int) int { k := 1; k -= 2; return n << k }, "negative shift count -1")
	refused(t, func(n int) int { k := -1; x := 5; return n + x>>k }, "negative shift count -1")
	refused(t, func(n int) int { k := n; k -= n; z := 0; return k / z }, "division by zero")
}

// shifted shifts tiles by tiles and by numbers.
func shifted(x, n tile.In[vec32], k int, out tile.Out[vec32]) {
	v, by := x.Load(0), n.Load(0)
	last, width, far := 31, 32, 1<<40 // known when the kernel is compiled
	out.Store(v<<by ^ v>>by*3 ^ v<<k*5 ^ v>>k*7 ^ v>>last*11 ^ v>>width*13 ^ v>>far*17 ^ v<<last*19 ^ v<<width*23)
}

type vec32 = tile.I32T1[tile.D8]

// At run time a count that is negative shifts out all bits, where Go panics, and is an error where the device checks.
func TestShiftsOfTiles(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	in, by := []int32{1, -1, 77, -12345, 1 << 30, -1 << 31, 6, -6}, []int32{0, 31, 32, 33, 1 << 30, 5, -1, -1 << 31}
	x, err := cutile.FromSlice(dev, in)
	if err != nil {
		t.Fatal(err)
	}
	n, err := cutile.FromSlice(dev, by)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{0, 3, 32, 1 << 32, 1<<32 | 1, -1, -1 << 63} {
		out := zeros[int32](t, dev, 8)
		if err := cutile.Launch(t.Context(), dev, shifted, x, n, k, out); err != nil {
			t.Fatal(err)
		}
		want := make([]int32, 8)
		for i, v := range in {
			m, c := uint32(by[i]), uint64(k)
			want[i] = v<<m ^ v>>m*3 ^ v<<c*5 ^ v>>c*7 ^ v>>31*11 ^ v>>31*13 ^ v>>31*17 ^ v<<31*19
		}
		if got := values(t, out); !slices.Equal(got, want) {
			t.Errorf("by %d: got %v, want %v", k, got, want)
		}
	}
}

// quotients divides by what may be zero.
func quotients(a, b int32, rest bool, out tile.Out[tile.I32T1[tile.D1]]) {
	if rest {
		out.Store(tile.I32T1[tile.D1](a % b))
	} else {
		out.Store(tile.I32T1[tile.D1](a / b))
	}
}

// A number that is divided by zero at run time is an error with its place.
func TestDivisionByZeroAtRunTime(t *testing.T) {
	dev := open(t)
	for _, rest := range []bool{false, true} {
		out := zeros[int32](t, dev, 1)
		err := cutile.Launch(t.Context(), dev, quotients, int32(5), int32(0), rest, out)
		if err == nil {
			_, err = out.Slice()
		}
		if err == nil || !strings.Contains(err.Error(), "division by zero") || !strings.Contains(err.Error(), "shifts_test.go:") {
			t.Errorf("rest %v: error %v, want a division by zero with its place", rest, err)
		}
	}
}
