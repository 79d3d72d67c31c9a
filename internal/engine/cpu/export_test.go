package cpu

import "github.com/cutile-go/cutile/internal/engine"

// WithStrip gives options for strips of so many elements, none where it is negative.
func WithStrip(o Options, n int) Options {
	o.strip = n
	return o
}

// Looks is how often the operations of a kernel have looked whether the launch is to end, in launches that have ended.
func Looks(k engine.Kernel) (n int) {
	kern := k.(*Kernel)
	kern.mu.Lock()
	defer kern.mu.Unlock()
	for _, f := range kern.idle {
		n += f.looks
	}
	return n
}

// HasStep reports whether an operation does something when a block runs.
func HasStep(mnemonic string) bool { return shapes[mnemonic].generate != nil }

// UseUp takes all numbers of buffers, so that only those of freed ones are left.
func UseUp(d *Device) { d.table.next = maxBuffers - 1 }

// LoopOps are the operations that the tables of loops cover.
func LoopOps() []string { return loopOps }
