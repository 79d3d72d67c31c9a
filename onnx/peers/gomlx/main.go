// Command gomlx runs a case with GoMLX's back end in Go, for command peers: gomlx FOLDER NUMBER. It is a program of its own, as a
// process cannot have the types of ONNX's files twice.
package main

import (
	"fmt"
	"os"
	"strconv"
	"unsafe"

	"github.com/gomlx/gomlx/backends"
	_ "github.com/gomlx/gomlx/backends/simplego"
	"github.com/gomlx/gomlx/pkg/core/graph"
	"github.com/gomlx/gomlx/pkg/core/tensors"
	"github.com/gomlx/gomlx/pkg/ml/context"
	"github.com/gomlx/onnx-gomlx/onnx"

	"github.com/cutile-go/cutile/onnx/peers/cases"
)

// outputs are those that GoMLX computes of a model, where it lacks what the others need.
var outputs = map[string][]string{"minilm_l3": {"onnx::Shape_422"}} // the hidden states, without the pooling

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run answers panics, by which GoMLX reports what it does not support, with errors.
func run() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	all, err := cases.Read(os.Args[1])
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(os.Args[2])
	if err != nil {
		return err
	}
	c := &all[n]
	model, err := onnx.ReadFile(c.File)
	if err != nil {
		return err
	}
	ctx := context.New()
	if err := model.VariablesToContext(ctx); err != nil {
		return err
	}
	var names []string
	var inputs []any
	for name, a := range c.Inputs {
		x, err := tensor(os.Args[1], a)
		if err != nil {
			return err
		}
		names, inputs = append(names, name), append(inputs, x)
	}
	backend, err := backends.NewWithConfig("go")
	if err != nil {
		return err
	}
	exec, err := context.NewExec(backend, ctx.Reuse(), func(ctx *context.Context, in []*graph.Node) []*graph.Node {
		byName := map[string]*graph.Node{}
		for i, name := range names {
			byName[name] = in[i]
		}
		return model.CallGraph(ctx, in[0].Graph(), byName, outputs[c.Model]...)
	})
	if err != nil {
		return err
	}
	return cases.Serve(func() error {
		out, err := exec.Exec(inputs...)
		for _, t := range out {
			t.FinalizeAll()
		}
		return err
	}, os.Stdin, os.Stdout)
}

// tensor reads an input.
func tensor(folder string, a cases.Array) (*tensors.Tensor, error) {
	data, err := a.Bytes(folder)
	if err != nil {
		return nil, err
	}
	switch a.Elem {
	case "float32":
		return tensors.FromFlatDataAndDimensions(elements[float32](data), a.Shape...), nil
	case "int64":
		return tensors.FromFlatDataAndDimensions(elements[int64](data), a.Shape...), nil
	case "int32":
		return tensors.FromFlatDataAndDimensions(elements[int32](data), a.Shape...), nil
	}
	return nil, fmt.Errorf("an input of %s", a.Elem)
}

func elements[E any](data []byte) []E {
	var e E
	return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/int(unsafe.Sizeof(e)))
}
