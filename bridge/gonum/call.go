package tileblas

import (
	"context"
	"fmt"

	"github.com/cutile-go/cutile"
)

// call is one product on the device: its tensors and where they come from.
type call[E float] struct {
	x       *engine[E]
	tensors []*cutile.Tensor[E] // to be closed
	taken   []span              // of inUse
	scratch []*[]E              // copies, to be used again
}

// wrap makes a tensor of rows by ld elements of a slice, in place.
func (c *call[E]) wrap(data []E, rows, ld int) (*cutile.Tensor[E], error) {
	t, err := cutile.Wrap(c.x.dev, data[:rows*ld], rows, ld)
	if err == nil {
		c.tensors = append(c.tensors, t)
	}
	return t, err
}

// inPlace makes a tensor of a matrix in place. It is nil where that cannot be: the matrix ends early in its last row, or a part
// of its memory is wrapped already, by another matrix of this call, by another call, or by the program.
func (c *call[E]) inPlace(x matrix[E]) *cutile.Tensor[E] {
	if x.ends() {
		return nil
	}
	s := spanOf(x.data[:x.rows*x.ld])
	if !inUse.take(s) {
		return nil
	}
	t, err := c.wrap(x.data, x.rows, x.ld)
	if err != nil {
		inUse.leave(s)
		return nil
	}
	c.taken = append(c.taken, s)
	return t.Narrow(1, 0, x.cols)
}

// ends reports whether the slice ends before the stride of the last row does.
func (x matrix[E]) ends() bool { return len(x.data) < x.rows*x.ld }

// empty makes a matrix without gaps in memory of this package. Its elements are unspecified.
func (c *call[E]) empty(rows, cols int) matrix[E] {
	buf := c.x.buffer(rows * cols)
	c.scratch = append(c.scratch, buf)
	return matrix[E]{(*buf)[:rows*cols], rows, cols, cols}
}

// copied makes a tensor of a copy of a matrix.
func (c *call[E]) copied(x matrix[E]) (*cutile.Tensor[E], error) {
	y := c.empty(x.rows, x.cols)
	y.copy(x)
	return c.wrap(y.data, y.rows, y.ld)
}

// copy copies the elements of a matrix of the same extents.
func (x matrix[E]) copy(from matrix[E]) {
	for i := range x.rows {
		copy(x.row(i), from.row(i))
	}
}

// input makes a tensor of a factor.
func (c *call[E]) input(f factor[E]) (*cutile.Tensor[E], error) {
	t := c.inPlace(f.matrix)
	if t == nil {
		var err error
		if t, err = c.copied(f.matrix); err != nil {
			return nil, err
		}
	}
	if f.t {
		t = t.T()
	}
	return t, nil
}

// output makes a tensor of a matrix that is written, and read where that matters. Where it is a copy, out is the copy.
func (c *call[E]) output(x matrix[E], read bool) (t *cutile.Tensor[E], out matrix[E], err error) {
	if t := c.inPlace(x); t != nil {
		return t, out, nil
	}
	out = c.empty(x.rows, x.cols)
	if read {
		out.copy(x)
	}
	t, err = c.wrap(out.data, out.rows, out.ld)
	return t, out, err
}

// same reports whether two matrices are one.
func (x matrix[E]) same(y matrix[E]) bool {
	return &x.data[0] == &y.data[0] && x.rows == y.rows && x.cols == y.cols && x.ld == y.ld
}

// end waits for the work of a stream and gives everything back. The tensors are closed before the wait: their memory is free
// when the wait has ended, which the device finds out at its next work on memory, such as making the empty tensor.
func (c *call[E]) end(s *cutile.Stream) error {
	for _, t := range c.tensors {
		t.Close()
	}
	err := s.Sync(context.Background())
	if t, err := cutile.Wrap[E](c.x.dev, nil, 0); err == nil {
		t.Close()
	}
	for _, s := range c.taken {
		inUse.leave(s)
	}
	for _, b := range c.scratch {
		c.x.scratch.Put(b)
	}
	return err
}

// must ends the program's call with a panic where the device fails: BLAS has no errors. It fails if the program closed it.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("tileblas: %v: the device that New or Use got must stay open and usable while BLAS is in use", err))
	}
}
