package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"unsafe"

	"github.com/cutile-go/cutile/internal/emulate/races"
	"github.com/cutile-go/cutile/internal/engine"
)

// watch looks, during one launch, for what a GPU leaves undefined: accesses beyond the tensor that a pointer came from,
// tiles wholly outside their views, races between blocks. Each tensor gets addresses of its own, an alias of its part of
// the buffer, so that an address tells which tensor it came from whatever the kernel did to it.
type watch struct {
	*engine.Watch
	kernel   *variant
	grid     [3]uint32
	races    *races.Detector
	memories map[*Buffer]*races.Memory // nil: nobody writes there
	aliases  []*Buffer
	order    blockOrder
	find     *Buffer // of the byte whose stores are looked for; nil for none
	findAt   int64   // of that byte
}

// newWatch prepares a launch and puts the addresses of the aliases into its arguments.
func newWatch(k *variant, w *engine.Watch, grid [3]uint32, args []uint64) (*watch, error) {
	total := int64(grid[0]) * int64(grid[1]) * int64(grid[2])
	q := &watch{Watch: w, kernel: k, grid: grid, memories: map[*Buffer]*races.Memory{}, order: k.nextOrder(total)}
	if total < 1<<32 { // others would not end in a lifetime
		q.races = races.New(total, k.traits.orders, &k.device.pages)
	}
	if w.Find != nil {
		if q.find = k.device.table.find(w.Find.Address); q.find != nil {
			q.findAt = int64(w.Find.Address - q.find.base)
		}
	}
	grain, written := map[*Buffer]int{}, map[*Buffer]bool{}
	for i := range w.Tensors {
		t := &w.Tensors[i]
		root := k.device.table.find(args[t.Arg])
		if root == nil || root.of != nil {
			continue // a tensor without elements
		}
		off := int64(args[t.Arg] - root.base)
		if off < 0 || off+t.Bytes() > root.size {
			continue
		}
		a, err := k.device.table.alias(root, off, t)
		if err != nil {
			q.close()
			return nil, err
		}
		q.aliases = append(q.aliases, a)
		args[t.Arg] = a.base
		if g, ok := grain[root]; !ok || t.Size < g {
			grain[root] = t.Size
		}
		written[root] = written[root] || t.Writes
	}
	for root, w := range written {
		if q.memories[root] = nil; w && q.races != nil {
			q.memories[root] = q.newMemory(root, grain[root])
		}
	}
	return q, nil
}

// newMemory makes the cells of a buffer; where pointers may change their type, of the kernel's smallest access.
func (q *watch) newMemory(root *Buffer, grain int) *races.Memory {
	if q.kernel.traits.recasts || grain == 0 {
		grain = q.kernel.traits.grain
	}
	return q.races.NewMemory(root.size, grain)
}

// close forgets the aliases.
func (q *watch) close() {
	for _, a := range q.aliases {
		q.kernel.device.table.dropAlias(a)
	}
	for _, m := range q.memories {
		if m != nil {
			q.races.Close(m)
		}
	}
}

// cells gives the cells for a buffer; nil if nothing can race. The detector is locked.
func (q *watch) cells(root *Buffer) *races.Memory {
	if q.races == nil || root.local {
		return nil
	}
	m, ok := q.memories[root]
	if !ok { // a global, or memory whose address was computed
		m = q.newMemory(root, 0)
		q.memories[root] = m
	}
	return m
}

// blockOrder is the order in which blocks run: i stands for step*i+first, modulo their number.
type blockOrder struct{ step, first, total int64 }

func (o *blockOrder) at(i int64) int64 {
	switch o.step {
	case 0, 1:
		return i
	case -1:
		return o.total - 1 - i
	}
	return (o.step*i + o.first) % o.total
}

// nextOrder is another one from launch to launch, so that results that depend on it show: forward, backward, then shuffled.
// A kernel whose blocks may wait for others, or print, keeps the first.
func (k *Kernel) nextOrder(total int64) blockOrder {
	n := k.watched.Add(1) - 1
	switch {
	case n%3 == 0 || k.traits.keeps || total < 2:
		return blockOrder{1, 0, total}
	case n%3 == 1 || total > 1<<31:
		return blockOrder{-1, 0, total}
	}
	rng := rand.New(rand.NewPCG(uint64(n), uint64(total)))
	o := blockOrder{2 + rng.Int64N(total), rng.Int64N(total), total}
	for gcd(o.step, total) != 1 {
		o.step++
	}
	return o
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// who names a block in messages.
func (q *watch) who(block uint32) string {
	x, y := q.grid[0], q.grid[1]
	return fmt.Sprintf("block (%d, %d, %d)", block%x, block/x%y, block/x/y)
}

// begin starts the watch of a job that was set.
func (j *job) begin(w *engine.Watch) (err error) {
	j.args = slices.Clone(j.args) // addresses are replaced, and a graph has the same arguments again
	j.watch, err = newWatch(j.kernel, w, j.grid, j.args)
	return err
}

// end ends it.
func (j *job) end() {
	j.watch.close()
	j.watch = nil
}

// beginWatched gives the block that is the i-th to run, and starts its watch.
func (f *frame) beginWatched(i int64) int64 {
	n := f.watch.order.at(i)
	if f.watch.races != nil {
		f.watch.races.Begin(&f.thread, uint32(n))
	}
	return n
}

// alias makes a part of a buffer a buffer with addresses of its own, which differ from the buffer's in the number alone. That keeps their
// alignment, about which there are promises.
func (t *bufferTable) alias(root *Buffer, from int64, tensor *engine.Tensor) (*Buffer, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	id, err := t.number()
	if err != nil {
		return nil, err
	}
	a := &Buffer{data: unsafe.Add(root.data, from), size: tensor.Bytes(), base: id<<offsetBits + root.base&(1<<offsetBits-1) + uint64(from),
		keep: root.keep, owner: root.owner, of: root, from: from, tensor: tensor}
	t.put(id, a)
	return a, nil
}

// dropAlias forgets an alias, whose number is taken again soon.
func (t *bufferTable) dropAlias(a *Buffer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := a.base >> offsetBits
	t.chunks[id/chunkLen].Load()[id%chunkLen].Store(nil)
	t.spare = append(t.spare, id)
}
