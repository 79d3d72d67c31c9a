package collective

import (
	"unsafe"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/driver/mpi"
)

// number says how elements of a type are reduced.
type number struct {
	mpi   mpi.Type
	ops   ops  // what MPI computes
	float bool // the order of a sum matters
	// reduce reduces rows of n elements in an order. It may change the rows.
	reduce func(r *Request, dst, rows []byte, n int)
}

// ops is a set of reductions.
type ops uint

const (
	sums = ops(1<<mpi.Sum | 1<<mpi.Product)
	both = sums | 1<<mpi.Max | 1<<mpi.Min
)

// numbers has what MPI is asked for: what all libraries compute alike. MPI leaves open which of NaN and a number is the greater. Open MPI 4.1.4 makes the
// greatest number of sums of 8 and 16 bits that should wrap around, on processors with AVX, and MPICH 4.0.2 compares unsigned integers as if they
// had a sign.
var numbers = map[dtype.Type]number{
	dtype.I8: {reduce: plain[int8]}, dtype.I16: {reduce: plain[int16]}, dtype.U8: {reduce: plain[uint8]}, dtype.U16: {reduce: plain[uint16]},
	dtype.I32: {mpi.Int32, both, false, plain[int32]}, dtype.I64: {mpi.Int64, both, false, plain[int64]},
	dtype.U32: {mpi.Uint32, sums, false, plain[uint32]}, dtype.U64: {mpi.Uint64, sums, false, plain[uint64]},
	dtype.F32: {mpi.Float32, sums, true, plain[float32]}, dtype.F64: {mpi.Float64, sums, true, plain[float64]},
	dtype.F16:  {float: true, reduce: widened(dtype.Float16sToFloat32s, dtype.Float16sFromFloat32s)},
	dtype.BF16: {float: true, reduce: widened(dtype.BFloat16sToFloat32s, dtype.BFloat16sFromFloat32s)},
}

// native reports whether MPI itself reduces so.
func (r *Request) native() bool {
	n := numbers[r.Elem]
	return n.ops&(1<<r.Op) != 0 && !(n.float && r.Order != Any)
}

func (c *Runner) allReduce(r *Request, dst, src []byte) error {
	if r.native() {
		return c.blocks(r, c.most, dst, src, func(n int, dst, src []byte) error { return c.wire.Allreduce(r.Op, numbers[r.Elem].mpi, n, dst, src) })
	}
	t, size := r.moves()
	return c.blocks(r, c.wire.Size()*c.columnsHere(size), dst, src, func(_ int, dst, src []byte) error {
		return c.reduceHere(r, dst, src, true, func(n int, all, own []byte) error { return c.wire.Allgather(t, n, all, own) })
	})
}

// reduce has dst in the root alone.
func (c *Runner) reduce(r *Request, dst, src []byte) error {
	if r.native() {
		if len(dst) > 0 && &dst[0] == &src[0] { // which the call does not take
			src = c.room(0, len(dst))
			copy(src, dst)
		}
		return c.blocks(r, c.most, dst, src, func(n int, dst, src []byte) error {
			return c.wire.Reduce(r.Op, numbers[r.Elem].mpi, n, dst, src, r.Root)
		})
	}
	t, size := r.moves()
	return c.blocks(r, c.wire.Size()*c.columnsHere(size), dst, src, func(_ int, dst, src []byte) error {
		return c.reduceHere(r, dst, src, c.wire.Rank() == r.Root, func(n int, all, own []byte) error { return c.wire.Gather(t, n, all, own, r.Root) })
	})
}

// blocks calls f for blocks of at most that many elements of src, and of dst if there is one.
func (c *Runner) blocks(r *Request, most int, dst, src []byte, f func(n int, dst, src []byte) error) error {
	size := r.Elem.Size()
	n := len(src) / size
	for from := 0; from < n; from += most {
		k := min(most, n-from)
		var to []byte
		if dst != nil {
			to = part(dst, size, from, k)
		}
		if err := f(k, to, part(src, size, from, k)); err != nil {
			return err
		}
	}
	return nil
}

// columnsHere is how many elements of a part are reduced here at once.
func (c *Runner) columnsHere(size int) int { return max(1, min(c.block/size, c.most/c.wire.Size())) }

