package collective

import (
	"errors"
	"fmt"
	"sync"

	"github.com/cutile-go/cutile/internal/driver/mpi"
)

// hub stands for MPI between goroutines. It does not share code with the package: it adds in float64, and copies elements one by one.
type hub struct {
	mu    sync.Mutex
	moved sync.Cond
	round int
	came  int
	srcs  [][]byte
	dsts  [][]byte
	mail  map[[2]int][][]byte
	most  int // elements in a call

	broken bool // a rank has failed: the others must not wait for it
}

// fail lets those that wait go.
func (h *hub) fail() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.broken = true
	h.moved.Broadcast()
}

var errBroken = errors.New("another rank has failed")

func newHub(ranks, most int) *hub {
	h := &hub{srcs: make([][]byte, ranks), dsts: make([][]byte, ranks), mail: map[[2]int][][]byte{}, most: most}
	h.moved.L = &h.mu
	return h
}

// wire is what a rank sees.
type wire struct {
	*hub
	rank int
}

func (w wire) Rank() int { return w.rank }
func (w wire) Size() int { return len(w.srcs) }

// meet waits for all ranks; the last one does the work of all.
func (w wire) meet(dst, src []byte, do func()) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dsts[w.rank], w.srcs[w.rank] = dst, append([]byte(nil), src...)
	round := w.round
	if w.came++; w.came == w.Size() {
		do()
		w.came = 0
		w.round++
		w.moved.Broadcast()
	}
	for w.round == round && !w.broken {
		w.moved.Wait()
	}
	if w.broken {
		return errBroken
	}
	return nil
}

// counts refuses calls with more elements than MPI would take.
func (w wire) counts(n int) error {
	if n > w.most {
		return fmt.Errorf("a call with %d elements, of at most %d", n, w.most)
	}
	return nil
}

var sizes = map[mpi.Type]int{mpi.Uint8: 1, mpi.Uint16: 2, mpi.Uint32: 4, mpi.Uint64: 8, mpi.Int64: 8, mpi.Float32: 4, mpi.Int32: 4}

func (w wire) Barrier() error { return w.meet(nil, nil, func() {}) }

// sum reduces element i of all ranks, of the two types that the tests send here.
func (w wire) sum(t mpi.Type, to []byte, at, from int) {
	switch t {
	case mpi.Float32:
		x := 0.0
		for _, src := range w.srcs {
			x += float64(elems[float32](src)[from])
		}
		elems[float32](to)[at] = float32(x)
	case mpi.Int32:
		x := int32(0)
		for _, src := range w.srcs {
			x += elems[int32](src)[from]
		}
		elems[int32](to)[at] = x
	}
}

func (w wire) Allreduce(op mpi.Op, t mpi.Type, n int, dst, src []byte) error {
	if err := w.counts(n); err != nil || op != mpi.Sum {
		return fmt.Errorf("op %d, %v", op, err)
	}
	return w.meet(dst, src, func() {
		for _, to := range w.dsts {
			for i := range n {
				w.sum(t, to, i, i)
			}
		}
	})
}

func (w wire) ReduceScatter(op mpi.Op, t mpi.Type, n int, dst, src []byte) error {
	if err := w.counts(n * w.Size()); err != nil || op != mpi.Sum {
		return fmt.Errorf("op %d, %v", op, err)
	}
	return w.meet(dst, src, func() {
		for rank, to := range w.dsts {
			for i := range n {
				w.sum(t, to, i, rank*n+i)
			}
		}
	})
}

func (w wire) Allgather(t mpi.Type, n int, dst, src []byte) error {
	if err := w.counts(n * w.Size()); err != nil {
		return err
	}
	return w.meet(dst, src, func() {
		for _, to := range w.dsts {
			for rank, from := range w.srcs {
				copy(to[rank*n*sizes[t]:(rank+1)*n*sizes[t]], from)
			}
		}
	})
}

func (w wire) Alltoall(t mpi.Type, n int, dst, src []byte) error {
	if err := w.counts(n * w.Size()); err != nil {
		return err
	}
	return w.meet(dst, src, func() {
		for i, to := range w.dsts {
			for j, from := range w.srcs {
				copy(to[j*n*sizes[t]:(j+1)*n*sizes[t]], from[i*n*sizes[t]:])
			}
		}
	})
}

func (w wire) Bcast(t mpi.Type, n int, buf []byte, root int) error {
	if err := w.counts(n); err != nil {
		return err
	}
	return w.meet(buf, buf, func() {
		for _, to := range w.dsts {
			copy(to[:n*sizes[t]], w.srcs[root])
		}
	})
}

// Reduce, Gather and Scatter read and write the arrays of the root alone where it alone has them: those of the others may be nil.
func (w wire) Reduce(op mpi.Op, t mpi.Type, n int, dst, src []byte, root int) error {
	if err := w.counts(n); err != nil || op != mpi.Sum {
		return fmt.Errorf("op %d, %v", op, err)
	}
	return w.meet(dst, src, func() {
		for i := range n {
			w.sum(t, w.dsts[root], i, i)
		}
	})
}

func (w wire) Gather(t mpi.Type, n int, dst, src []byte, root int) error {
	if err := w.counts(n * w.Size()); err != nil {
		return err
	}
	return w.meet(dst, src, func() {
		for rank, from := range w.srcs {
			copy(w.dsts[root][rank*n*sizes[t]:(rank+1)*n*sizes[t]], from)
		}
	})
}

func (w wire) Scatter(t mpi.Type, n int, dst, src []byte, root int) error {
	if err := w.counts(n * w.Size()); err != nil {
		return err
	}
	return w.meet(dst, src, func() {
		for rank, to := range w.dsts {
			copy(to[:n*sizes[t]], w.srcs[root][rank*n*sizes[t]:])
		}
	})
}

func (w wire) Send(t mpi.Type, n int, src []byte, to int) error {
	if err := w.counts(n); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	key := [2]int{w.rank, to}
	w.mail[key] = append(w.mail[key], append([]byte{}, src[:n*sizes[t]]...))
	w.moved.Broadcast()
	return nil
}

func (w wire) Recv(t mpi.Type, n int, dst []byte, from int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := [2]int{from, w.rank}
	for len(w.mail[key]) == 0 && !w.broken {
		w.moved.Wait()
	}
	if w.broken {
		return errBroken
	}
	message := w.mail[key][0]
	w.mail[key] = w.mail[key][1:]
	if len(message) != n*sizes[t] || n > w.most {
		return fmt.Errorf("a message of %d bytes for %d elements", len(message), n)
	}
	copy(dst, message)
	return nil
}

func (w wire) SendRecv(t mpi.Type, n int, src []byte, to, m int, dst []byte, from int) error {
	if err := w.Send(t, n, src, to); err != nil {
		return err
	}
	return w.Recv(t, m, dst, from)
}
