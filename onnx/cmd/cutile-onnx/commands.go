package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/graph"
	"github.com/cutile-go/cutile/onnx"
)

const checkHelp = `
check prints the inputs and outputs of a model, and its operators, how often they occur, and which are not supported. If
the shapes of all inputs are known, it also makes the graph for them, which tells whether attributes, element types and
shapes are supported.
` + shapesHelp

func check(ctx context.Context, w io.Writer, m *onnx.Model, o *options) error {
	fmt.Fprintf(w, "%s: version %d of ONNX's operators\n", o.file, m.Opset())
	for _, part := range []struct {
		title string
		list  []onnx.Info
	}{{"inputs", m.Inputs()}, {"outputs", m.Outputs()}} {
		fmt.Fprintf(w, "%s\n", part.title)
		for _, i := range part.list {
			fmt.Fprintf(w, "  %v\n", i)
		}
	}
	missing := operators(w, m)
	if len(missing) > 0 {
		return fmt.Errorf("%s: operators that are not supported: %s", o.file, strings.Join(missing, ", "))
	}
	if len(m.Outputs()) == 0 {
		return fmt.Errorf("%s: the graph has no outputs: a run would compute nothing", o.file)
	}
	if len(o.shapes)+len(o.known) == 0 {
		if err := o.open(m); err != nil {
			fmt.Fprintf(w, "attributes, types and shapes are not checked: %v\n", err)
			return nil
		}
	}
	dev, s, inputs, err := o.session(ctx, m, "cpu")
	if err != nil {
		return err
	}
	defer dev.Close()
	plan, err := s.Plan(ctx, inputs)
	if err != nil {
		return fmt.Errorf("%s: %w", o.file, err)
	}
	kernels := 0
	for line := range strings.Lines(plan) {
		if strings.HasPrefix(line, "kernel ") {
			kernels++
		}
	}
	if kernels == 1 {
		fmt.Fprintln(w, "it can run: 1 kernel for these shapes")
	} else {
		fmt.Fprintf(w, "it can run: %d kernels for these shapes\n", kernels)
	}
	return nil
}

// operators prints the operators, and gives those that are not supported.
func operators(w io.Writer, m *onnx.Model) (missing []string) {
	fmt.Fprintln(w, "operators")
	for _, u := range m.Used() {
		note := ""
		switch {
		case u.Err != nil:
			note = ": " + u.Err.Error()
			if !slices.Contains(missing, u.Name) {
				missing = append(missing, u.Name)
			}
		case u.Function:
			note = ", a function of the model"
		}
		fmt.Fprintf(w, "  %6d  %s%s\n", u.Count, u.Name, note)
	}
	return missing
}

const dumpHelp = `
These are the stages:

  graph  the operations of package graph that the model becomes, each with the node that it is part of
  fused  the kernels: the axes and the expression of each, and the operations that were fused in it
  cost   operations and bytes of each kernel, of each operation in it, and of a run
  ir     the Tile IR of the kernels
` + shapesHelp

func dump(ctx context.Context, w io.Writer, m *onnx.Model, o *options) error {
	picked, err := stages(o.stages)
	if err != nil {
		return err
	}
	dev, s, inputs, err := o.session(ctx, m, "cpu") // programs are the same on every device
	if err != nil {
		return err
	}
	defer dev.Close()
	for i, stage := range picked {
		if len(picked) > 1 {
			if i > 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprintf(w, "==== %s ====\n\n", stage)
		}
		if err := s.Dump(ctx, w, stage, inputs); err != nil {
			return fmt.Errorf("%s: %w", o.file, err)
		}
	}
	return nil
}

// stages reads the flag -stage.
func stages(text string) ([]graph.Stage, error) {
	words := strings.Split(text, ",")
	var names []string
	for _, s := range graph.Stages() {
		names = append(names, string(s))
	}
	for _, word := range words {
		if word != "all" && !slices.Contains(names, word) {
			return nil, usagef("-stage: %q is not one of %s and all", word, strings.Join(names, ", "))
		}
	}
	return slices.DeleteFunc(graph.Stages(), func(s graph.Stage) bool {
		return !slices.Contains(words, "all") && !slices.Contains(words, string(s))
	}), nil
}

const profileHelp = `
profile runs the kernels one by one, each for some milliseconds, and prints how long each takes, the longest first, with
the operations and bytes that dump shows as its cost, by time. A time is the least of -runs runs of the model: more of
them give times that other work of the machine disturbs less.
` + shapesHelp

func profile(ctx context.Context, w io.Writer, m *onnx.Model, o *options) error {
	dev, s, inputs, err := o.session(ctx, m, o.device)
	if err != nil {
		return err
	}
	defer dev.Close()
	p, err := s.ProfileRuns(ctx, o.runs, inputs)
	if err != nil {
		return fmt.Errorf("%s: %w", o.file, err)
	}
	_, err = fmt.Fprintf(w, "%v\n%v", dev, p)
	return err
}
