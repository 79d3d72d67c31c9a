package onnx_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/onnx"
)

// sessionOf makes a session of nodes with the inputs x and others.
func sessionOf(t *testing.T, dev *device.Device, opset int64, inputs []message, outputs []string, nodes ...message) *onnx.Session {
	t.Helper()
	g := graphProto{nodes: nodes, inputs: inputs}
	for _, name := range outputs {
		g.outputs = append(g.outputs, infoProto(name, 1))
	}
	m, err := onnx.Parse(modelProto(g, opset))
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.Session(dev, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// draw runs a session and gives an output in float64.
func draw(t *testing.T, s *onnx.Session, inputs map[string]device.AnyTensor, output string) []float64 {
	t.Helper()
	out, err := s.Run(t.Context(), inputs)
	if err != nil {
		t.Fatal(err)
	}
	a, err := arrayOf(out[output])
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, len(a.data)/a.elem.Size())
	for i := range x {
		x[i], _ = a.at(i)
	}
	return x
}

// moments gives the mean and the variance.
func moments(x []float64) (mean, variance float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	return mean, variance
}

// within reports whether two numbers differ by at most 4 standard deviations of a mean of n numbers.
func within(got, want, variance float64, n int) bool {
	return math.Abs(got-want) <= 4*math.Sqrt(variance/float64(n))
}

// TestRandom: distributions with their parameters, in each type; other numbers for each node and each run; the same ones for a seed in
// another session.
func TestRandom(t *testing.T) {
	dev := open(t)
	const n = 1 << 14
	nodes := []message{
		nodeProto("RandomNormal", nil, []string{"normal"}, attribute("shape", []int{n}), attribute("mean", 3.0), attribute("scale", 0.5), attribute("seed", 7.0)),
		nodeProto("RandomUniform", nil, []string{"uniform"}, attribute("shape", []int{128, 128}), attribute("low", -2.0), attribute("high", 4.0), attribute("seed", 7.0), attribute("dtype", 11)),
		nodeProto("RandomUniform", nil, []string{"free"}, attribute("shape", []int{n}), attribute("dtype", 10)),
		nodeProto("RandomUniform", nil, []string{"other"}, attribute("shape", []int{n})),
		nodeProto("RandomNormalLike", []string{"uniform"}, []string{"like"}, attribute("seed", 7.0)),
		nodeProto("RandomUniformLike", []string{"uniform"}, []string{"like32"}, attribute("dtype", 1)),
	}
	names := []string{"normal", "uniform", "free", "other", "like", "like32"}
	a := sessionOf(t, dev, 18, nil, names, nodes...)
	for _, c := range []struct {
		name                   string
		mean, variance, lo, hi float64
	}{
		{"normal", 3, 0.25, -1, 7}, {"uniform", 1, 3, -2, 4}, {"free", 0.5, 1.0 / 12, 0, 1},
		{"other", 0.5, 1.0 / 12, 0, 1}, {"like", 0, 1, -7, 7}, {"like32", 0.5, 1.0 / 12, 0, 1},
	} {
		x := draw(t, a, nil, c.name)
		mean, variance := moments(x)
		if len(x) != n || !within(mean, c.mean, c.variance, n) || !within(variance, c.variance, 3*c.variance*c.variance, n) || slices.Min(x) < c.lo || slices.Max(x) > c.hi {
			t.Errorf("%s: %d numbers from %v to %v with mean %v and variance %v, expected %v and %v", c.name, len(x), slices.Min(x), slices.Max(x), mean, variance, c.mean, c.variance)
		}
	}
	for i, name := range names {
		c, d := sessionOf(t, dev, 18, nil, names, nodes...), sessionOf(t, dev, 18, nil, names, nodes...)
		x, y, z := draw(t, c, nil, name), draw(t, c, nil, name), draw(t, d, nil, name)
		if seeded := i == 0 || i == 1 || i == 4; slices.Equal(x, y) || slices.Equal(x, z) != seeded {
			t.Errorf("%s: a second run is the same: %v; another session is the same: %v, expected %v", name, slices.Equal(x, y), slices.Equal(x, z), seeded)
		}
	}
	if out, err := a.Run(t.Context(), nil); err != nil || out["free"].DType() != dtype.F16 || out["like"].DType() != dtype.F64 || !slices.Equal(out["uniform"].Shape(), []int{128, 128}) {
		t.Errorf("types or shapes of %v, %v", out, err)
	}
}

// TestRandomLoop: iterations draw other numbers.
func TestRandomLoop(t *testing.T) {
	body := graphProto{nodes: []message{nodeProto("Identity", []string{"on"}, []string{"next"}), nodeProto("RandomUniform", nil, []string{"u"}, attribute("shape", []int{2}), attribute("seed", 1.0))},
		inputs: []message{infoProto("i", 7), infoProto("on", 9)}, outputs: []message{infoProto("next", 9), infoProto("u", 1)}}
	dev := open(t)
	s := sessionOf(t, dev, 18, nil, []string{"y"}, nodeProto("Constant", nil, []string{"n"}, attribute("value_int", 3)), nodeProto("Constant", nil, []string{"first"}, attribute("value", tensorProto("", 9, []byte{1}))),
		nodeProto("Loop", []string{"n", "first"}, []string{"y"}, attribute("body", body)))
	x := draw(t, s, nil, "y")
	slices.Sort(x)
	if len(slices.Compact(x)) != 6 {
		t.Errorf("numbers %v", x)
	}
}

// TestChances: how often events and classes occur; those of probability 0 never, of probability 1 always.
func TestChances(t *testing.T) {
	dev := open(t)
	const n = 1 << 13
	chances := []float32{0, 0.2, 0.5, 1}
	p := make([]float32, 4*n)
	for i := range p {
		p[i] = chances[i%4]
	}
	x, err := device.FromSlice(dev, p, n, 4)
	if err != nil {
		t.Fatal(err)
	}
	s := sessionOf(t, dev, 18, []message{infoProto("x", 1, -1, 4)}, []string{"y", "b"}, nodeProto("Bernoulli", []string{"x"}, []string{"y"}), nodeProto("Bernoulli", []string{"x"}, []string{"b"}, attribute("dtype", 9)))
	for _, output := range []string{"y", "b"} {
		var count [4]float64
		for i, v := range draw(t, s, map[string]device.AnyTensor{"x": x}, output) {
			if v != 0 && v != 1 {
				t.Fatalf("%s: %v is not 0 or 1", output, v)
			}
			count[i%4] += v / n
		}
		for i, c := range chances {
			if !within(count[i], float64(c), float64(c*(1-c)), n) {
				t.Errorf("%s: the chance %v occurs %v of the time", output, c, count[i])
			}
		}
	}
	inf := float32(math.Inf(-1))
	logs, err := device.FromSlice(dev, []float32{0, inf, float32(math.Log(2)), 0, inf, -1e4, 3, inf, inf, -1e4}, 2, 5)
	if err != nil {
		t.Fatal(err)
	}
	s = sessionOf(t, dev, 18, []message{infoProto("x", 1, -1, 5)}, []string{"y"}, nodeProto("Multinomial", []string{"x"}, []string{"y"}, attribute("sample_size", n), attribute("dtype", 7)))
	var count [2][5]float64
	for i, v := range draw(t, s, map[string]device.AnyTensor{"x": logs}, "y") {
		count[i/n][int(v)] += 1.0 / n
	}
	for b, want := range [2][5]float64{{0.25, 0, 0.5, 0.25, 0}, {0, 1, 0, 0, 0}} {
		for i, w := range want {
			if !within(count[b][i], w, w*(1-w), n) {
				t.Errorf("row %d: class %d occurs %v of the time, expected %v", b, i, count[b][i], w)
			}
		}
	}
}

// TestRandomRefused: wrong attributes.
func TestRandomRefused(t *testing.T) {
	for _, c := range []struct {
		node message
		want string
	}{
		{nodeProto("RandomNormal", nil, []string{"y"}), "the attribute shape is missing"},
		{nodeProto("RandomNormal", nil, []string{"y"}, attribute("shape", []int{-1})), "the attribute shape is [-1]"},
		{nodeProto("RandomUniform", nil, []string{"y"}, attribute("shape", []int{1 << 20, 1 << 20})), "more than 65536 elements"},
		{nodeProto("RandomUniform", nil, []string{"y"}, attribute("shape", []int{1}), attribute("dtype", 6)), "uniform: elements of int32, expected float16"},
		{nodeProto("Multinomial", []string{"x"}, []string{"y"}, attribute("sample_size", 1<<30)), "are more than 65536 comparisons"},
		{nodeProto("Multinomial", []string{"x"}, []string{"y"}, attribute("dtype", 1)), "int32 or int64"},
	} {
		m, err := onnx.Parse(modelProto(graphProto{[]message{c.node}, nil, []message{infoProto("x", 1, -1, 4)}, []message{infoProto("y", 1)}}, 18))
		if err == nil {
			err = onnx.Build(t.Context(), m, open(t), 1<<16)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, expected one with %q", err, c.want)
		} else {
			plain(t, err.Error())
		}
	}
}
