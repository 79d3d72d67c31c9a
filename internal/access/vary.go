package access

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// Dims is a set of dimensions of a tile: bit d is dimension d. Dimensions from 31 on share a bit.
type Dims uint32

// Has reports whether a dimension is in the set.
func (s Dims) Has(dim int) bool { return s>>min(dim, 31)&1 != 0 }

func (s *Dims) add(dim int) { *s |= 1 << min(dim, 31) }

// Varies gives the dimensions along which elements of a tile may differ. Along the others it needs to be computed only once.
func (in *Info) Varies(v *tileir.Value) Dims {
	n := in.values[v]
	if !n.looked {
		n.looked, n.varies = true, in.vary(v)
	}
	return n.varies
}

// Uniform reports whether all elements of a tile are surely equal. For a reshaped or repeated scalar, [Info.Source] has the
// scalar.
func (in *Info) Uniform(v *tileir.Value) bool { return in.Varies(v) == 0 }

// long gives the dimensions of a tile that have more than one element.
func long(shape []int) (s Dims) {
	for d, n := range shape {
		if n > 1 {
			s.add(d)
		}
	}
	return s
}

func (in *Info) vary(v *tileir.Value) Dims {
	t, ok := v.Type.(*tileir.TileType)
	if !ok {
		return ^Dims(0)
	}
	all := long(t.Shape)
	if all == 0 || v.Def == nil {
		return all
	}
	o := v.Def
	if rule := varyRules[o.Info.Opcode]; rule != nil {
		return rule(in, o) & all
	}
	if !o.Info.Pure || len(o.Regions) > 0 || len(o.Operands) == 0 {
		return all
	}
	var s Dims
	for _, w := range o.Operands { // element by element, if all have one shape
		if u, ok := w.Type.(*tileir.TileType); !ok || !slices.Equal(u.Shape, t.Shape) {
			return all
		}
		s |= in.Varies(w)
	}
	return s
}

// varyRules has the operations that do not work element by element, and those of which more is known.
var varyRules [128]func(in *Info, o *tileir.Op) Dims

func init() { // a literal would refer to itself
	first := func(in *Info, o *tileir.Op) Dims { return in.Varies(o.Operands[0]) }
	everywhere := func(*Info, *tileir.Op) Dims { return ^Dims(0) }
	for code, r := range map[int]func(in *Info, o *tileir.Op) Dims{
		tileir.OpConstant: constantVaries, tileir.OpIota: everywhere, tileir.OpAssume: first, tileir.OpBroadcast: first,
		tileir.OpExtract: first, tileir.OpReshape: reshapeVaries, tileir.OpPermute: permuteVaries, tileir.OpReduce: reduceVaries,
		tileir.OpCat: everywhere, tileir.OpInsert: everywhere, tileir.OpPack: everywhere, tileir.OpUnpack: everywhere,
		tileir.OpMmaF: everywhere, tileir.OpMmaI: everywhere, tileir.OpMmaFScaled: everywhere,
	} {
		varyRules[code] = r
	}
}

func constantVaries(_ *Info, o *tileir.Op) Dims {
	c, _ := o.Attr("value").(*tileir.Constant)
	if _, same := c.Splat(); same {
		return 0
	}
	return ^Dims(0)
}

func reshapeVaries(in *Info, o *tileir.Op) (s Dims) {
	from := in.Varies(o.Operands[0])
	for _, g := range groups(shapeOf(o.Operands[0]), shapeOf(o.Results[0])) {
		if slices.ContainsFunc(g.from, from.Has) {
			for _, d := range g.to {
				s.add(d)
			}
		}
	}
	return s
}

func permuteVaries(in *Info, o *tileir.Op) (s Dims) {
	from := in.Varies(o.Operands[0])
	for d, old := range o.Attr("permutation").(tileir.Ints) {
		if from.Has(old) {
			s.add(d)
		}
	}
	return s
}

// reduceVaries: what reduces equal elements is equal.
func reduceVaries(in *Info, o *tileir.Op) (s Dims) {
	dim := int(o.Int("dim"))
	for _, v := range o.Operands {
		from := in.Varies(v)
		for d := range shapeOf(v) {
			if d != dim && from.Has(d) {
				s.add(d - map[bool]int{true: 1}[d > dim])
			}
		}
	}
	return s
}
