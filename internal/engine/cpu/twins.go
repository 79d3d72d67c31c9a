package cpu

import (
	"bytes"
	"context"
	endian "encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/tileir"
)

// A device of [Options.Twins] has a device that interprets and one for each level of machine code. Before it runs a launch, these
// twins run the launch, too, on copies of the memory that have the same addresses. A launch whose twins differ, or differ from it,
// ends with an error. So the tests of kernels, which run on devices with checks that interpret nearly everything, also test machine
// code.

// twin is one of the devices.
type twin struct {
	name   string
	device *Device
	output *twinOutput
}

// twins are those of a device. They run one launch at a time.
type twins struct {
	mu  sync.Mutex
	all []*twin
}

// mostTwinBytes is the most memory of a launch that is copied. Larger launches have no twins.
const mostTwinBytes = 256 << 20

// newTwins makes the twins of a device. The numbers of their own buffers are not those that the device gives.
func newTwins(o Options) *twins {
	ts := &twins{}
	for i, l := range host.Levels() {
		out := &twinOutput{}
		d := New(Options{Workers: o.Workers, Interpret: i == 0, Level: l, Output: out, Memory: o.Memory, Limits: limit.Limits{BlockMemory: 1 << 40}})
		d.table.next = maxBuffers / 2
		ts.all = append(ts.all, &twin{l.String(), d, out})
	}
	return ts
}

// close frees the devices.
func (ts *twins) close() {
	for _, t := range ts.all {
		t.device.Close()
	}
}

// twinOutput is what a twin printed.
type twinOutput struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *twinOutput) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

// comparison is a launch that twins have run.
type comparison struct {
	kernel *Kernel
	mu     sync.Mutex
	roots  []*Buffer     // the memory that they copied
	elems  []tileir.Elem // of which it is
	runs   []*twinRun
}

// twinRun is what became of a launch on a twin.
type twinRun struct {
	*twin
	copies map[*Buffer]twinCopy // by what they are copies of
	err    error
	text   string
}

// twinCopy is a copy of a buffer.
type twinCopy struct {
	buffer *Buffer
	free   func() error
}

