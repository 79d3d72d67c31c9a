package reftest

import (
	"fmt"
	"reflect"

	"github.com/cutile-go/cutile/tileir"
)

// Equal compares all that a file holds. Attributes that are not given equal their defaults.
func Equal(a, b *tileir.Module) error {
	if a.Producer != b.Producer || len(a.Globals) != len(b.Globals) || len(a.Entries) != len(b.Entries) {
		return fmt.Errorf("producer or numbers of globals and entries differ")
	}
	for i := range a.Globals {
		if !reflect.DeepEqual(a.Globals[i], b.Globals[i]) {
			return fmt.Errorf("global %d: %+v and %+v", i, a.Globals[i], b.Globals[i])
		}
	}
	for i, e := range a.Entries {
		f := b.Entries[i]
		if e.Name != f.Name || e.Private != f.Private || !reflect.DeepEqual(e.Hints, f.Hints) || !reflect.DeepEqual(e.Loc, f.Loc) {
			return fmt.Errorf("entry %s: name, visibility, hints or place differ: %+v and %+v", e.Name, e, f)
		}
		c := comparer{}
		if err := c.define(e.Params, f.Params); err != nil {
			return err
		}
		if err := c.block(e.Body, f.Body); err != nil {
			return fmt.Errorf("entry %s: %w", e.Name, err)
		}
	}
	return nil
}

// comparer maps the values of one module to those of the other.
type comparer map[*tileir.Value]*tileir.Value

func (c comparer) define(a, b []*tileir.Value) error {
	if len(a) != len(b) {
		return fmt.Errorf("%d values and %d", len(a), len(b))
	}
	for i := range a {
		if !tileir.Identical(a[i].Type, b[i].Type) {
			return fmt.Errorf("value %d: %v and %v", i, a[i].Type, b[i].Type)
		}
		c[a[i]] = b[i]
	}
	return nil
}

func (c comparer) block(a, b *tileir.Block) error {
	if a == nil || b == nil {
		if a != b {
			return fmt.Errorf("one block is absent")
		}
		return nil
	}
	if err := c.define(a.Args, b.Args); err != nil {
		return fmt.Errorf("block arguments: %w", err)
	}
	if len(a.Ops) != len(b.Ops) {
		return fmt.Errorf("%d operations and %d", len(a.Ops), len(b.Ops))
	}
	for i := range a.Ops {
		if err := c.op(a.Ops[i], b.Ops[i]); err != nil {
			return fmt.Errorf("operation %d (%v): %w", i, a.Ops[i], err)
		}
	}
	return nil
}

func (c comparer) op(a, b *tileir.Op) error {
	if a.Info != b.Info || !reflect.DeepEqual(a.Segments, b.Segments) || len(a.Operands) != len(b.Operands) {
		return fmt.Errorf("other operation or operands: %v", b)
	}
	if !reflect.DeepEqual(a.Loc, b.Loc) {
		return fmt.Errorf("places %+v and %+v", a.Loc, b.Loc)
	}
	for i, v := range a.Operands {
		if c[v] != b.Operands[i] {
			return fmt.Errorf("operand %d is another value", i)
		}
	}
	for i := range a.Attrs {
		if x, y := Filled(a, i), Filled(b, i); !equalAttrs(x, y) {
			return fmt.Errorf("attribute %s: %v and %v", a.Info.Attrs[i].Name, x, y)
		}
	}
	if len(a.Regions) != len(b.Regions) {
		return fmt.Errorf("%d regions and %d", len(a.Regions), len(b.Regions))
	}
	for i := range a.Regions {
		if err := c.block(a.Regions[i], b.Regions[i]); err != nil {
			return err
		}
	}
	return c.define(a.Results, b.Results)
}

func equalAttrs(a, b tileir.Attr) bool {
	x, ok := a.(*tileir.Constant)
	y, ok2 := b.(*tileir.Constant)
	if ok && ok2 {
		return tileir.Identical(x.Type, y.Type) && string(x.Data) == string(y.Data)
	}
	return reflect.DeepEqual(a, b)
}

// Filled gives an attribute with its default in place of nothing.
func Filled(o *tileir.Op, i int) tileir.Attr {
	a := &o.Info.Attrs[i]
	v := o.Attrs[i]
	switch {
	case a.Coding == tileir.UnitAttr && v == nil:
		return tileir.Bool(false)
	case a.Coding == tileir.BoolArrayAttr && v == nil:
		return make(tileir.Bools, len(o.Group(o.Info.OperandIndex("index"))))
	case a.HasDefault && v == nil:
		return tileir.Int(a.Default)
	}
	return v
}
