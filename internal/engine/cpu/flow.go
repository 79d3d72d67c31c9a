package cpu

import (
	"runtime"
	"unsafe"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/native/flow"
	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// flowCode is the function of a whole entry, with what it leaves to the engine.
type flowCode struct {
	*flow.Function
	fn   int
	outs []flowOut
}

// flowOut is what the engine does when the function is suspended.
type flowOut struct {
	run    step
	first  step // which says what the fault is if run has one; nil if run does
	window int  // the words of a window that is to be found; 0 for none
	view   slot // of whose memory, unless size says that it is the memory of pointers to elements of so many bytes
	size   int
	of     int            // or, if it is not 0, of that of the address in this word
	missed *nativeSegment // which has a note of missed elements in the words from note on
	note   int
}

// newFlow makes the function of the entry; nil if there is none.
func (c *compiler) newFlow() (*flowCode, error) {
	p := c.plan
	if p.code == nil || c.device.assumes {
		return nil, nil
	}
	f, err := flow.Build(&flow.Entry{
		Name: c.entry.Name, Params: c.entry.Params, Body: c.entry.Body, Ops: p.ops, Place: p.flowPlace,
		With:     func(op *tileir.Op) *tileir.Op { return c.products.stores[op] },
		Constant: func(op *tileir.Op) bool { return c.steps[op] == nil },
		Segment:  func(op *tileir.Op) *nest.Segment { return p.segments[op].segment() },
		Alone:    c.alone,
		Together: func(op *tileir.Op) int { return p.runs[op].len() },
		Order: func(op *tileir.Op) []int {
			_, order := p.turned.turn(op, viewOf(op.Address().Type.(tileir.ViewType)).tile)
			return order
		},
		Atomic: func(op *tileir.Op) (nest.Atomic, bool) {
			a, ok := p.atomicOf(op)
			return a, ok && !p.addsUp(op)
		},
		Origin:  p.indexed.of,
		Renames: func(op *tileir.Op) bool { return p.turned.renames[op] },
		Stream:  c.device.stream,
		Aside:   func(op *tileir.Op) bool { return c.products.loops[op] != nil },
		Units:   func(s *nest.Segment) int { return s.PerCall(callElems) },
	})
	if err != nil {
		c.notes.withoutFlow(err)
		return nil, nil // the operations run one by one
	}
	k := &flowCode{Function: f}
	if k.fn, err = p.code.asm.Add(f.Func); err != nil {
		c.notes.withoutFlow(err)
		return nil, nil
	}
	c.reserve(f.Scratch)
	for _, o := range f.Outs {
		out, err := c.flowOut(o)
		if err != nil {
			return nil, err
		}
		k.outs = append(k.outs, out)
	}
	return k, nil
}

// alone makes a segment of one operation, for the function of the entry, where a call costs nothing; nil if it is none.
func (c *compiler) alone(op *tileir.Op) *nest.Segment {
	p := c.plan
	if len(op.Results) == 0 || p.places[op.Results[0]].splat || c.behindProduct(op) {
		return nil
	}
	return nest.Find([]*tileir.Op{op}, nest.Known{
		Splat:  func(v *tileir.Value) bool { return p.places[v].storage != nil && p.places[v].splat },
		Uses:   p.uses,
		Turned: p.turned.of, Strewn: p.turned.strewn,
		Before: func(*tileir.Op) bool { return false },
		Copies: true,
	})
}

// flowPlace says where a value lies.
func (p *planner) flowPlace(v *tileir.Value) (flow.Place, bool) {
	pl := p.places[v]
	if pl.storage == nil {
		return flow.Place{}, false
	}
	return flow.Place{Offset: int(pl.off), Bytes: pl.bytes, Splat: pl.splat}, true
}

// segment is the segment of package nest, nil if there is none.
func (s *nativeSegment) segment() *nest.Segment {
	if s == nil {
		return nil
	}
	return s.Segment
}

// len is the number of operations of a run, 1 without one.
func (r *run) len() int {
	if r == nil {
		return 1
	}
	return len(r.ops)
}

// flowOut compiles what the engine does for the function.
func (c *compiler) flowOut(o flow.Out) (out flowOut, err error) {
	if o.Window >= 0 {
		out.window = flow.Windows + flow.WindowWords*o.Window
		if o.Op.Info.Opcode == tileir.OpMakeTensorView {
			out.view = c.off(o.Op.Results[0])
			return out, nil
		}
		out.size, out.of = tileType(o.Op.Address()).Elem.Bytes(), o.Of
		if out.of != 0 {
			return out, nil
		}
	}
	if o.Missed != 0 {
		out.missed, out.note = c.plan.segments[o.Op], o.Missed
		return out, nil
	}
	if o.Early != nil {
		out.first = c.steps[o.Early]
	}
	if out.run = c.steps[o.Op]; out.run == nil { // one that is done before a segment
		if generate := shapeOf(o.Op).generate; generate != nil {
			out.run, err = generate(c, o.Op)
		}
	}
	return out, err
}

// flowBudget is about how many vectors a call of the function computes: some ten microseconds of work. It is the most that one
// look takes, so that a call ends at the next look after a long piece.
const flowBudget = vec.MaxPoll

// looksToYield is how many looks are between two times when other goroutines run: some hundred microseconds. Among many launches
// that run at a time, the goroutine that stops them would else wait until each is preempted, after 10 ms.
const looksToYield = 16

// runFlow runs the blocks lo to hi-1 by the function of the entry, and stops at the first fault, as runBlocks does.
func (f *frame) runFlow(lo, hi int64) (at int64, fault *engine.Fault) {
	k, words := f.kernel.flow, f.flow
	words[flow.State] = 0
	words[flow.Self] = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(words))))
	words[flow.Arena], words[flow.Scratch] = uint64(uintptr(f.mem)), uint64(uintptr(f.scratch))
	for i, n := range f.grid {
		words[flow.Grid+i] = uint64(n)
	}
	f.goTo(lo)
	for i, n := range f.block {
		words[flow.FirstBlock+i] = uint64(n)
	}
	words[flow.Blocks], words[flow.Done] = uint64(hi-lo), 0
	code := f.kernel.code
	for {
		words[flow.Budget] = flowBudget
		status := code.enter(code.code.Addr()+uintptr(code.list[k.fn].Offset), unsafe.Pointer(unsafe.SliceData(words)))
		if status == 0 {
			return hi, nil
		}
		f.goTo(lo + int64(words[flow.Done]))
		f.poll()
		if status == vec.Polled {
			if f.looks%looksToYield == 0 {
				runtime.Gosched()
			}
			continue
		}
		f.left++
		if k.outs[status-flow.FirstOut].do(f, words) == sigFault {
			fault, f.fault = f.fault, nil
			return lo + int64(words[flow.Done]), fault
		}
	}
}

