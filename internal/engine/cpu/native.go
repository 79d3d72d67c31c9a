package cpu

import (
	"fmt"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/x86"
)

// assembler makes machine code of functions for one level: each back end has one.
type assembler interface {
	Add(f *vec.Func) (int, error)
	Finish() ([]byte, []x86.Function, error)
}

// newAssembler gives the assembler of a level, nil for a level without machine code.
func newAssembler(l host.Level) assembler {
	switch l {
	case host.LevelAVX512, host.LevelAVX2:
		if c, err := x86.New(l); err == nil {
			return c
		}
	}
	return nil
}

// machineCode is the machine code of a kernel: nil if all of it is interpreted.
type machineCode struct {
	asm   assembler
	code  *host.Code
	list  []x86.Function
	words int // of the largest frame
}

// newMachineCode begins the code of a kernel.
func newMachineCode(d *Device) *machineCode {
	if a := newAssembler(d.target.Level); a != nil {
		return &machineCode{asm: a}
	}
	return nil
}

// finish makes the code executable.
func (m *machineCode) finish() error {
	if m == nil {
		return nil
	}
	bytes, list, err := m.asm.Finish()
	if err != nil {
		return err
	}
	m.asm = nil
	if len(list) == 0 {
		return nil
	}
	names := make([]host.Function, len(list))
	for i, f := range list {
		names[i] = host.Function{Name: f.Name, Offset: f.Offset, Size: f.Size}
		m.words = max(m.words, f.Words)
	}
	m.list = list
	if m.code, err = host.Map(bytes, names...); err != nil {
		return fmt.Errorf("cpu: %w", err)
	}
	return nil
}

// free gives the code back. No launch may run.
func (m *machineCode) free() {
	if m != nil && m.code != nil {
		m.code.Free()
	}
}

// call runs a function on the words of a frame.
func (m *machineCode) call(fn int, words []uint64) {
	host.Call(m.code.Addr()+uintptr(m.list[fn].Offset), unsafe.Pointer(unsafe.SliceData(words)))
}
