package nativefuzz

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/testing/guard"
	"github.com/cutile-go/cutile/tileir"
)

// region is the memory of one parameter, and slack what lies beside the tensor in it, where it is no page that faults.
const (
	region = 4 << 20
	slack  = 256
)

// way is a device that runs programs.
type way struct {
	name    string
	level   host.Level
	workers int
	device  *cpu.Device
	stream  engine.Stream
	turn    int // of the modules with several blocks it runs those of an even or those of an odd turn
}

// Engine is another machine than the CPU engine. Run runs a program whose parameters' memory is data, in their order without numbers,
// and gives why it is refused, or with which fault it ends; "" for neither.
type Engine struct {
	Name string
	Run  func(p *Program, data [][]byte) (refused, fault string, err error)
}

// Runner runs programs in several ways, of which the first interprets all.
type Runner struct {
	ways   []*way
	engine *Engine
	memory []*memoryOf // by parameter
}

// memoryOf is the memory of a parameter, which all ways use, one after the other.
type memoryOf struct {
	region []byte
	before []byte // what the tensor holds before a launch
	want   []byte // and what it holds after the first way
}

// NewRunner makes a runner for the interpreter and each level of machine code of this machine. Launches end after some time:
// programs that are generated end soon, but those that [Reduce] tries may not.
func NewRunner(longest time.Duration) (*Runner, error) {
	r := &Runner{}
	for i, l := range host.Levels() {
		workers := []int{1, 3}
		if i == 0 {
			workers = workers[:1]
		}
		for k, n := range workers {
			w := &way{name: fmt.Sprintf("%v, %d workers", l, n), level: l, workers: n, turn: (i + k) % 2}
			w.device = cpu.New(cpu.Options{Workers: n, Interpret: l == host.LevelNone, Level: l, Limits: limit.Limits{Run: longest}, Stream: 1})
			var err error
			if w.stream, err = w.device.NewStream(); err != nil {
				return nil, err
			}
			r.ways = append(r.ways, w)
		}
	}
	return r, nil
}

// NewEngineRunner makes a runner for the interpreter and another engine. What that refuses does not differ; nor does what faults in the
// interpreter, since Tile IR does not say what happens then.
func NewEngineRunner(longest time.Duration, e Engine) (*Runner, error) {
	r, err := NewRunner(longest)
	if err != nil {
		return nil, err
	}
	for _, w := range r.ways[1:] {
		w.device.Close()
	}
	r.ways, r.engine = r.ways[:1], &e
	return r, nil
}

// Close frees the devices.
func (r *Runner) Close() {
	for _, w := range r.ways {
		w.device.Close()
	}
}

// outcome is what a way gives.
type outcome struct {
	refused string // why it was not compiled
	fault   string
	data    [][]byte

	explained bool
	native    []*tileir.Op
}

// Report says what became of a program.
type Report struct {
	Refused bool                        // no way compiles it
	Fault   bool                        // each way ends with the same fault
	Diff    string                      // how ways differ
	Why     string                      // why another engine refuses it
	Native  map[host.Level][]*tileir.Op // of one program in [explained]
}

