package reduce

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/toolbox/modrun"
	"github.com/cutile-go/cutile/tileir"
)

// Differing is a test of which modules are interesting whose launch gives other results on one engine than on another, or a fault on one
// alone. What an engine has no code for is not interesting, and neither is a fault of both. Parameters stay: see [Options].
type Differing struct {
	Launch    *modrun.Launch
	Engines   [2]*Engine
	Tolerance float64       // the greatest difference of floats that counts as none, as a part of the greater one; 0 for equal bits, where all NaN are equal
	Limit     time.Duration // of a launch, which then is a fault; 0 for none

	// What the first module was: another kind of difference is another fault.
	known bool
	fault [2]bool
	diff  string
}

// Test is the [Test].
func (d *Differing) Test(ctx context.Context, m *tileir.Module) (bool, error) {
	f := toolbox.File{Name: "the module", Module: m}
	e, err := f.Entry(d.Launch.Entry)
	if err != nil {
		return false, d.first(err)
	}
	bound, err := d.Launch.Bind(e)
	if err != nil {
		return false, d.first(err)
	}
	before, err := bound.Memory()
	if err != nil {
		return false, err
	}
	var after [2][][]byte
	var fault [2]bool
	for i, eng := range d.Engines {
		l := &Launch{Entry: e.Name, Grid: d.Launch.Grid, Bits: bound.Bits}
		for _, data := range before {
			l.Memory = append(l.Memory, slices.Clone(data))
		}
		err := d.run(ctx, eng, m, l)
		var refused *Refused
		if errors.As(err, &refused) {
			return false, d.first(fmt.Errorf("%s has no code for it: %w", eng.Name, err))
		}
		after[i], fault[i] = l.Memory, err != nil
		if err != nil && d.diff == "" {
			d.diff = eng.Name + ": " + err.Error()
		}
	}
	differ := fault[0] != fault[1]
	if !fault[0] && !fault[1] {
		text := d.compare(e, after)
		if differ = text != ""; !d.known {
			d.diff = text
		}
	}
	if !d.known {
		d.known, d.fault = differ, fault
	}
	return differ && fault == d.fault, nil
}

// Difference says how the results of the first module differ.
func (d *Differing) Difference() string { return d.diff }

// first is an error that counts for the first module alone: later ones are just not interesting.
func (d *Differing) first(err error) error {
	if d.known {
		return nil
	}
	return err
}

// run runs a module within the time.
func (d *Differing) run(ctx context.Context, eng *Engine, m *tileir.Module, l *Launch) error {
	if d.Limit > 0 {
		within, cancel := context.WithTimeout(ctx, d.Limit)
		defer cancel()
		ctx = within
	}
	return eng.Run(ctx, m, l)
}

// compare says where two results differ; "" for nowhere.
func (d *Differing) compare(e *tileir.Entry, after [2][][]byte) string {
	for i, p := range e.Params {
		a, b := after[0][i], after[1][i]
		if bytes.Equal(a, b) {
			continue
		}
		elem := p.Type.(*tileir.TileType).Elem
		if elem.PerByte() > 1 {
			return fmt.Sprintf("parameter %d differs", i)
		}
		for at, size := 0, elem.Bytes(); at+size <= len(a); at += size {
			if x, y := element(a[at:at+size]), element(b[at:at+size]); x != y && !d.near(elem, x, y) {
				return fmt.Sprintf("element %d of parameter %d is %s on %s, and %s on %s", at/size, i, spell(elem, x), d.Engines[0].Name, spell(elem, y), d.Engines[1].Name)
			}
		}
	}
	return ""
}

// element is the bits of an element.
func element(data []byte) uint64 {
	var b [8]byte
	copy(b[:], data)
	return binary.LittleEndian.Uint64(b[:])
}

// near reports whether two floats are as good as equal.
func (d *Differing) near(e tileir.Elem, x, y uint64) bool {
	if !e.IsFloat() {
		return false
	}
	a, b := tileir.FloatOf(e, x), tileir.FloatOf(e, y)
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= d.Tolerance*max(math.Abs(a), math.Abs(b)) && d.Tolerance > 0
}

func spell(e tileir.Elem, bits uint64) string {
	if e.IsFloat() {
		return fmt.Sprint(tileir.FloatOf(e, bits))
	}
	return fmt.Sprintf("%#x", bits)
}