// do does what the function leaves to the engine.
func (o *flowOut) do(f *frame, words []uint64) signal {
	if o.missed != nil {
		return o.missed.missed(f, words[o.note:])
	}
	if o.run != nil {
		if o.run(f) == sigFault {
			return o.fault(f)
		}
	}
	if o.window == 0 {
		return sigNext
	}
	var w window
	if o.of > 0 {
		w = f.windowOf(words[o.of], o.size)
	} else if o.size > 0 {
		w = f.window(o.size)
	} else if b := f.kernel.device.table.find(*at[uint64](f, o.view)); b != nil {
		w = window{b.base, uint64(b.size), b.data}
	}
	words[o.window+flow.WindowBase], words[o.window+flow.WindowSize], words[o.window+flow.WindowData] = w.base, w.size, uint64(uintptr(w.data))
	return sigNext
}

// fault says what the fault is, after one.
func (o *flowOut) fault(f *frame) signal {
	if o.first != nil {
		f.fault = nil
		if o.first(f) != sigFault {
			panic("BUG: cpu: an operation before a segment has a fault that the segment does not have")
		}
	}
	return sigFault
}

// forgetWindows empties the windows: buffers may be other ones in the next launch.
func (f *frame) forgetWindows() {
	if f.flow != nil {
		clear(f.flow[flow.Windows:])
	}
}
