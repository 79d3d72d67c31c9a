package collective

import "github.com/cutile-go/cutile/internal/driver/mpi"

// moved has the types as which elements of a size are sent: their bits are all that matters.
var moved = map[int]mpi.Type{1: mpi.Uint8, 2: mpi.Uint16, 4: mpi.Uint32, 8: mpi.Uint64}

// moves gives the type as which the elements are sent, and their size.
func (r *Request) moves() (mpi.Type, int) {
	size := r.Elem.Size()
	return moved[size], size
}

func (c *Runner) allGather(r *Request, dst, src []byte) error {
	t, size := r.moves()
	a := arrays{size: size, dst: dst, src: src, dstRows: c.wire.Size(), srcRows: 1}
	return c.columns(a, c.most/c.wire.Size(), func(n int, dst, src []byte) error { return c.wire.Allgather(t, n, dst, src) })
}

func (c *Runner) allToAll(r *Request, dst, src []byte) error {
	t, size := r.moves()
	a := arrays{size: size, dst: dst, src: src, dstRows: c.wire.Size(), srcRows: c.wire.Size()}
	return c.columns(a, c.most/c.wire.Size(), func(n int, dst, src []byte) error { return c.wire.Alltoall(t, n, dst, src) })
}

func (c *Runner) broadcast(r *Request, dst, _ []byte) error {
	t, size := r.moves()
	return c.pieces(len(dst)/size, func(from, n int) error { return c.wire.Bcast(t, n, part(dst, size, from, n), r.Root) })
}

// gather has dst in the root alone.
func (c *Runner) gather(r *Request, dst, src []byte) error {
	t, size := r.moves()
	a := arrays{size: size, dst: dst, src: src, dstRows: c.rootRows(r), srcRows: 1}
	return c.columns(a, c.most/c.wire.Size(), func(n int, dst, src []byte) error { return c.wire.Gather(t, n, dst, src, r.Root) })
}

// scatter has src in the root alone.
func (c *Runner) scatter(r *Request, dst, src []byte) error {
	t, size := r.moves()
	a := arrays{size: size, dst: dst, src: src, dstRows: 1, srcRows: c.rootRows(r)}
	return c.columns(a, c.most/c.wire.Size(), func(n int, dst, src []byte) error { return c.wire.Scatter(t, n, dst, src, r.Root) })
}

// rootRows is the number of rows of an array that the root alone has.
func (c *Runner) rootRows(r *Request) int {
	if c.wire.Rank() == r.Root {
		return c.wire.Size()
	}
	return 0
}

func (c *Runner) send(r *Request, _, src []byte) error {
	t, size := r.moves()
	return c.pieces(len(src)/size, func(from, n int) error { return c.wire.Send(t, n, part(src, size, from, n), r.To) })
}

func (c *Runner) recv(r *Request, dst, _ []byte) error {
	t, size := r.moves()
	return c.pieces(len(dst)/size, func(from, n int) error { return c.wire.Recv(t, n, part(dst, size, from, n), r.From) })
}

func (c *Runner) sendRecv(r *Request, dst, src []byte) error {
	t, size := r.moves()
	out, in := len(src)/size, len(dst)/size
	for from := 0; from == 0 || from < max(out, in); from += c.most {
		n, m := min(max(out-from, 0), c.most), min(max(in-from, 0), c.most)
		if err := c.both(t, part(src, size, min(from, out), n), part(dst, size, min(from, in), m), n, m, from, r); err != nil {
			return err
		}
	}
	return nil
}

// both sends and receives a piece. Behind the first piece, a direction that has ended has no message any more.
func (c *Runner) both(t mpi.Type, src, dst []byte, n, m, from int, r *Request) error {
	switch {
	case from > 0 && m == 0:
		return c.wire.Send(t, n, src, r.To)
	case from > 0 && n == 0:
		return c.wire.Recv(t, m, dst, r.From)
	}
	return c.wire.SendRecv(t, n, src, r.To, m, dst, r.From)
}

// pieces calls f for parts of n elements that are not too long for a call. Without elements there is one call.
func (c *Runner) pieces(n int, f func(from, n int) error) error {
	for from := 0; from == 0 || from < n; from += c.most {
		if err := f(from, min(c.most, n-from)); err != nil {
			return err
		}
	}
	return nil
}

// arrays are matrices with a row for each process, or one row. One of both may have no rows.
type arrays struct {
	size             int // bytes of an element
	dst, src         []byte
	dstRows, srcRows int
}

// columns calls f for groups of at most that many columns, which it copies together where there are several groups.
func (c *Runner) columns(a arrays, most int, f func(n int, dst, src []byte) error) error {
	most = max(most, 1)
	n := (len(a.dst) + len(a.src)) / a.size / (a.dstRows + a.srcRows)
	if n <= most {
		return f(n, a.dst, a.src)
	}
	most = min(most, max(1, c.block/a.size))
	for from := 0; from < n; from += most {
		k := min(most, n-from)
		dst, src := c.room(0, a.dstRows*k*a.size), c.room(1, a.srcRows*k*a.size)
		for i := range a.srcRows {
			copy(part(src, a.size, i*k, k), part(a.src, a.size, i*n+from, k))
		}
		if err := f(k, dst, src); err != nil {
			return err
		}
		for i := range a.dstRows {
			copy(part(a.dst, a.size, i*n+from, k), part(dst, a.size, i*k, k))
		}
	}
	return nil
}
