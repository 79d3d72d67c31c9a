package layout_test

import (
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/internal/layout"
)

// helpers are the operations that only the package answers, by the name in package.txt.
var helpers = map[string]operation{
	"make_layout":          func(in []string) (string, error) { return text(layout.Compact(tup(in[0]))) },
	"make_identity_layout": func(in []string) (string, error) { return text(layout.Identity(tup(in[0]))) },
	"make_fragment_like":   onLayout(layout.FragmentLike),
	"max_common_layout":    withLayout(layout.MaxCommon),
	"append":               withLayout(func(a, b layout.Layout) (layout.Layout, error) { return layout.Append(a, b), nil }),
	"prepend":              withLayout(func(a, b layout.Layout) (layout.Layout, error) { return layout.Prepend(a, b), nil }),
	"make_ordered_layout":  func(in []string) (string, error) { return text(layout.Ordered(tup(in[0]), tup(in[1]))) },
	"ceil_div":             onTuples(layout.CeilDiv),
	"round_up":             onTuples(layout.RoundUp),
	"shape_div":            onTuples(layout.ShapeDiv),
	"product":              func(in []string) (string, error) { return text(tup(in[0]).Product(), nil) },
	"product_each":         func(in []string) (string, error) { return text(tup(in[0]).ProductEach(), nil) },
	"flatten_to_tuple":     func(in []string) (string, error) { return text(tup(in[0]).Flatten(), nil) },

	"make_identity_tensor": func(in []string) (string, error) {
		l, err := layout.Identity(tup(in[0]))
		if err != nil {
			return "", err
		}
		zero, err := l.Index(tup("0"))
		return tensor(l, zero, err)
	},
	"make_layout_tv": func(in []string) (string, error) {
		tiler, tv, err := layout.LayoutTV(lay(in[0]), lay(in[1]))
		return fmt.Sprintf("(%v,%v)", tiler, tv), err
	},
	"get": func(in []string) (string, error) { return text(lay(in[0]).Mode(numbers(in[1])...)) },
	"select": func(in []string) (string, error) {
		return text(layout.Select(lay(in[0]), numbers(in[1])...))
	},
	"group_modes": func(in []string) (string, error) {
		return text(layout.Group(lay(in[0]), number(in[1]), number(in[2])))
	},
	"recast_layout": func(in []string) (string, error) {
		return text(layout.Recast(number(in[0]), number(in[1]), lay(in[2])))
	},
	"is_congruent":        truth(layout.Tuple.Congruent),
	"is_weakly_congruent": truth(layout.Tuple.WeaklyCongruent),
	"tile_to_shape": func(in []string) (string, error) {
		return text(layout.TileToShape(lay(in[0]), tup(in[1]), tup(in[2])))
	},
	"max_common_vector": func(in []string) (string, error) {
		l, err := layout.MaxCommon(lay(in[0]), lay(in[1]))
		return text(l.Size(), err)
	},
}

func truth(f func(a, b layout.Tuple) bool) operation {
	return func(in []string) (string, error) {
		return map[bool]string{true: "True", false: "False"}[f(tup(in[0]), tup(in[1]))], nil
	}
}

// tensor is how the package prints a layout behind a pointer to 16-bit elements that is aligned to 16 bytes, or a
// coordinate layout behind its first coordinate. The pointer's alignment shows what is known of the offset.
func tensor(l layout.Layout, off layout.Tuple, err error) (string, error) {
	if err != nil {
		return "", err
	}
	n, isInt := off.IsLeaf()
	for _, d := range l.Stride().Leaves() {
		isInt = isInt && len(d.Path()) == 0
	}
	if !isInt || l.Depth() == 0 { // the one of depth 0 is an identity
		return fmt.Sprintf("tensor<%v o %v>", off, l), nil
	}
	align := 16
	for n.Div() != 0 && n.Div()*2%align != 0 {
		align /= 2
	}
	if align == 2 {
		return fmt.Sprintf("tensor<ptr<f16,gmem> o %v>", l), nil
	}
	return fmt.Sprintf("tensor<ptr<f16,gmem,align<%d>> o %v>", align, l), nil
}

// tiling gives a layout and its offset from a layout and further operands.
type tiling func(l layout.Layout, in []string) (layout.Layout, layout.Tuple, error)

