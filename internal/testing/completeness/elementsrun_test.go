package completeness_test

import (
	"context"
	"encoding/binary"
	"strings"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// moves is a module that loads an element, prints it and stores it elsewhere. Of those that memory does not have it is two,
// in a byte.
func moves(row elem.Row) (*tileir.Module, error) {
	e, _ := tileir.ElemByName(row.IR)
	format := "%g;"
	if !e.IsFloat() {
		format = "%d;"
	}
	b, p := tileir.NewBuilder(), tileir.PointerTile(e)
	if !row.Memory {
		p = tileir.PointerTile(tileir.I8)
	}
	b.Entry("k", []tileir.Type{p, p}, func(params []*tileir.Value) {
		v, _ := b.LoadPtrTko(params[0], tileir.MemoryWeak)
		if row.Memory {
			b.PrintTko(format, []*tileir.Value{v})
		} else {
			two := b.Unpack(b.Reshape(v, 1), tileir.Tile(e, 2))
			b.PrintTko(format, []*tileir.Value{two})
			v = b.Reshape(b.Pack(two, tileir.Tile(tileir.I8, 1)))
		}
		b.StorePtrTko(params[1], v, tileir.MemoryWeak)
		b.Return()
	})
	return b.Build(tileir.Newest)
}

// inBytecode writes the module, reads it back and looks for the element in its text, which is read, too.
func inBytecode(_ dtype.Type, row elem.Row) string {
	m, err := moves(row)
	if err != nil {
		return err.Error()
	}
	data, err := bytecode.Write(m, tileir.Newest, bytecode.Options{})
	if err != nil {
		return err.Error()
	}
	back, _, err := bytecode.Read(data)
	if err != nil {
		return err.Error()
	}
	printed := text.Sprint(back)
	if again, err := text.Parse(printed, text.ParseOptions{}); err != nil || text.Sprint(again) != printed {
		return "the text comes back as another: " + printed
	}
	return when(!strings.Contains(printed, row.IR+">"), "the text is %s", printed)
}

// onCPU runs the module on the engine: 1 arrives, and prints as 1.
func onCPU(t dtype.Type, row elem.Row) string {
	m, err := moves(row)
	if err != nil {
		return err.Error()
	}
	var out strings.Builder
	d := cpu.New(cpu.Options{Output: &out, Workers: 1})
	defer d.Close()
	one := uint64(1)
	if t.IsFloat() {
		one = t.FloatBits(1)
	}
	memory, err := d.Alloc(16)
	if err != nil {
		return err.Error()
	}
	binary.LittleEndian.PutUint64(memory.Host(), one)
	if err := launch(d, m, memory.Address(), memory.Address()+8); err != nil {
		return err.Error()
	}
	got, want := binary.LittleEndian.Uint64(memory.Host()[8:]), "1;"
	if !row.Memory {
		want = "[1, 0];"
	}
	return when(got != one || out.String() != want, "1 arrives as %#x, prints as %s", got, &out)
}

func launch(d engine.Device, m *tileir.Module, args ...uint64) error {
	ctx := context.Background()
	k, err := d.Compile(ctx, m, "k")
	if err != nil {
		return err
	}
	defer k.Close()
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	if err := s.Launch(k, [3]uint32{1, 1, 1}, args); err != nil {
		return err
	}
	return s.Wait(ctx)
}
