package pool

import (
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/kernels/internal/window"
)

// spanList says which elements belong to each result along an axis: from begin on, count of them, step apart, and what their sum is
// multiplied by.
type spanList struct {
	begin, count []int32
	scale        []float32
	step         int
}

// most is how many elements belong to a result at most.
func (s spanList) most() int {
	most := int32(0)
	for _, n := range s.count {
		most = max(most, n)
	}
	return int(most)
}

// axis is a spatial axis with windows of equal extents or, if the window is 0, with parts of an axis.
type axis window.Axis

// windows are the elements that belong to each place.
func (a axis) windows(padding bool) spanList {
	s := spanList{step: max(a.Dilation, 1), scale: []float32{}}
	for i := range a.Places {
		begin, end, whole := i*a.Size/a.Places, ((i+1)*a.Size+a.Places-1)/a.Places, 0 // of an adaptive part
		if a.Window > 0 {
			first := i*a.Stride - a.Low
			skipped := 0
			if first < 0 {
				skipped = (-first + a.Dilation - 1) / a.Dilation
			}
			begin, end, whole = first+skipped*a.Dilation, min(first+(a.Window-1)*a.Dilation+1, a.Size), a.Window
		}
		n := max(0, (end-begin+s.step-1)/s.step)
		if !padding || whole == 0 {
			whole = max(n, 1)
		}
		s.begin, s.count, s.scale = append(s.begin, int32(begin)), append(s.count, int32(n)), append(s.scale, 1/float32(whole))
	}
	return s
}

// places are the places that each element belongs to: those of windows that begin at equal distances.
func (a axis) places() spanList {
	s := spanList{step: 1}
	if a.Window > 0 {
		s.step = a.Dilation / gcd(a.Dilation, a.Stride)
	}
	for i := range a.Size {
		begin, end := i*a.Places/max(a.Size, 1), ((i+1)*a.Places+a.Size-1)/a.Size // the parts overlap as the elements do
		if a.Window > 0 {
			begin, end = a.reached(i, s.step)
		}
		s.begin, s.count = append(s.begin, int32(begin)), append(s.count, int32(max(0, (end-begin+s.step-1)/s.step)))
	}
	return s
}

// reached gives the first place whose window has element i, and one behind the last; places between them are step apart.
func (a axis) reached(i, step int) (begin, end int) {
	at := i + a.Low
	end = min(at/a.Stride+1, a.Places)
	begin = max(0, shape.Tiles(max(at-(a.Window-1)*a.Dilation, 0), a.Stride))
	for range step {
		if begin >= end || (at-begin*a.Stride)%a.Dilation == 0 {
			return begin, end
		}
		begin++
	}
	return end, end // between the elements of all windows
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// problem is the two spatial axes of a pool, of which the first one may be made up.
type problem [2]axis

func (p problem) forward(padding bool) [2]spanList {
	return [2]spanList{p[0].windows(padding), p[1].windows(padding)}
}

func (p problem) backward() [2]spanList { return [2]spanList{p[0].places(), p[1].places()} }

// check checks the input, and results of one shape, against the options.
func (o Options) check(function string, input shape.Arg, results ...shape.Arg) (problem, error) {
	if err := planes(function, input, results...); err != nil {
		return problem{}, err
	}
	w := window.Options{Stride: o.Stride, Dilation: o.Dilation, Low: o.Low, High: o.High}
	axes, err := w.Axes(function, input.Tensor.Shape()[2:], o.Window)
	if err != nil {
		return problem{}, err
	}
	if err := window.Check(function, results[0].Name, results[0].Tensor.Shape(), axes); err != nil {
		return problem{}, err
	}
	y, x := window.Two(axes)
	return problem{axis(y), axis(x)}, nil
}

// planes checks that tensors have the same planes, along one axis or two.
func planes(function string, input shape.Arg, results ...shape.Arg) error {
	input.Axes = "batch channels rows cols"
	place := "batch channels down across"
	if _, err := shape.Check(function, input); err != nil {
		flat := input
		flat.Axes = "batch channels cols"
		if _, other := shape.Check(function, flat); other != nil {
			return err
		}
		input, place = flat, "batch channels across"
	}
	args := []shape.Arg{input}
	for _, r := range results {
		r.Axes = place
		args = append(args, r)
	}
	_, err := shape.Check(function, args...)
	return err
}

// adaptive checks the input and the result of [Adaptive].
func adaptive(function string, input, result shape.Arg) (problem, error) {
	if err := planes(function, input, result); err != nil {
		return problem{}, err
	}
	p := problem{{Size: 1, Places: 1}, {}}
	in, out := input.Tensor.Shape()[2:], result.Tensor.Shape()[2:]
	for i, n := range in {
		if n > window.Limit || out[i] > window.Limit {
			return problem{}, shape.Wrong(function, "spatial axis %d has %d elements and %d places, expected at most %d", i, n, out[i], window.Limit)
		}
		p[2-len(in)+i] = axis{Size: n, Places: out[i]}
	}
	return p, nil
}
