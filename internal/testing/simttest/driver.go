package simttest

import (
	"io"
	"os"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/simt/ptx"
)

// Loaded is a module of PTX that a fake driver has loaded. Its variables keep what kernels write until it is unloaded.
type Loaded struct {
	Module *simt.Module

	once    sync.Once
	program *emu.Program
	err     error
}

// LoadedOf is the module of a launch, which [DecodePTX] has read.
func LoadedOf(l *fake.Launch) *Loaded { return l.Cubin.Loaded.(*Loaded) }

// Program is the module on the emulator.
func (l *Loaded) Program() (*emu.Program, error) {
	l.once.Do(func() { l.program, l.err = emu.Load(l.Module) })
	return l.program, l.err
}

// DecodePTX lists the kernels in PTX for a fake driver, as the driver's compiler would, and reads them for [LoadedOf].
func DecodePTX(image []byte) (*fake.Cubin, error) {
	m, err := ptx.Read([]byte(strings.TrimRight(string(image), "\x00")))
	if err != nil {
		return nil, err
	}
	c := &fake.Cubin{Payload: image, Loaded: &Loaded{Module: m}}
	for _, k := range m.Kernels {
		e := fake.Entry{Name: k.Name}
		for _, p := range k.Params {
			e.Params = append(e.Params, max(p.Bytes, simt.TypeBits(p.Type)/8))
		}
		c.Entries = append(c.Entries, e)
	}
	return c, nil
}

// Printed is what a program writes to the standard output. Programs that do so cannot run side by side.
func Printed(program func() error) (string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	stdout, done := os.Stdout, make(chan string)
	os.Stdout = w
	defer func() { os.Stdout = stdout }()
	go func() {
		data, _ := io.ReadAll(r)
		done <- string(data)
	}()
	err = program()
	w.Close()
	return <-done, err
}
