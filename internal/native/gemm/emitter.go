package gemm

import (
	"encoding/binary"

	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/host"
)

// An emitter writes functions for one level.
type emitter struct {
	amd64.Assembler
	wide bool // registers have 64 bytes
}

// avx2 is what the code of level AVX2 may use. Without it, the assembler might choose forms of AVX-512.
const avx2 = amd64.AVX | amd64.AVX2 | amd64.FMA | amd64.F16C | amd64.AVXVNNI | amd64.BMI1 | amd64.BMI2

func newEmitter(level host.Level) *emitter {
	e := &emitter{wide: level == host.LevelAVX512}
	if !e.wide {
		e.Allowed = avx2
	}
	return e
}

// finish maps the function. A mistake in it is ours.
func (e *emitter) finish() (*function, error) {
	code, err := e.Finish()
	if err != nil {
		panic("BUG: " + err.Error())
	}
	mapped, err := host.Map(code)
	if err != nil {
		return nil, err
	}
	return newFunction(mapped), nil
}

// v is the vector register n with all its bytes.
func (e *emitter) v(n int) amd64.Operand {
	if e.wide {
		return amd64.Z(n)
	}
	return amd64.Y(n)
}

// width is the number of bytes of a vector register.
func (e *emitter) width() int {
	if e.wide {
		return 64
	}
	return 32
}

// add adds a constant to a general register.
func (e *emitter) add(r amd64.Reg, n int) {
	if n != 0 {
		e.Emit(amd64.ADD, amd64.R64(r), amd64.Imm(int64(n)))
	}
}

func (e *emitter) mov(dst, src amd64.Reg) { e.Emit(amd64.MOV, amd64.R64(dst), amd64.R64(src)) }

// field loads a field of the frame.
func (e *emitter) field(dst amd64.Reg, offset uintptr) {
	e.Emit(amd64.MOV, amd64.R64(dst), amd64.At(amd64.RDI, int32(offset)))
}

// unless jumps if a field of the frame is 0.
func (e *emitter) unless(offset uintptr, target amd64.Label) {
	e.Emit(amd64.CMP, amd64.At(amd64.RDI, int32(offset)).Sized(8), amd64.Imm(0))
	e.Emit(amd64.JE, amd64.To(target))
}

// times repeats a body as often as a register says, which the body does not change; not at all for 0.
func (e *emitter) times(count amd64.Reg, body func()) {
	again, done := e.Label(), e.Label()
	e.Emit(amd64.TEST, amd64.R64(count), amd64.R64(count))
	e.Emit(amd64.JE, amd64.To(done))
	e.Align(32)
	e.Bind(again)
	body()
	e.Emit(amd64.DEC, amd64.R64(count))
	e.Emit(amd64.JNE, amd64.To(again))
	e.Bind(done)
}

func (e *emitter) ret() {
	e.Emit(amd64.XOR, amd64.R32(amd64.RAX), amd64.R32(amd64.RAX))
	e.Emit(amd64.RET)
}

// lanes32 is a constant that repeats 32 bits in all lanes of 32 bytes.
func (e *emitter) lanes32(x uint32) amd64.Operand {
	var b []byte
	for range 8 {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return amd64.AtLabel(e.Const(b, 32), 0)
}

// firstLanes is a constant of 32 bytes for VMASKMOV: ones in the first lanes.
func (e *emitter) firstLanes(n, lane int) amd64.Operand {
	b := make([]byte, 32)
	for i := range n * lane {
		b[i] = 0xFF
	}
	return amd64.AtLabel(e.Const(b, 32), 0)
}