// compare runs a launch on the twins; nil if there are none.
func (s *Stream) compare(c *command) *comparison {
	ts := s.device.twins
	if ts == nil || s.device.limits.Run > 0 || s.device.reorder != 0 {
		return nil
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	q := &comparison{kernel: c.kernel}
	if !q.find(c.args) {
		return nil
	}
	for i, t := range ts.all {
		r := &twinRun{twin: t, copies: map[*Buffer]twinCopy{}}
		q.runs = append(q.runs, r)
		if r.err = r.run(q, i, c, &s.job); s.job.stop.Load() {
			q.free()
			return nil
		}
	}
	return q
}

// find finds the memory of a launch; false if it is too much.
func (q *comparison) find(args []uint64) bool {
	total, seen := int64(0), map[*Buffer]bool{}
	for i, p := range q.kernel.params {
		root := q.kernel.device.table.find(args[i])
		if !p.pointer || root == nil || seen[root] {
			continue
		}
		seen[root] = true
		total += root.size
		q.roots, q.elems = append(q.roots, root), append(q.elems, p.elem)
	}
	return total <= mostTwinBytes
}

// missing copies a buffer whose address a kernel found in memory.
func (r *twinRun) missing(q *comparison, address uint64) *Buffer {
	q.mu.Lock()
	defer q.mu.Unlock()
	if b := r.device.table.find(address); b != nil {
		return b
	}
	root := q.kernel.device.table.find(address)
	if root == nil || r.copy(root) != nil {
		return nil
	}
	if !slices.Contains(q.roots, root) {
		q.roots, q.elems = append(q.roots, root), append(q.elems, tileir.I8)
	}
	return r.device.table.find(address)
}

// run runs the launch. Blocks of a kernel with atomic operations run one after the other, since their order may show in the
// result, unless they wait for each other.
func (r *twinRun) run(q *comparison, number int, c *command, of *job) error {
	k, err := q.kernel.twin(number, r.twin)
	if err != nil {
		return err
	}
	for _, root := range q.roots {
		if err := r.copy(root); err != nil {
			return err
		}
	}
	r.device.missing = func(address uint64) *Buffer { return r.missing(q, address) }
	j := &job{of: of}
	j.set(k.ready.Load(), c.grid, c.args, r.device.workers)
	if k.traits.atomics && !k.traits.keeps {
		j.most = 0
	}
	j.sharePanels()
	r.device.pool.run(j)
	j.releasePanels()
	for _, c := range r.copies {
		r.device.table.hide(c.buffer)
	}
	r.text = r.output.text.String()
	r.output.text.Reset()
	if j.fault != nil {
		return j.fault
	}
	return j.err
}

// copy makes a copy of a buffer, with the same address.
func (r *twinRun) copy(root *Buffer) error {
	var data []byte
	free := func() error { return nil }
	if give := r.device.memory; give == nil || root.size == 0 {
		data = make([]byte, root.size)
	} else {
		var err error
		if data, free, err = give(int(root.size)); err != nil {
			return err
		}
	}
	copy(data, root.Host())
	b := &Buffer{size: root.size, base: root.base, keep: data, owner: r.device}
	if len(data) > 0 {
		b.data = ptr(&data[0])
	}
	r.device.table.mu.Lock()
	r.device.table.put(root.base>>offsetBits, b)
	r.device.table.mu.Unlock()
	r.copies[root] = twinCopy{b, free}
	return nil
}

// hide makes the number of a buffer free for another copy.
func (t *bufferTable) hide(b *Buffer) {
	id := b.base >> offsetBits
	t.chunks[id/chunkLen].Load()[id%chunkLen].Store(nil)
}

// twin gives the kernel of a twin, which is compiled once.
func (k *Kernel) twin(number int, t *twin) (*Kernel, error) {
	for len(k.twins) <= number {
		k.twins = append(k.twins, nil)
	}
	if k.twins[number] == nil {
		q, err := t.device.Compile(context.Background(), k.module, k.name)
		if err != nil {
			return nil, err
		}
		k.twins[number] = q.(*Kernel)
	}
	return k.twins[number], nil
}

// free gives the copies back, and says which memory was written outside of them.
func (q *comparison) free() error {
	for _, r := range q.runs {
		for _, c := range r.copies {
			if err := c.free(); err != nil {
				return fmt.Errorf("at level %s %w", r.name, err)
			}
		}
	}
	return nil
}

// check gives the error of a launch that ended with err: how twins differ, if they do. A device with checks finds faults that its
// twins do not have.
func (q *comparison) check(err error) error {
	if err == nil || q.runs[0].err != nil && q.runs[0].err.Error() == err.Error() {
		if text := q.differ(err); text != "" {
			err = &engine.Fault{Kernel: q.kernel.name, Text: "BUG: " + text}
		}
	}
	if wrong := q.free(); wrong != nil {
		err = &engine.Fault{Kernel: q.kernel.name, Text: "BUG: " + wrong.Error()}
	}
	return err
}

// differ says how twins differ.
func (q *comparison) differ(err error) string {
	first := q.runs[0]
	if first.err != nil && err == nil {
		return fmt.Sprintf("on a twin that interprets the launch ends with %v", first.err)
	}
	for _, r := range q.runs[1:] {
		switch {
		case !sameEnd(first.err, r.err):
			return fmt.Sprintf("at level %s the launch ends with %v, but with %v if it is interpreted", r.name, r.err, first.err)
		case err != nil:
		case r.text != first.text && !q.kernel.traits.keeps:
			return fmt.Sprintf("at level %s the launch prints %q, but %q if it is interpreted", r.name, r.text, first.text)
		default:
			for i, root := range q.roots {
				if d := differing(q.elems[i], first.held(root), r.held(root)); d != "" {
					return fmt.Sprintf("at level %s %s if it is interpreted", r.name, d)
				}
			}
		}
	}
	if err != nil || q.kernel.traits.atomics {
		return ""
	}
	for i, root := range q.roots {
		if d := differing(q.elems[i], first.held(root), root.Host()); d != "" {
			return fmt.Sprintf("on the device %s on a twin that interprets", d)
		}
	}
	return ""
}

// held is what the copy of a buffer holds; nil if the launch needed none.
func (r *twinRun) held(root *Buffer) []byte {
	if c, ok := r.copies[root]; ok {
		return c.buffer.keep
	}
	return nil
}

// sameEnd reports whether two launches end alike. Where blocks run at the same time, either of several may be the first that
// fails.
func sameEnd(a, b error) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	f, ok := a.(*engine.Fault)
	g, ok2 := b.(*engine.Fault)
	return ok && ok2 && (f.Block != g.Block || reflect.DeepEqual(f, g))
}

// differing says where memory differs. Numbers that are NaN may have any bits.
func differing(e tileir.Elem, want, got []byte) string {
	if want == nil || got == nil || bytes.Equal(want, got) {
		return ""
	}
	size := e.Bytes()
	for i := 0; i+size <= len(want); i += size {
		a, b := elementBits(want[i:i+size]), elementBits(got[i:i+size])
		if a != b && !(isNaN(e, a) && isNaN(e, b)) {
			return fmt.Sprintf("element %d (%v) is %#x, but %#x", i/size, e, b, a)
		}
	}
	return ""
}

// isNaN reports whether the bits of an element in memory are no number.
func isNaN(e tileir.Elem, bits uint64) bool {
	if e == tileir.TF32 { // which lies in the upper bits of a float32
		e = tileir.F32
	}
	return e.IsFloat() && math.IsNaN(tileir.FloatOf(e, bits))
}

// elementBits gives the bits of an element in memory.
func elementBits(b []byte) uint64 {
	var all [8]byte
	copy(all[:], b)
	return endian.LittleEndian.Uint64(all[:])
}
