package text

import (
	"slices"
	"strings"

	"github.com/cutile-go/cutile/tileir"
)

// Limits of types in a text, those of the bytecode's reader.
const maxParseRank = 64

// typ reads a type.
func (r *parser) typ() tileir.Type {
	at := r.here()
	if r.accept("! " + dialect) {
		r.skip()
		return r.typeWord(r.pos)
	}
	if r.accept("!") {
		name := r.word()
		if t := r.typeAliases[name]; t != nil {
			return t
		}
		r.failf(at, "!%s is not defined", name)
	}
	return r.typeWord(at)
}

// typeWord reads a type by its name in the dialect.
func (r *parser) typeWord(at int) tileir.Type {
	switch word := r.ident("a type"); word {
	case "token":
		return tileir.Token
	case "tile":
		return r.tileType()
	case "tensor_view":
		return r.tensorView()
	case "partition_view", "strided_view", "gather_scatter_view":
		if r.opts.Version < tileir.V13_3 && word != "partition_view" {
			r.failf(at, "%s needs version %v, but the text is read for %v", word, tileir.V13_3, r.opts.Version)
		}
		return r.viewType(word)
	}
	if word := r.src[at:r.pos]; word == "ptr" || slices.ContainsFunc(tileir.Elems(), func(e tileir.Elem) bool { return e.String() == word }) {
		r.pos = at
		return r.scalar()
	}
	r.failAt(at, "a type")
	return nil
}

// elem reads an element type.
func (r *parser) elem() tileir.Elem {
	at := r.here()
	word := r.ident("an element type")
	for _, e := range tileir.Elems() {
		if e.String() == word {
			if e.Since() > r.opts.Version {
				r.failf(at, "type %v needs version %v, but the text is read for %v", e, e.Since(), r.opts.Version)
			}
			return e
		}
	}
	r.failAt(at, "an element type such as f32")
	return tileir.NoElem
}

// shape reads the extents before an element type, each with an x after it.
func shape[T int | int64](r *parser, extent func() T) []T {
	var out []T
	for {
		r.skip()
		if r.pos == len(r.src) || r.src[r.pos] != '?' && (r.src[r.pos] < '0' || r.src[r.pos] > '9') {
			return out
		}
		at := r.pos
		if out = append(out, extent()); len(out) > maxParseRank {
			r.failf(at, "more than %d extents", maxParseRank)
		}
		if r.pos == len(r.src) || r.src[r.pos] != 'x' {
			r.fail(`"x" after an extent`)
		}
		r.pos++
	}
}

// scalar reads an element type, or a pointer to one.
func (r *parser) scalar() tileir.ScalarType {
	r.accept("! " + dialect)
	if !r.accept("ptr <") {
		return tileir.ScalarType{Elem: r.elem()}
	}
	s := tileir.ScalarType{Elem: r.elem(), Pointer: true}
	if r.accept(",") {
		r.pointerAttr("<")
		s.PtrAttr = true
	}
	r.expect(">")
	return s
}

func (r *parser) tileExtent() int { return int(r.natural("an extent", tileir.MaxTileSize)) }

func (r *parser) tileType() *tileir.TileType {
	r.expect("<")
	at := r.here()
	t := &tileir.TileType{Shape: shape(r, r.tileExtent)}
	size := 1
	for _, d := range t.Shape {
		if size *= d; d < 1 || size > tileir.MaxTileSize {
			r.failf(at, "a tile has 1 to %d elements", tileir.MaxTileSize)
		}
	}
	s := r.scalar()
	t.Elem, t.Pointer, t.PtrAttr = s.Elem, s.Pointer, s.PtrAttr
	r.expect(">")
	return t
}

// tensorExtent reads an extent or stride, a question mark where it is known only when the kernel runs.
func (r *parser) tensorExtent() int64 {
	if r.accept("?") {
		return tileir.Dynamic
	}
	at := r.here()
	x := r.integer("an extent, or ? where it is dynamic")
	if x == tileir.Dynamic {
		r.failf(at, "%d is not a positive extent or stride", x)
	}
	return x
}

// pointerAttr reads the pointer attribute.
func (r *parser) pointerAttr(open string) {
	at := r.here()
	r.expect(open)
	r.enum(tileir.PtrAttr)
	r.expect(">")
	if r.opts.Version < tileir.V13_4 {
		r.failf(at, "pointer attributes need version %v, but the text is read for %v", tileir.V13_4, r.opts.Version)
	}
}

func (r *parser) tensorView() *tileir.TensorViewType {
	r.expect("<")
	t := &tileir.TensorViewType{Shape: shape(r, r.tensorExtent)}
	t.Elem = r.elem()
	at := r.here()
	if r.accept(", strides = [") {
		if len(t.Shape) == 0 {
			r.failf(at, "a tensor of rank 0 has no strides")
		}
		r.list("]", func() { t.Strides = append(t.Strides, r.tensorExtent()) })
	}
	if r.accept(",") {
		r.pointerAttr("# cuda_tile.ptr_attr <")
		t.PtrAttr = true
	}
	r.expect(">")
	return t
}

// viewType reads what follows the name of a view of tiles.
func (r *parser) viewType(word string) tileir.Type {
	r.expect("< tile = (")
	tile := []int{r.tileExtent()}
	for r.pos < len(r.src) && r.src[r.pos] == 'x' {
		if len(tile) == maxParseRank {
			r.failf(r.pos, "more than %d extents", maxParseRank)
		}
		r.pos++
		tile = append(tile, r.tileExtent())
	}
	r.expect(") ,")
	var traversal []int
	if word == "strided_view" {
		r.expect("traversal_strides =")
		traversal = r.ints()
		r.expect(",")
	}
	padding := tileir.NoPadding
	if r.accept("padding_value") {
		r.expect("=")
		padding = r.padding()
		r.expect(",")
	}
	r.accept("! " + dialect)
	r.expect("tensor_view")
	tensor := r.tensorView()
	var view tileir.Type
	switch word {
	case "partition_view":
		view = &tileir.PartitionViewType{Tile: tile, Tensor: tensor, DimMap: r.dimMap(len(tile)), Padding: padding}
	case "strided_view":
		view = &tileir.StridedViewType{Tile: tile, Traversal: traversal, Tensor: tensor, DimMap: r.dimMap(len(tile)), Padding: padding}
	default:
		r.expect(", sparse_dim =")
		sparse := int(r.natural("a dimension", 1<<31-1))
		view = &tileir.GatherScatterViewType{Tile: tile, Tensor: tensor, SparseDim: sparse, Padding: padding}
	}
	r.expect(">")
	return view
}

// padding reads a padding value.
func (r *parser) padding() tileir.Padding {
	var names []string
	for _, v := range tileir.PaddingValue.Values {
		if r.accept(v.Text) {
			return tileir.Padding(v.Value)
		}
		names = append(names, v.Text)
	}
	r.fail("a padding value, one of " + strings.Join(names, " "))
	return tileir.NoPadding
}

// dimMap reads the dimension map, which is left out where it is the identity.
func (r *parser) dimMap(rank int) []int {
	if r.accept(", dim_map =") {
		return r.ints()
	}
	out := make([]int, rank)
	for i := range out {
		out[i] = i
	}
	return out
}

// ints reads integers of 32 bits in brackets.
func (r *parser) ints() []int {
	out := []int{}
	r.expect("[")
	r.list("]", func() {
		at := r.here()
		x := r.integer("an integer")
		if int64(int32(x)) != x {
			r.failf(at, "%d does not fit 32 bits", x)
		}
		out = append(out, int(x))
	})
	return out
}
