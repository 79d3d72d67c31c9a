package conformance

import (
	"context"
	"fmt"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// Way is how compiled code becomes a kernel of an engine.
type Way struct {
	Name    string
	Version tileir.Version // of the bytecode; 0 where none is written
	Compile func(ctx context.Context, dev engine.Device, code *compile.Code) (engine.Kernel, error)
	Proved  bool // with the code that relies on what the launch proves
	Graph   bool // the launch is captured, and its graph replayed
}

// Direct hands the module to the engine as it was compiled.
var Direct = Way{Name: "direct", Compile: direct}

// Replayed is Direct as a graph.
var Replayed = Way{Name: "replayed", Compile: direct, Graph: true}

// Proved is Direct for the code that relies on what the launch proves; the CPU engine tests what it relies on.
var Proved = Way{Name: "proved", Compile: direct, Proved: true}

func direct(ctx context.Context, dev engine.Device, code *compile.Code) (engine.Kernel, error) {
	return dev.Compile(ctx, code.Module, code.Entry)
}

// Bytecode writes the module in a version of the bytecode and hands the engine what it reads back.
func Bytecode(v tileir.Version) Way {
	return Way{Name: "bytecode " + v.String(), Version: v, Compile: func(ctx context.Context, dev engine.Device, code *compile.Code) (engine.Kernel, error) {
		data, err := bytecode.Write(code.Module, v, bytecode.Options{})
		if err != nil {
			return nil, err
		}
		m, got, err := bytecode.Read(data)
		if err != nil {
			return nil, err
		}
		if got != v {
			return nil, fmt.Errorf("wrote bytecode %v, but read %v", v, got)
		}
		if err := tileir.Verify(m, v); err != nil {
			return nil, fmt.Errorf("the module that was read back: %w", err)
		}
		return dev.Compile(ctx, m, code.Entry)
	}}
}

// asGraph is a way whose launch is a graph.
func asGraph(w Way) Way {
	w.Name, w.Graph = w.Name+", replayed", true
	return w
}

// Matrix lists the ways by engine.
var Matrix = map[string][]Way{
	"cpu":  {Direct, Bytecode(tileir.V13_3), asGraph(Bytecode(tileir.V13_4))},
	"cuda": {Direct}, // which writes bytecode itself
}