// Run runs a program in all ways and compares what they give.
func (r *Runner) Run(p *Program) (*Report, error) {
	rep := &Report{Native: map[host.Level][]*tileir.Op{}}
	if err := r.prepare(p); err != nil {
		return nil, err
	}
	var want *outcome
	for i, w := range r.ways {
		if !w.takes(p) {
			continue
		}
		got, err := r.run(w, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		if i == 0 {
			want = r.keep(got, p)
			rep.Refused, rep.Fault = got.refused != "", got.fault != ""
			continue
		}
		if got.explained {
			rep.Native[w.level] = got.native
		}
		if d := want.differs(got, p, w.workers > 1); d != "" {
			rep.Diff = w.name + ": " + d
			return rep, nil
		}
	}
	if r.engine != nil && !rep.Refused && !rep.Fault {
		return rep, r.other(p, want, rep)
	}
	return rep, nil
}

// other runs a program on another engine.
func (r *Runner) other(p *Program, want *outcome, rep *Report) (err error) {
	got := &outcome{}
	for i := range p.Params {
		if p.Params[i].Elems >= 0 {
			got.data = append(got.data, r.reset(i, p))
		}
	}
	if rep.Why, got.fault, err = r.engine.Run(p, got.data); err != nil || rep.Why != "" {
		return err
	}
	if at := r.touched(p); at != "" {
		got.fault += at
	}
	if d := want.differs(got, p, false); d != "" {
		rep.Diff = r.engine.Name + ": " + d
	}
	return nil
}

// takes reports whether a way runs a program. A level runs one of several blocks with one worker or with more, and another level does the
// other: each way has its own kernel, and compiling is what takes the time.
func (w *way) takes(p *Program) bool {
	switch {
	case w.level == host.LevelNone:
		return true
	case p.Grid == [3]uint32{1, 1, 1}:
		return w.workers == 1
	}
	return int(p.Seed/explained)%2 == w.turn
}

// explained says of how many programs one is explained, which takes as long as running it.
const explained = 64

// native lists the operations of a program that are machine code.
func (w *way) native(p *Program) (ops []*tileir.Op, err error) {
	target, err := host.At(w.level)
	if err != nil {
		return nil, err
	}
	e, err := cpu.Explain(context.Background(), p.Module, p.Module.Entries[0].Name, target)
	if err != nil {
		return nil, err
	}
	for _, o := range e.Ops {
		if o.Way == cpu.Native {
			ops = append(ops, o.Op)
		}
	}
	return ops, nil
}

// run runs a program in one way.
func (r *Runner) run(w *way, p *Program) (*outcome, error) {
	k, err := w.device.Compile(context.Background(), p.Module, p.Module.Entries[0].Name)
	if err != nil {
		return &outcome{refused: err.Error()}, nil
	}
	defer k.Close()
	out := &outcome{}
	if out.explained = w.level != host.LevelNone && p.Seed%explained == 0; out.explained {
		if out.native, err = w.native(p); err != nil {
			return nil, err
		}
	}
	var args []uint64
	var buffers []engine.Buffer
	defer func() {
		for _, b := range buffers {
			b.Free()
		}
	}()
	for i := range p.Params {
		q := &p.Params[i]
		if q.Elems < 0 {
			args = append(args, q.Bits)
			continue
		}
		data := r.reset(i, p)
		b, err := w.device.Wrap(data)
		if err != nil {
			return nil, err
		}
		buffers, args, out.data = append(buffers, b), append(args, b.Address()), append(out.data, data)
	}
	if err := w.stream.Launch(k, p.Grid, args); err != nil {
		return nil, err
	}
	if err := w.stream.Wait(context.Background()); err != nil {
		out.fault = err.Error()
	}
	if at := r.touched(p); at != "" {
		out.fault += at
	}
	return out, nil
}

// placed gives where the memory of a parameter lies in its region: at the beginning or at the end.
func placed(i int, p *Program) int {
	if (p.Seed+uint64(i))%4 == 0 {
		return 0
	}
	return region - p.Params[i].bytes()
}

// prepare makes what memory holds before a launch, which takes longer than copying it for each way.
func (r *Runner) prepare(p *Program) error {
	for i, q := range p.Params {
		if len(r.memory) <= i {
			m, err := guard.New(region, false)
			if err != nil {
				return err
			}
			r.memory = append(r.memory, &memoryOf{region: m.Bytes})
		}
		n := q.bytes()
		if n > region {
			return fmt.Errorf("parameter %d has %d bytes", i, n)
		}
		if q.Elems >= 0 {
			m := r.memory[i]
			m.before = slices.Grow(m.before[:0], n)[:n]
			fill(m.before, q, rand.New(rand.NewPCG(p.Seed, uint64(i))))
		}
	}
	return nil
}

// reset gives the memory of a parameter with what it holds before a launch. What lies beside it has a pattern.
func (r *Runner) reset(i int, p *Program) []byte {
	m, at := r.memory[i], placed(i, p)
	n := len(m.before)
	for _, side := range m.beside(at, n) {
		for k := range side {
			side[k] = byte(k*7) | 1
		}
	}
	data := m.region[at : at+n : at+n]
	copy(data, m.before)
	return data
}

// keep copies an outcome, whose memory the next way changes.
func (r *Runner) keep(o *outcome, p *Program) *outcome {
	kept, n := *o, 0
	kept.data = slices.Clone(o.data)
	for i := range p.Params {
		if p.Params[i].Elems >= 0 && n < len(kept.data) {
			m := r.memory[i]
			m.want = append(m.want[:0], o.data[n]...)
			kept.data[n] = m.want
			n++
		}
	}
	return &kept
}

// beside gives the bytes before and behind n bytes.
func (m *memoryOf) beside(at, n int) [2][]byte {
	return [2][]byte{m.region[max(0, at-slack):at], m.region[at+n : min(at+n+slack, region)]}
}

// touched says which memory beside that of a parameter was changed.
func (r *Runner) touched(p *Program) string {
	for i := range p.Params {
		if p.Params[i].Elems < 0 {
			continue
		}
		for _, side := range r.memory[i].beside(placed(i, p), p.Params[i].bytes()) {
			for k := range side {
				if side[k] != byte(k*7)|1 {
					return fmt.Sprintf("; memory beside parameter %d was written", i)
				}
			}
		}
	}
	return ""
}

// differs says how two outcomes differ; "" if they do not. Which of several blocks faults first is not said where blocks run at
// the same time, and what memory holds after a fault is not said at all.
func (o *outcome) differs(got *outcome, p *Program, parallel bool) string {
	switch {
	case o.refused != got.refused:
		return fmt.Sprintf("compiling gives %q, but %q by the interpreter", got.refused, o.refused)
	case o.fault != got.fault && !(parallel && o.fault != "" && got.fault != ""):
		return fmt.Sprintf("it ends with %q, but with %q by the interpreter", got.fault, o.fault)
	case o.fault != "" || o.refused != "":
		return ""
	}
	n := 0
	for i := range p.Params {
		if p.Params[i].Elems < 0 {
			continue
		}
		if d := differing(&p.Params[i], o.data[n], got.data[n]); d != "" {
			return fmt.Sprintf("parameter %d: %s", i, d)
		}
		n++
	}
	return ""
}

// differing says where memory differs.
func differing(p *Param, want, got []byte) string {
	if bytes.Equal(want, got) {
		return ""
	}
	size := p.Elem.Bytes()
	for i := 0; i+size <= len(want); i += size {
		a, b := element(want[i:i+size]), element(got[i:i+size])
		if a == b || !p.Exact && p.Elem.PerByte() == 1 && nan(p.Elem, a) && nan(p.Elem, b) {
			continue
		}
		return fmt.Sprintf("element %d (%v) is %#x, but %#x by the interpreter", i/size, p.Elem, b, a)
	}
	return ""
}

// element gives the bits of an element in memory.
func element(b []byte) uint64 {
	var all [8]byte
	copy(all[:], b)
	return binary.LittleEndian.Uint64(all[:])
}
