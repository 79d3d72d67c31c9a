package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// listing is one of the seed's listings.
type listing struct {
	title string // the section of the seed, and the subject
	show  func(w io.Writer) error
}

var (
	square = cutile.SpecOf[float32](64, 64)
	matrix = cutile.SpecOf[float32](128, 64)
	long   = cutile.SpecOf[float32](1, 128)
	vector = cutile.SpecOf[float32](128)
	one    = cutile.SpecOf[int32](1)
)

var listings = []listing{
	{"Simple element type", of(signature, elements, float32(0), dtype.Float16(0), dtype.BFloat16(0), 0, false, square)},
	{"Tile: shape and element", all(declared("type Tile["), of(results("load_view_tko"), tiles, matrix, matrix))},
	{"Tensor: shape and element, strides, what travels along", all(declared("type Tensor[", "func makeTensorView["),
		of(lines("make_tensor_view", "addi", "get_tensor_shape"), extents, square, one))},
	{"Partition view: required and optional parameters", declared("type Partition[")},
	{"The types of partition views", of(results("make_partition_view"), paddings, square, square)},
	{"A constructor that forwards types", declared("func MakePartitionView[")},
	{"What travels with a result", all(declared("func PartitionToken[", "func PartitionShape["),
		of(lines("make_token", "load_view_tko", "reshape", "get_tensor_shape"), meta, square, one))},
	{"Operands inside of structs", all(declared("func makeTensorView["), of(lines("make_tensor_view"), stores, square))},
	{"Static parameters: the marks of sqrt", all(declared("func Sqrt["), of(lines("sqrt"), roots, long, long))},
	{"An operation without type forwarding: cos", all(declared("func Cos["), of(lines("cos"), cosine, vector, vector))},
	{"An operation with hints: load_view_tko", all(declared("func LoadViewTko["), of(lines("load_view_tko"), hinted, square, square))},
	{"A constructor in detail: its definitions", declared("type PartitionMut[", "func makePartitionViewMut[")},
	{"A constructor in detail: the call and its five steps", of(steps, stores, square)},
	{"One constructor to read, one to write", declared("func MakePartitionView[", "func makePartitionViewMut[")},
	{"Access to what travels along", all(declared("func TensorToken[", "func SetTensorToken[", "func TensorShape["),
		of(lines("make_token", "load_view_tko", "store_view_tko"), tokens, square))},
	{"A composite function: store_tile", of(kernel, increment, square)},
	{"The order of dispatch: calls", all(of(lines("cos"), cosine, vector, vector), of(lines("addi"), extents, square, one), of(lines("divf"), inlined, long, long), refused)},
	{"The order of dispatch: methods", of(lines("mulf", "store_view_tko"), methods, long, long)},
}

// signature shows the types of the parameters.
func signature(w io.Writer, m *tileir.Module) error {
	var types []string
	for _, p := range m.Entries[0].Params {
		types = append(types, p.Type.String())
	}
	_, err := fmt.Fprintf(w, "   %s\n", strings.Join(types, ", "))
	return err
}

// results shows the types that operations of a name give, each once.
func results(name string) func(io.Writer, *tileir.Module) error {
	return func(w io.Writer, m *tileir.Module) error {
		seen := map[string]bool{}
		for _, o := range operations(m, name) {
			if t := o.Results[0].Type.String(); !seen[t] {
				seen[t] = true
				fmt.Fprintf(w, "   %s\n", t)
			}
		}
		return nil
	}
}

// kernel prints a whole kernel.
func kernel(w io.Writer, m *tileir.Module) error {
	for line := range strings.Lines(text.Sprint(m)) {
		fmt.Fprintf(w, "   %s", line)
	}
	return nil
}

// steps follows the type of a written partition from its declaration to its text.
func steps(w io.Writer, m *tileir.Module) error {
	typ, err := directive("type PartitionMut[")
	if err != nil {
		return err
	}
	constructor, err := directive("func makePartitionViewMut[")
	if err != nil {
		return err
	}
	var open []string
	for _, part := range strings.FieldsFunc(typ, func(r rune) bool { return strings.ContainsRune("(,)", r) }) {
		if name, star, ok := strings.Cut(strings.TrimSpace(part), ": "); ok && star == "*" {
			open = append(open, name)
		}
	}
	_, given, _ := strings.Cut(constructor, " -> ")
	given, _, _ = strings.Cut(given, " meta ")
	o := operations(m, "make_partition_view")[0]
	view := o.Results[0].Type.(*tileir.PartitionViewType)
	for i, step := range []string{
		"the declared type is open: " + strings.Join(open, ", ") + " come from a constructor",
		"the call has no type to go by but that of its arguments: v is " + o.Operands[0].Type.String(),
		"the constructor gives " + given,
		fmt.Sprintf("the type is completed: tile %v of T, padding %v, tensor_view of v", view.Tile, view.Padding),
		view.String(),
	} {
		fmt.Fprintf(w, "   step %d: %s\n", i+1, step)
	}
	return nil
}

// refused shows the error for a call of an unknown function.
func refused(w io.Writer) error {
	err := cutile.Export(context.Background(), "unused", []string{"13.2"}, unsupported, long)
	if err == nil {
		return fmt.Errorf("the kernel compiles")
	}
	text := err.Error()
	if i := strings.LastIndex(text[:strings.Index(text, "kernels.go:")], "/"); i >= 0 {
		text = text[i+1:] // the folder differs from machine to machine
	}
	_, err = fmt.Fprintf(w, "   %s\n", strings.ReplaceAll(text, "\n", "\n   "))
	return err
}
