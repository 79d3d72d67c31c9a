package gemm

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/host"
)

// A Multiplier does fused multiplications and additions of elements of 4 bytes in registers, as fast as one thread can at a level.
type Multiplier struct {
	fn   *function
	call int // operations of a call
}

// NewMultiplier makes the code for a level.
func NewMultiplier(level host.Level) (*Multiplier, error) {
	if _, _, err := F32.scheme(Target{Level: level}, size{}); err != nil {
		return nil, err
	}
	if missing := level.Requires() &^ host.Machine().Features; missing != 0 {
		return nil, fmt.Errorf("gemm: this machine does not run code of level %v: it lacks %v", level, missing)
	}
	const rounds, inLoop = 5000, 12
	m := levels[level].machine(4)
	for i := range inLoop + 2 {
		m.zero(i)
	}
	const left = reg(2)
	m.set(left, rounds)
	times(m, left, func() {
		for i := range 2 * inLoop {
			m.multiply(stepF32, i%inLoop, factor{reg: inLoop}, inLoop+1)
		}
	})
	m.ret()
	f, err := mapped(m)
	return &Multiplier{f, rounds * 2 * inLoop * levels[level].bytes / 4}, err
}

// Run does at least n operations, a multiplication and an addition each.
func (m *Multiplier) Run(n int) {
	frame := new(frame)
	for ; n > 0; n -= m.call {
		m.fn.call(unsafe.Pointer(frame))
	}
}

// Peak measures how many floating-point operations one thread does in a second at a level, where a multiplication with its
// addition counts as two. It takes about 10 milliseconds.
func Peak(level host.Level) (float64, error) {
	m, err := NewMultiplier(level)
	if err != nil {
		return 0, err
	}
	best := time.Duration(1 << 62)
	for start := time.Now(); time.Since(start) < 10*time.Millisecond; {
		begin := time.Now()
		m.Run(1)
		best = min(best, time.Since(begin))
	}
	return 2 * float64(m.call) / best.Seconds(), nil
}
