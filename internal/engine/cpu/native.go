package cpu

import (
	"fmt"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/native/isel"
	"github.com/cutile-go/cutile/internal/native/neon"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/x86"
)

// assembler makes machine code of functions for one level: each back end has one.
type assembler interface {
	Add(f *vec.Func) (int, error)
	Finish() ([]byte, []isel.Function, error)
	Record() // what is listed later
	Release()
}

// assemblers makes the assembler of each level that has machine code.
var assemblers = map[host.Level]func() (assembler, error){
	host.LevelAVX2:   func() (assembler, error) { return x86.New(host.LevelAVX2) },
	host.LevelAVX512: func() (assembler, error) { return x86.New(host.LevelAVX512) },
	host.LevelNEON:   func() (assembler, error) { return neon.New(host.LevelNEON) },
}

// machineCode is the machine code of a kernel: nil if all of it is interpreted.
type machineCode struct {
	asm    assembler
	code   *host.Code
	list   []isel.Function
	words  int // of the largest frame
	enter  func(code uintptr, frame unsafe.Pointer) uint64
	mapped mapper
	shared map[any]int // functions that several operations share, by what they are made of
}

// newMachineCode begins the code of a kernel.
func newMachineCode(d *Device) *machineCode {
	begin := assemblers[d.target.Level]
	if begin == nil {
		return nil
	}
	a, err := begin()
	if err != nil {
		panic("BUG: cpu: " + err.Error())
	}
	m := &machineCode{asm: a, enter: host.Call, mapped: d.mapCode}
	if d.flush {
		m.enter = host.CallFlushing
	}
	return m
}

// function gives a function that all operations of the kernel share; false if there is no machine code for it.
func (m *machineCode) function(of interface {
	Build(name string) (*vec.Func, error)
}, name string) (fn int, ok bool) {
	if fn, ok = m.shared[of]; ok {
		return fn, true
	}
	f, err := of.Build(name)
	if err != nil {
		return 0, false
	}
	if fn, err = m.asm.Add(f); err != nil {
		return 0, false
	}
	if m.shared == nil {
		m.shared = map[any]int{}
	}
	m.shared[of] = fn
	return fn, true
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
	defer m.asm.Release()
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
	if m.code, err = m.mapped(bytes, names...); err != nil {
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
	m.enter(m.code.Addr()+uintptr(m.list[fn].Offset), unsafe.Pointer(unsafe.SliceData(words)))
}
