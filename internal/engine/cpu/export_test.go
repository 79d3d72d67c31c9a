package cpu

import (
	"context"
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/tileir"
)

// WithStrip gives options for strips of so many elements, none where it is negative.
func WithStrip(o Options, n int) Options {
	o.strip = n
	return o
}

// Looks is how often the operations of a kernel have looked whether the launch is to end, in launches that have ended.
func Looks(k engine.Kernel) (n int) {
	v := k.(*Kernel).ready.Load()
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, f := range v.idle {
		n += f.looks
	}
	return n
}

// Left is how often the function of a kernel's entry has left something to the engine, in launches that have ended; -1 if there is no
// such function.
func Left(k engine.Kernel) (n int) {
	v := k.(*Kernel).ready.Load()
	if v.flow == nil {
		return -1
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, f := range v.idle {
		n += f.left
	}
	return n
}

// HasStep reports whether an operation does something when a block runs.
func HasStep(code int) bool { return shapes[code].generate != nil }

// UseUp takes all numbers of buffers, so that only those of freed ones are left.
func UseUp(d *Device) { d.table.next = maxBuffers - 1 }

// LoopOps are the operations that the tables of loops cover.
func LoopOps() []int { return loopOps() }

// Runs gives the mnemonics of the operations that a device does strip by strip, run by run.
func Runs(d *Device, e *tileir.Entry) (out [][]string) {
	d.target = host.Target{} // machine code takes no strips
	p := planEntry(e, d, newMachineCode(d), nil, nil)
	for op := range e.All() {
		if r := p.runs[op]; r != nil {
			var names []string
			for _, op := range r.ops {
				names = append(names, op.Info.Mnemonic)
			}
			out = append(out, names)
		}
	}
	return out
}

// LoopProducts counts the loops of a kernel that are products in memory.
func LoopProducts(d *Device, m *tileir.Module) (n int) {
	k, err := compileEntry(context.Background(), d, m, m.Entries[0])
	if err != nil {
		panic(err)
	}
	return k.ready.Load().products.made
}

// ProductsRun counts the kinds of products in memory that launches of a kernel have computed.
func ProductsRun(k engine.Kernel) int {
	if p := k.(*Kernel).ready.Load().products.prepared; p != nil {
		return p.Products()
	}
	return 0
}

// ByCode gives the mnemonics of the operations that a device does by machine code.
func ByCode(d *Device, e *tileir.Entry) (names []string) {
	p := planEntry(e, d, newMachineCode(d), nil, nil)
	for op := range e.All() {
		if s := p.segments[op]; s != nil {
			for i := range s.Steps {
				if st := &s.Steps[i]; st.Kind >= nest.Lanes {
					names = append(names, st.Op.Info.Mnemonic)
				}
			}
		}
	}
	return names
}

// Segments counts the segments of an entry.
func Segments(d *Device, e *tileir.Entry) int {
	return len(planEntry(e, d, newMachineCode(d), nil, nil).segments)
}

// NativeLevels are the levels of machine code that this process may use.
func NativeLevels() (out []host.Level) {
	best, err := host.Choose()
	if err != nil {
		return nil
	}
	for _, l := range []host.Level{host.LevelAVX2, host.LevelAVX512, host.LevelNEON} {
		if _, err := host.At(l); err == nil && l <= best.Level && assemblers[l] != nil {
			out = append(out, l)
		}
	}
	return out
}

// SetLevel makes a device compile for a level.
func SetLevel(d *Device, l host.Level) { d.target.Level, d.products.Level = l, l }

// String names the operation in messages of tests.
func (k key) String() string {
	return fmt.Sprintf("{%s %d %d}", tileir.LookupOpcode(k.op).Mnemonic, k.a, k.b)
}

// TakePairs makes a device with FastBF16 take products in pairs even if it does not know that they are faster. It reports false
// if the machine cannot do that.
func TakePairs(d *Device) bool {
	d.pairs = d.products.Level == host.LevelAVX512 && d.products.Features.Has(host.AVX512BF16)
	return d.pairs
}

// InPlace gives the mnemonics of the operations whose results lie where the end of their block puts them.
func InPlace(d *Device, e *tileir.Entry) (names []string) {
	p := planEntry(e, d, newMachineCode(d), nil, nil)
	for op := range e.All() {
		to := map[int][]*tileir.Value{tileir.OpBreak: op.Results, tileir.OpYield: op.Results}
		for b := range op.Blocks() {
			to[tileir.OpContinue] = b.Args
			if shapeOf(op).body == counted {
				to[tileir.OpContinue] = b.Args[1:]
			}
			end := b.Ops[len(b.Ops)-1]
			for i, d := range to[end.Info.Opcode] {
				if v := end.Operands[i]; shapeOf(op).body != combiner && v.Def != nil && p.places[v].storage == p.places[d].storage {
					names = append(names, v.Def.Info.Mnemonic)
				}
			}
		}
	}
	slices.Sort(names)
	return names
}

// SetTwin makes a kernel run another one on a twin of its device.
func SetTwin(k engine.Kernel, number int, other engine.Kernel) {
	kern := k.(*Kernel)
	t, err := other.(*Kernel).twin(number, kern.device.twins.all[number])
	if err != nil {
		panic(err)
	}
	for len(kern.twins) <= number {
		kern.twins = append(kern.twins, nil)
	}
	kern.twins[number] = t
}

// WithMap makes a device get executable memory by a function.
func WithMap(o Options, f func(code []byte, functions ...host.Function) (*host.Code, error)) Options {
	o.mapCode = f
	return o
}

// WithEqualShares makes workers of a device always take the same number of blocks.
func WithEqualShares(o Options) Options {
	o.equalShares = true
	return o
}

// Idle gives the part of the work of all workers that is lost at the end of a launch of blocks with some costs, because there are no
// more blocks for most workers while the last ones run.
func Idle(workers int, equal bool, costs []float64) float64 {
	j := &job{total: int64(len(costs)), shares: shares{int64(workers), 1 << 20, equal}}
	busy, sum := make([]float64, workers), 0.0
	for {
		first := slices.Index(busy, slices.Min(busy)) // the worker that is ready first takes what comes next
		lo, hi := j.take()
		if lo >= hi {
			break
		}
		for _, c := range costs[lo:hi] {
			busy[first] += c
			sum += c
		}
	}
	return 1 - sum/(float64(workers)*slices.Max(busy))
}

// HasCode reports whether a kernel has machine code.
func HasCode(k engine.Kernel) bool { return k.(*Kernel).ready.Load().code != nil }

// Made waits until the machine code of a kernel is there, or is known to fail.
func Made(k engine.Kernel) {
	if w := k.(*Kernel).early; w != nil {
		<-w.made
	}
}

// Early reports whether launches of a kernel may be interpreted now because its machine code is being made.
func Early(k engine.Kernel) bool {
	w := k.(*Kernel).early
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.interpreted != nil
}

// IdleFrames counts the frames that launches of a kernel left, without those of launches that were early.
func IdleFrames(k engine.Kernel) int { return len(k.(*Kernel).ready.Load().idle) }

// Break makes launches of a kernel of the SIMT level panic.
func Break(k engine.Kernel) { k.(*simtKernel).prog = nil }
