package cutile_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tile"
)

// standsFor is a type of another package that stands for a tensor of any elements.
type standsFor[E dtype.Elem] struct{ t *cutile.Tensor[E] }

func (s standsFor[E]) Tensor() *cutile.Tensor[E] { return s.t }

// TestElementTypes launches a kernel of each element type that a tensor may have, with types of another package that
// stand for its tensors.
func TestElementTypes(t *testing.T) {
	dev, seen := open(t), map[dtype.Type]bool{}
	for _, e := range []dtype.Type{
		copies(t, dev, keep[tile.BoolTile1[tile.D4]]),
		copies(t, dev, keep[tile.I8T1[tile.D4]]),
		copies(t, dev, keep[tile.I16T1[tile.D4]]),
		copies(t, dev, keep[tile.I32T1[tile.D4]]),
		copies(t, dev, keep[tile.I64T1[tile.D4]]),
		copies(t, dev, keep[tile.U8T1[tile.D4]]),
		copies(t, dev, keep[tile.U16T1[tile.D4]]),
		copies(t, dev, keep[tile.U32T1[tile.D4]]),
		copies(t, dev, keep[tile.U64T1[tile.D4]]),
		copies(t, dev, keep[tile.F16T1[tile.D4]]),
		copies(t, dev, keep[tile.BF16T1[tile.D4]]),
		copies(t, dev, keep[tile.F32T1[tile.D4]]),
		copies(t, dev, keep[tile.F64T1[tile.D4]]),
		copies(t, dev, keep[tile.F8E4M3T1[tile.D4]]),
		copies(t, dev, keep[tile.F8E5M2T1[tile.D4]]),
		copies(t, dev, keep[tile.F8E8M0T1[tile.D4]]),
		copies(t, dev, keep[tile.F8E5M3T1[tile.D4]]),
		copies(t, dev, keep[tile.TF32T1[tile.D4]]),
	} {
		seen[e] = true
	}
	for _, e := range dtype.Types() {
		if !seen[e] {
			t.Errorf("no kernel of %v was launched", e)
		}
	}
}

// copies launches a kernel that copies all elements.
func copies[E dtype.Elem, T tile.Elem[E]](t *testing.T, dev *cutile.Device, kernel func(tile.In[T], tile.Out[T])) dtype.Type {
	t.Helper()
	e := dtype.Of[E]()
	x, err := cutile.FromSlice(dev, slices.Repeat([]E{one[E]()}, 6), 6)
	must(t, err)
	z := zeros[E](t, dev, 6)
	if err := cutile.Launch(t.Context(), dev, kernel, standsFor[E]{x}, &standsFor[E]{z}); err != nil {
		t.Errorf("%v: %v", e, err)
		return e
	}
	got, err := z.Slice()
	must(t, err)
	for i, v := range got {
		if v != one[E]() {
			t.Errorf("%v: element %d is %v", e, i, v)
		}
	}
	return e
}

// one is 1, or true.
func one[E dtype.Elem]() (x E) {
	v, e := reflect.ValueOf(&x).Elem(), dtype.Of[E]()
	switch {
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(1)
	case v.CanFloat():
		v.SetFloat(1)
	case e.IsFloat():
		v.SetUint(e.FloatBits(1))
	default:
		v.SetUint(1)
	}
	return x
}