// reduceHere reduces: each process gets one part of all arrays and reduces it, and collect brings the parts together, of n elements each, in
// all, if this process gets them.
func (c *Runner) reduceHere(r *Request, dst, src []byte, gets bool, collect func(n int, all, own []byte) error) error {
	t, size := r.moves()
	ranks := c.wire.Size()
	n := (len(src)/size + ranks - 1) / ranks
	all := src
	if n*ranks*size > len(src) { // the last part is shorter
		all = c.room(0, n*ranks*size)
		clear(all[copy(all, src):])
	}
	rows, own := c.room(1, n*ranks*size), c.room(2, n*size)
	if err := c.wire.Alltoall(t, n, rows, all); err != nil {
		return err
	}
	numbers[r.Elem].reduce(r, own, rows, n)
	if !gets || len(all) == len(src) {
		return collect(n, dst, own)
	}
	if err := collect(n, all, own); err != nil {
		return err
	}
	copy(dst, all)
	return nil
}

func (c *Runner) reduceScatter(r *Request, dst, src []byte) error {
	t, size := r.moves()
	ranks := c.wire.Size()
	a := arrays{size: size, dst: dst, src: src, dstRows: 1, srcRows: ranks}
	if r.native() {
		return c.columns(a, c.most/ranks, func(n int, dst, src []byte) error {
			return c.wire.ReduceScatter(r.Op, numbers[r.Elem].mpi, n, dst, src)
		})
	}
	return c.columns(a, c.columnsHere(size), func(n int, dst, src []byte) error {
		rows := c.room(2, len(src))
		if err := c.wire.Alltoall(t, n, rows, src); err != nil {
			return err
		}
		numbers[r.Elem].reduce(r, dst, rows, n)
		return nil
	})
}

// elems gives the elements of bytes.
func elems[E any](b []byte) []E {
	return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(E))))
}

// bytesOf is the reverse.
func bytesOf[E any](s []E) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(E))))
}

// plain reduces elements that Go computes with.
func plain[E arithmetic](r *Request, dst, rows []byte, n int) {
	d, all := elems[E](dst)[:n], elems[E](rows)
	loop := loops[E]()[r.Op]
	if r.Order == Tree {
		for step := n; step < len(all); step *= 2 {
			for i := 0; i+step < len(all); i += 2 * step {
				loop(all[i:i+n], all[i+step:i+step+n])
			}
		}
		copy(d, all[:n])
		return
	}
	for i := 0; i < len(all); i += n {
		if i == 0 {
			copy(d, all[:n])
			continue
		}
		loop(d, all[i:i+n])
	}
}

// strip is how many elements are reduced in float32 at a time.
const strip = 1024

// widened reduces elements in float32 in the order of rows; each result is rounded once.
func widened[E ~uint16](widen func(dst []float32, src []E), narrow func(dst []E, src []float32)) func(r *Request, dst, rows []byte, n int) {
	return func(r *Request, dst, rows []byte, n int) {
		d, all := elems[E](dst)[:n], elems[E](rows)
		loop := loops[float32]()[r.Op]
		var sum, next [strip]float32
		for from := 0; from < n; from += strip {
			k := min(strip, n-from)
			for i := from; i < len(all); i += n {
				if i == from {
					widen(sum[:k], all[i:i+k])
					continue
				}
				widen(next[:k], all[i:i+k])
				loop(sum[:k], next[:k])
			}
			narrow(d[from:from+k], sum[:k])
		}
	}
}

// arithmetic lists the elements that Go computes with.
type arithmetic interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// loops has the reductions of a row into another.
func loops[E arithmetic]() [4]func(d, s []E) {
	return [...]func(d, s []E){
		mpi.Sum: func(d, s []E) {
			for i, x := range s {
				d[i] += x
			}
		},
		mpi.Product: func(d, s []E) {
			for i, x := range s {
				d[i] *= x
			}
		},
		mpi.Max: func(d, s []E) {
			for i, x := range s {
				d[i] = max(d[i], x)
			}
		},
		mpi.Min: func(d, s []E) {
			for i, x := range s {
				d[i] = min(d[i], x)
			}
		},
	}
}
