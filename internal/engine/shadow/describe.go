package shadow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/internal/engine"
)

// orders is how often a launch that differs is repeated, each time with its blocks in another order.
const orders = 3

// errOrder is why a launch whose results depend on the order of its blocks, or threads, is not compared.
var errOrder = errors.New("its results depend on the order in which its blocks run, on the CPU, too")

// describe makes the difference of a finding: it repeats the launch with checks and finds the store. The error says why it is no difference.
func (s *stream) describe(ctx context.Context, l launch, parts []*part, f *finding) (*engine.Difference, error) {
	d := &engine.Difference{Fault: engine.Fault{Kernel: l.title()}, Index: f.index, Count: f.count, Elements: f.elements}
	got, want := parts[f.part].got[f.off:f.off+f.size], parts[f.part].want[f.off:f.off+f.size]
	if f.tensor != nil {
		d.Tensor = f.tensor.Name
	}
	if f.index != nil {
		d.Got, d.Want = show(f.tensor.Elem, got), show(f.tensor.Elem, want)
	} else {
		d.Got, d.Want = fmt.Sprintf("%#x", got[0]), fmt.Sprintf("%#x", want[0])
	}
	why, err := s.search(ctx, l, parts, f, d)
	if err != nil {
		return nil, err
	}
	d.Text = f.place() + fmt.Sprintf(" is %s on %s, but %s %s; ", d.Got, s.d.Name(), d.Want, s.d.where) + f.extent() + "; " + why + l.hint()
	return d, nil
}

// place names what differs.
func (f *finding) place() string {
	switch {
	case f.tensor == nil:
		return fmt.Sprintf("byte %d of the memory of an argument", f.off)
	case f.index == nil:
		return fmt.Sprintf("byte %d of the memory of %s, outside of the tensor,", f.off, f.tensor.Name)
	}
	return fmt.Sprintf("element (%s) of %s", strings.Trim(strings.Join(strings.Fields(fmt.Sprint(f.index)), ", "), "[]"), f.tensor.Name)
}

// extent says how much differs.
func (f *finding) extent() string {
	switch {
	case f.index == nil:
		return fmt.Sprintf("%d bytes there differ", f.count)
	case f.tolerance == 0:
		return fmt.Sprintf("%d of %d elements of type %s differ", f.count, f.elements, f.tensor.Elem.Name)
	}
	return fmt.Sprintf("%d of %d elements of type %s differ, with a relative tolerance of %.2g", f.count, f.elements, f.tensor.Elem.Name, f.tolerance)
}

// search repeats a launch that differs, and puts block and line of the store into the difference. It gives what it found as text. The error
// says why there is no difference.
func (s *stream) search(ctx context.Context, l launch, parts []*part, f *finding, d *engine.Difference) (string, error) {
	s.d.finding.Lock()
	defer s.d.finding.Unlock()
	within, cancel := context.WithTimeout(ctx, s.d.opts.Time)
	defer cancel()
	var store engine.Store
	var usual []byte
	for n := range orders {
		a, found, err := l.again(within, parts, n, f)
		if within.Err() != nil {
			if n > 0 {
				break
			}
			return fmt.Sprintf("the search for its store takes longer than %v (Shadow.Time)", s.d.opts.Time), nil
		}
		if err != nil {
			if fault, ok := isFault(err); ok {
				d.Block, d.Known, d.Loc = fault.Block, fault.Known, fault.Loc
				return "with checks, the launch ends with: " + fault.Text, nil
			}
			return "its store was not found: " + err.Error(), nil
		}
		element := bytes.Clone(a.memory[f.part][f.off : f.off+f.size])
		a.free()
		if n == 0 {
			store, usual = found, element
		} else if !bytes.Equal(element, usual) {
			return "", errOrder
		}
	}
	if !store.Found {
		return "no block stores it " + s.d.where, nil
	}
	d.Block, d.Known, d.Loc = store.Block, true, store.Loc
	if store.Blocks > 1 {
		return fmt.Sprintf("%s this %s stores it, in the last of %d blocks that do", s.d.where, store.Op, store.Blocks), nil
	}
	return fmt.Sprintf("%s this %s stores it", s.d.where, store.Op), nil
}
