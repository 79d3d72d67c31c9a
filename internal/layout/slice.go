package layout

import (
	"errors"
	"fmt"
)

// Slice keeps the modes that an underscore stands for: (_,0) of (4,8):(1,4) gives (4):(1). See [SliceAndOffset].
func Slice(l Layout, crd Tuple) (Layout, error) {
	r, _, err := SliceAndOffset(l, crd)
	return r, err
}

// SliceAndOffset also gives the offset of the coordinate, with 0 for the underscores.
func SliceAndOffset(l Layout, crd Tuple) (Layout, Tuple, error) {
	kept, err := sliceModes(crd, l)
	if err != nil {
		return Layout{}, Tuple{}, refuse("slice", err, l, crd)
	}
	off, err := index(crd, l)
	if err == nil {
		err = arithmetic(off)
	}
	if err != nil {
		return Layout{}, Tuple{}, refuse("slice", err, l, crd)
	}
	if crd.form == underscore {
		return l, off, nil
	}
	return Join(kept...), off, nil
}

// sliceModes gives what a coordinate keeps: for a list, its modes' keepings in a row.
func sliceModes(crd Tuple, l Layout) ([]Layout, error) {
	switch {
	case crd.form == underscore:
		return []Layout{l}, nil
	case crd.form == leaf:
		return nil, nil
	case l.shape.form != list || len(crd.list) != len(l.shape.list):
		return nil, fmt.Errorf("the coordinate %v does not fit the shape %v", crd, l.shape)
	}
	var kept []Layout
	for i, m := range l.Modes() {
		k, err := sliceModes(crd.list[i], m)
		if err != nil {
			return nil, err
		}
		kept = append(kept, k...)
	}
	return kept, nil
}

// Dice keeps of t the modes that crd has no underscore for: the opposite of slicing.
func Dice(crd, t Tuple) (Tuple, error) {
	r, err := dice(crd, t)
	if err != nil {
		return Tuple{}, refuse("dice", err, crd, t)
	}
	return T(r...), nil
}

func dice(crd, t Tuple) ([]Tuple, error) {
	switch {
	case crd.form == underscore:
		return nil, nil
	case crd.form == leaf:
		return []Tuple{t}, nil
	case t.form != list || len(t.list) != len(crd.list):
		return nil, errors.New("the ranks differ")
	}
	var r []Tuple
	for i, c := range crd.list {
		m, err := dice(c, t.list[i])
		if err != nil {
			return nil, err
		}
		r = append(r, m...)
	}
	return r, nil
}

// DomainOffset is the offset by which the layout moves when its coordinates are counted from crd.
func DomainOffset(l Layout, crd Tuple) (Tuple, error) { return l.Index(crd) }
