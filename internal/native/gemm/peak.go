package gemm

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/host"
)

// Peak measures how many floating-point operations one thread does in a second at a level: fused multiplications and additions,
// which count as two, on elements of 4 bytes in registers. It takes about 10 milliseconds.
func Peak(level host.Level) (float64, error) {
	if _, _, err := F32.scheme(Target{Level: level}); err != nil {
		return 0, err
	}
	if missing := level.Requires() &^ host.Machine().Features; missing != 0 {
		return 0, fmt.Errorf("gemm: this machine does not run code of level %v: it lacks %v", level, missing)
	}
	const rounds, inLoop = 5000, 12
	e := newEmitter(level)
	for i := range inLoop + 2 {
		e.Emit(amd64.VXORPS, amd64.X(i), amd64.X(i), amd64.X(i))
	}
	e.Emit(amd64.MOV, amd64.R64(amd64.RCX), amd64.Imm(rounds))
	e.times(amd64.RCX, func() {
		for i := range 2 * inLoop {
			e.Emit(amd64.VFMADD231PS, e.v(i%inLoop), e.v(inLoop), e.v(inLoop+1))
		}
	})
	e.ret()
	f, err := e.finish()
	if err != nil {
		return 0, err
	}
	best := time.Duration(1 << 62)
	frame := new(frame)
	for start := time.Now(); time.Since(start) < 10*time.Millisecond; {
		begin := time.Now()
		f.call(unsafe.Pointer(frame))
		best = min(best, time.Since(begin))
	}
	work := float64(rounds * 2 * inLoop * 2 * e.width() / 4)
	return work / best.Seconds(), nil
}
