package spirv

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/spirv"
)

// place is an integer with sign that is less than another one where the float is: both zeros are 0.
func (w *writer) place(t vec.Type, x spirv.ID) spirv.ID {
	o := words{w, t}
	size := w.magnitude(t, x)
	return o.b.Select(o.less(x, o.n(0)), o.sub(o.n(0), size), size)
}

// comparison compares floats by hardware or in integers.
func (w *writer) comparison(soft bool, t vec.Type, c vec.Cond, x, y spirv.ID) spirv.ID {
	o := words{w, t}
	unordered := func() spirv.ID { return o.any(w.isNaN(t, x), w.isNaN(t, y)) }
	switch {
	case c == vec.Unordered:
		return unordered()
	case c == vec.Ordered:
		return o.not(unordered())
	case !soft:
		return w.b.Compare(floatConds[c], w.float(t, x), w.float(t, y))
	}
	holds := w.b.Compare(conds[c], w.place(t, x), w.place(t, y))
	if c == vec.NE {
		return o.any(holds, unordered())
	}
	return o.both(holds, o.not(unordered()))
}
