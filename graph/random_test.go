package graph_test

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

func sliceOf[E dtype.Elem](t *testing.T, x device.AnyTensor) []E {
	t.Helper()
	s, err := x.(*device.Tensor[E]).Slice()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// philox is Philox4x32-10 as its paper describes it.
func philox(key, low, high uint64) [4]uint32 {
	c := [4]uint32{uint32(low), uint32(low >> 32), uint32(high), uint32(high >> 32)}
	k := [2]uint32{uint32(key), uint32(key >> 32)}
	for range 10 {
		h0, l0 := bits.Mul32(0xD2511F53, c[0])
		h1, l1 := bits.Mul32(0xCD9E8D57, c[2])
		c = [4]uint32{h1 ^ c[1] ^ k[0], l1, h0 ^ c[3] ^ k[1], l0}
		k[0], k[1] = k[0]+0x9E3779B9, k[1]+0xBB67AE85
	}
	return c
}

// TestPhilox: the known answers that the authors of Philox publish with their library (Random123, kat_vectors, philox4x32 of 10
// rounds).
func TestPhilox(t *testing.T) {
	const all = math.MaxUint64
	for _, c := range []struct {
		state, next []uint64
		want        [4]uint32
	}{
		{[]uint64{0, 0, 0}, []uint64{0, 1, 0}, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[]uint64{all, all, all}, []uint64{all, 0, 0}, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[]uint64{0x299f31d0_a4093822, 0x85a308d3_243f6a88, 0x03707344_13198a2e}, []uint64{0x299f31d0_a4093822, 0x85a308d3_243f6a89, 0x03707344_13198a2e},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		g := graph.New()
		next, random := graph.RandomBits(graph.Constant(g, c.state), dtype.U32, 4)
		out := run(t, g, next, random)
		if got := sliceOf[uint32](t, out[1]); !slices.Equal(got, c.want[:]) || philox(c.state[0], c.state[1], c.state[2]) != c.want {
			t.Errorf("the bits of %x are %x, expected %x", c.state, got, c.want)
		}
		if got := sliceOf[uint64](t, out[0]); !slices.Equal(got, c.next) {
			t.Errorf("after %x comes %x, expected %x", c.state, got, c.next)
		}
	}
}

// TestRandomBits: elements of any size are the same stream, which goes on where it stopped, also where the lower half of the counter
// ends.
func TestRandomBits(t *testing.T) {
	state := []uint64{7, math.MaxUint64 - 1, 3}
	var words []uint32
	var wide []uint64
	var halves []uint16
	var bytes []uint8
	for _, c := range [][2]uint64{{math.MaxUint64 - 1, 3}, {math.MaxUint64, 3}, {0, 4}} {
		block := philox(7, c[0], c[1])
		words = append(words, block[:]...)
	}
	for i, w := range words {
		if i%2 == 1 {
			wide = append(wide, uint64(w)<<32|uint64(words[i-1]))
		}
		halves = append(halves, uint16(w), uint16(w>>16))
		bytes = append(bytes, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	g := graph.New()
	s := graph.Constant(g, state)
	bits := func(s *graph.Value, elem dtype.Type, shape ...int) *graph.Value {
		_, v := graph.RandomBits(s, elem, shape...)
		return v
	}
	middle, first := graph.RandomBits(s, dtype.U32, 2, 4)
	end, second := graph.RandomBits(middle, dtype.U32, 3)
	out := run(t, g, bits(s, dtype.U32, 3, 2, 2), bits(s, dtype.U64, 5), bits(s, dtype.U16, 1, 23), bits(s, dtype.U8, 45), first, second, end, bits(s, dtype.U8, 2, 0), bits(s, dtype.U64))
	for i, same := range []bool{
		slices.Equal(sliceOf[uint32](t, out[0]), words), slices.Equal(sliceOf[uint64](t, out[1]), wide[:5]),
		slices.Equal(sliceOf[uint16](t, out[2]), halves[:23]), slices.Equal(sliceOf[uint8](t, out[3]), bytes[:45]),
		slices.Equal(sliceOf[uint32](t, out[4]), words[:8]), slices.Equal(sliceOf[uint32](t, out[5]), words[8:11]),
		slices.Equal(sliceOf[uint64](t, out[6]), []uint64{7, 1, 4}), len(sliceOf[uint8](t, out[7])) == 0,
		slices.Equal(sliceOf[uint64](t, out[8]), wide[:1]),
	} {
		if !same {
			t.Errorf("result %d is %v, of the stream %x", i, out[i], words)
		}
	}
}

// TestUniform compares fractions with those of the bits.
func TestUniform(t *testing.T) {
	g := graph.New()
	s := graph.RandomState(g, 99)
	uniform := func(elem dtype.Type, n int) *graph.Value {
		next, x := graph.Uniform(s, elem, n)
		return graph.Add(graph.Convert(x, dtype.F64), graph.Mul(graph.Convert(graph.Reshape(graph.Narrow(next, 0, 1, 2)), dtype.F64), graph.Scalar(g, 0.0)))
	}
	const n = 1000
	out := run(t, g, uniform(dtype.F32, n), uniform(dtype.F64, n), uniform(dtype.F16, n), uniform(dtype.BF16, n))
	for i, want := range []func(i int) float64{
		func(i int) float64 { return float64(philox(99, uint64(i/4), 0)[i%4]>>8) / (1 << 24) },
		func(i int) float64 {
			p := philox(99, uint64(i/2), 0)
			return float64((uint64(p[i%2*2+1])<<32|uint64(p[i%2*2]))>>11) / (1 << 53)
		},
		func(i int) float64 {
			return float64(uint16(philox(99, uint64(i/8), 0)[i/2%4]>>(i%2*16))>>5) / (1 << 11)
		},
		func(i int) float64 { return float64(uint16(philox(99, uint64(i/8), 0)[i/2%4]>>(i%2*16))>>8) / (1 << 8) },
	} {
		for j, got := range doubles(t, out[i]) {
			if got != want(j) || got < 0 || got >= 1 {
				t.Fatalf("fractions of kind %d: number %d is %v, expected %v", i, j, got, want(j))
			}
		}
	}
}

// furthest is the statistic of Kolmogorov and Smirnov: the greatest distance of the numbers' distribution from another one, times √n.
// It is above 1.95 once in a thousand times.
func furthest(x []float64, distribution func(float64) float64) float64 {
	x = slices.Sorted(slices.Values(x))
	most := 0.0
	n := float64(len(x))
	for i, v := range x {
		p := distribution(v)
		most = max(most, p-float64(i)/n, float64(i+1)/n-p)
	}
	return most * math.Sqrt(n)
}

// correlation of numbers with those some places behind.
func correlation(x []float64, lag int) float64 {
	var xy, xx, mean float64
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for i, v := range x {
		xx += (v - mean) * (v - mean)
		if i >= lag {
			xy += (v - mean) * (x[i-lag] - mean)
		}
	}
	return xy / xx * math.Sqrt(float64(len(x)))
}

// TestDistributions: statistics of many numbers.
func TestDistributions(t *testing.T) {
	const n = 1<<16 + 1
	cdf := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	for _, elem := range []dtype.Type{dtype.F32, dtype.F64, dtype.F16} {
		g := graph.New()
		next, u := graph.Uniform(graph.RandomState(g, 11), elem, n)
		_, z := graph.Normal(next, elem, n)
		out := run(t, g, graph.Convert(u, dtype.F64), graph.Convert(z, dtype.F64))
		uniform, normal := doubles(t, out[0]), doubles(t, out[1])
		if elem != dtype.F16 {
			if d := furthest(uniform, func(x float64) float64 { return x }); d > 1.95 {
				t.Errorf("%v: fractions are %v away from equal probability", elem, d)
			}
		}
		if d := furthest(normal, cdf); d > 1.95 {
			t.Errorf("%v: numbers are %v away from the normal distribution", elem, d)
		}
		var mean, square, fourth float64
		for _, x := range normal {
			mean, square, fourth = mean+x/n, square+x*x/n, fourth+x*x*x*x/n
		}
		root := math.Sqrt(n)
		if math.Abs(mean) > 3.3/root || math.Abs(square-1) > 3.3*math.Sqrt2/root || math.Abs(fourth-3) > 3.3*math.Sqrt(96)/root {
			t.Errorf("%v: moments %v, %v and %v, expected 0, 1 and 3", elem, mean, square, fourth)
		}
		for _, lag := range []int{1, 2, 4, n / 2, n/2 + 1} {
			if c, d := correlation(uniform, lag), correlation(normal, lag); math.Abs(c) > 3.3 || math.Abs(d) > 3.3 {
				t.Errorf("%v: numbers %d apart have correlations of %v and %v standard deviations", elem, lag, c, d)
			}
		}
	}
}

// TestNormalSizes: numbers are finite and differ, an odd number of them too, or one, or none.
func TestNormalSizes(t *testing.T) {
	g := graph.New()
	s := graph.RandomState(g, 1)
	_, five := graph.Normal(s, dtype.F64, 5)
	_, one := graph.Normal(s, dtype.F64)
	next, none := graph.Normal(s, dtype.BF16, 0, 3)
	out := run(t, g, five, one, next, graph.Convert(none, dtype.F64))
	x := doubles(t, out[0])
	slices.Sort(x)
	if len(slices.Compact(x)) != 5 || math.IsNaN(x[0]) || len(doubles(t, out[1])) != 1 || len(doubles(t, out[3])) != 0 {
		t.Errorf("numbers %v", x)
	}
	if got := sliceOf[uint64](t, out[2]); !slices.Equal(got, []uint64{1, 0, 0}) {
		t.Errorf("after no numbers the state is %v", got)
	}
}

// TestRandomParameter: a state that each run is given.
func TestRandomParameter(t *testing.T) {
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	g := graph.New()
	next, x := graph.RandomBits(g.Parameter("state", dtype.U64, 3), dtype.U32, 5)
	p, err := g.Compile(t.Context(), dev, next, x)
	if err != nil {
		t.Fatal(err)
	}
	state, err := device.FromSlice(dev, []uint64{4, 0, 0})
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(3) {
		out, err := p.Run(t.Context(), dev, state)
		if err != nil {
			t.Fatal(err)
		}
		a, b := philox(4, 2*i, 0), philox(4, 2*i+1, 0)
		if got := sliceOf[uint32](t, out[1]); !slices.Equal(got, append(a[:], b[0])) {
			t.Errorf("run %d gives %x", i, got)
		}
		state = out[0].(*device.Tensor[uint64])
	}
}

// TestRandomRefused: wrong arguments, and where they are.
func TestRandomRefused(t *testing.T) {
	second := func(_, x *graph.Value) *graph.Value { return x }
	for _, c := range []struct {
		want string
		make func(g *graph.Graph, s *graph.Value) *graph.Value
	}{
		{"random_bits: the state is uint64[2], expected uint64[3]", func(g *graph.Graph, s *graph.Value) *graph.Value {
			return second(graph.RandomBits(graph.Narrow(s, 0, 0, 2), dtype.U8, 1))
		}},
		{"random_bits: elements of int32, expected an unsigned integer", func(g *graph.Graph, s *graph.Value) *graph.Value { return second(graph.RandomBits(s, dtype.I32, 1)) }},
		{"random_bits: elements of float32", func(g *graph.Graph, s *graph.Value) *graph.Value { return second(graph.RandomBits(s, dtype.F32, 1)) }},
		{"uniform: elements of uint32, expected float16", func(g *graph.Graph, s *graph.Value) *graph.Value { return second(graph.Uniform(s, dtype.U32, 1)) }},
		{"uniform: the shape [2 -1], expected", func(g *graph.Graph, s *graph.Value) *graph.Value { return second(graph.Uniform(s, dtype.F32, 2, -1)) }},
		{"normal: the shape [1048576 1048576 1048576 1048576], expected", func(g *graph.Graph, s *graph.Value) *graph.Value {
			return second(graph.Normal(s, dtype.F32, 1<<20, 1<<20, 1<<20, 1<<20))
		}},
		{"normal: the state is float64[3]", func(g *graph.Graph, s *graph.Value) *graph.Value {
			return second(graph.Normal(graph.Convert(s, dtype.F64), dtype.F32, 1))
		}},
	} {
		g := graph.New()
		v := c.make(g, graph.RandomState(g, 1))
		if err := v.Err(); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(fmt.Sprint(err), "random_test.go:") {
			t.Errorf("the error is %v, expected one with %q and the line", err, c.want)
		} else {
			plain(t, err.Error())
		}
	}
}
