package optable

import (
	"context"
	"errors"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// cpuRuns asks the CPU engine whether it has an operation. Before anything else the engine refuses the first operation that it
// lacks, with its position. So the operation is put before one that no engine has.
func cpuRuns(in *tileir.Info) bool {
	body := &tileir.Block{Ops: []*tileir.Op{
		{Info: in, Loc: tileir.Loc{File: "asked", Line: 1}},
		{Info: &tileir.Info{Mnemonic: "no operation", Opcode: -1}, Loc: tileir.Loc{File: "asked", Line: 2}},
	}}
	device := cpu.New(cpu.Options{Workers: 1})
	defer device.Close()
	_, err := device.Compile(context.Background(), &tileir.Module{Entries: []*tileir.Entry{{Name: "k", Body: body}}}, "k")
	var missing *cpu.CompileError
	return errors.As(err, &missing) && missing.Loc.Line == 2
}
