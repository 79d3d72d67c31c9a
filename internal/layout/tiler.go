package layout

import "fmt"

// Tiler says what a layout is composed with or divided by: a [Layout] or a [ByMode].
type Tiler interface {
	fmt.Stringer
	isTiler()
}

// ByMode has one entry for each of the first modes of the layout that it tiles.
type ByMode []Entry

// Entry is the part of a [ByMode] for one mode: a layout, an integer n, which means n:1, or the whole mode.
type Entry struct {
	Layout Layout
	Whole  bool // the mode is left alone; Layout is not used
	plain  bool // written as an integer
}

func (Layout) isTiler() {}
func (ByMode) isTiler() {}

// Tile is the by-mode tiler of a tuple of integers and underscores, such as (16,_): a list has an entry per mode, an
// integer is the layout n:1. It refuses a nested tuple and a basis leaf.
func Tile(t Tuple) (Tiler, error) {
	if t.form == leaf && len(t.path) == 0 {
		return compact1(t.n), nil
	}
	b := ByMode{}
	for _, m := range t.Modes() {
		switch {
		case m.form == underscore:
			b = append(b, Entry{Whole: true})
		case m.form == leaf && len(m.path) == 0:
			b = append(b, Entry{Layout: compact1(m.n), plain: true})
		default:
			return nil, refuse("make_tile", fmt.Errorf("%v is neither an integer nor _", m), t)
		}
	}
	return b, nil
}

// TileOf is the by-mode tiler of static sizes.
func TileOf(sizes ...int) ByMode {
	b := make(ByMode, len(sizes))
	for i, n := range sizes {
		b[i] = Entry{Layout: compact1(N(n)), plain: true}
	}
	return b
}

// fits reports why a by-mode tiler has too many entries.
func (b ByMode) fits(l Layout) error {
	if len(b) > l.Rank() {
		return fmt.Errorf("the tiler has %d modes, the layout %d", len(b), l.Rank())
	}
	return nil
}