// tiles are the operations on tensors; for an identity tensor the layout is the identity of the operand's shape.
var tiles = map[string]tiling{
	"local_tile": func(l layout.Layout, in []string) (layout.Layout, layout.Tuple, error) {
		return layout.LocalTile(l, must(layout.Tile(tup(in[0]))).(layout.ByMode), tup(in[1]))
	},
	"local_tile_proj": func(l layout.Layout, in []string) (layout.Layout, layout.Tuple, error) {
		return layout.LocalTileBy(l, must(layout.Tile(tup(in[0]))).(layout.ByMode), tup(in[1]), tup(in[2]))
	},
	"local_partition": func(l layout.Layout, in []string) (layout.Layout, layout.Tuple, error) {
		return layout.LocalPartition(l, lay(in[0]), integer(in[1]))
	},
	"domain_offset": func(l layout.Layout, in []string) (layout.Layout, layout.Tuple, error) {
		off, err := layout.DomainOffset(l, tup(in[0]))
		return l, off, err
	},
	"logical_divide": atOrigin(layout.LogicalDivide),
	"zipped_divide":  atOrigin(layout.ZippedDivide),
	"tiled_divide":   atOrigin(layout.TiledDivide),
	"flat_divide":    atOrigin(layout.FlatDivide),
}

func atOrigin(f func(layout.Layout, layout.Tiler) (layout.Layout, error)) tiling {
	return func(l layout.Layout, in []string) (layout.Layout, layout.Tuple, error) {
		r, err := f(l, til(in[0]))
		if err != nil {
			return r, layout.Tuple{}, err
		}
		zero, err := l.Index(tup("0"))
		return r, zero, err
	}
}

func tileOperation(op string) operation {
	f := tiles[strings.TrimSuffix(strings.TrimSuffix(op, "_identity"), "_tensor")]
	return func(in []string) (string, error) {
		l := lay(in[0])
		if strings.HasSuffix(op, "_identity") {
			l = must(layout.Identity(l.Shape()))
		}
		return tensor(f(l, in[1:]))
	}
}

// swizzles take a swizzle, an offset and a layout.
var swizzles = map[string]operation{
	"make":    func(in []string) (string, error) { return text(comp(in), nil) },
	"swizzle": func(in []string) (string, error) { return text(comp(in), nil) },
	"cosize":  func(in []string) (string, error) { return text(comp(in).Layout.Cosize()) },
	"call":    func(in []string) (string, error) { return text(comp(in).Index(tup(in[3]))) },
	"slice": func(in []string) (string, error) {
		r, _, err := layout.SliceComposed(comp(in), tup(in[3]))
		return text(r, err)
	},
	"recast_layout": func(in []string) (string, error) {
		return text(layout.RecastComposed(number(in[3]), number(in[4]), comp(in)))
	},
}

// inner are the operations that go through Composed.Inner.
func inner(op string) operation {
	f, ok := algebra[op]
	if !ok {
		f = helpers[op]
	}
	return func(in []string) (string, error) {
		return text(comp(in).Inner(func(l layout.Layout) (layout.Layout, error) {
			s, err := f(append([]string{l.String()}, in[3:]...))
			if err != nil {
				return l, err
			}
			return lay(s), nil
		}))
	}
}

// values are operations on single integers that the tables write as layouts.
var values = map[string]operation{
	"mul":      onInts(layout.Int.Mul),
	"add":      onInts(layout.Int.Add),
	"floordiv": onInts(layout.Int.Quo),
	"stride_times": func(in []string) (string, error) {
		return text(layout.Compact(layout.T(tup(in[1]), tup("4"), tup(in[0]), tup("2"))))
	},
	"complement": func(in []string) (string, error) {
		target := tup("(" + strings.Replace(in[1], "*", ",", 1) + ")")
		return text(layout.Complement(lay(in[0]), target))
	},
	"make_layout": onLayout(sure(func(l layout.Layout) layout.Layout { return must(layout.New(l.Shape(), l.Stride())) })),
	"make_layout_of_value": func(in []string) (string, error) {
		f := layout.Int.Mul
		if in[1] == "?{div=6}" { // the last of the three is a sum
			f = layout.Int.Add
		}
		return onInts(f)(in[:2])
	},
}

func onInts(f func(a, b layout.Int) layout.Int) operation {
	return func(in []string) (string, error) {
		return text(layout.Compact(layout.Leaf(f(integer(in[0]), integer(in[1])))))
	}
}

// find gives the operation of a class of package.txt.
func find(class string) operation {
	group, op, _ := strings.Cut(class, " ")
	base := strings.TrimSuffix(strings.TrimSuffix(op, "_identity"), "_tensor")
	if group == "swizzle" {
		if f := swizzles[op]; f != nil {
			return f
		}
		return inner(op)
	}
	if f := values[op]; group == "dynamic" && f != nil {
		return f
	}
	if f := swizzles[op]; group == "dynamic" && op == "swizzle" {
		return f
	}
	if tiles[base] != nil && (group == "tile" || strings.HasPrefix(op, "local_")) {
		return tileOperation(op)
	}
	if f := algebra[op]; f != nil {
		return f
	}
	return helpers[op]
}
