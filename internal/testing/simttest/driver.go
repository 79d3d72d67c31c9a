package simttest

import (
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/simt/ptx"
)

// Loaded is a module of PTX that a fake driver has loaded. Its variables keep what kernels write until it is unloaded.
type Loaded struct {
	Module     *simt.Module
	Signatures []simt.Signature

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

// anyBlock reports whether a kernel runs with blocks of other extents than those that the reader took for its own, .maxntid.
func (l *Loaded) anyBlock(kernel string) bool {
	i := slices.IndexFunc(l.Signatures, func(s simt.Signature) bool { return s.Name == kernel })
	return i >= 0 && l.Signatures[i].Block == [3]int{}
}

// DecodePTX lists the kernels in PTX for a fake driver, as the driver's compiler would, and reads them for [LoadedOf].
func DecodePTX(image []byte) (*fake.Cubin, error) {
	m, err := ptx.Read([]byte(strings.TrimRight(string(image), "\x00")))
	if err != nil {
		return nil, err
	}
	signatures, err := ptx.Signatures([]byte(strings.TrimRight(string(image), "\x00")))
	if err != nil {
		return nil, err
	}
	c := &fake.Cubin{Payload: image, Loaded: &Loaded{Module: m, Signatures: signatures}}
	for _, k := range m.Kernels {
		e := fake.Entry{Name: k.Name}
		for _, p := range k.Params {
			e.Params = append(e.Params, p.Size())
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
