package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/graph"
	"github.com/cutile-go/cutile/onnx"
)

// options are what the flags of a command say.
type options struct {
	file   string
	shapes map[string][]int    // of inputs
	known  map[string][]string // elements of inputs
	stages string
	device string
	runs   int
}

// flagSet makes the flags of a command.
func (c *command) flagSet() (*flag.FlagSet, *options) {
	o := &options{shapes: map[string][]int{}, known: map[string][]string{}}
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	for _, name := range c.flags {
		flags[name](fs, o)
	}
	return fs, o
}

// flags define the flags that commands have.
var flags = map[string]func(fs *flag.FlagSet, o *options){
	"shape": func(fs *flag.FlagSet, o *options) {
		fs.Func("shape", "the extents of an input, as `name=extents`, such as x=1x3x224x224; may be repeated", o.addShape)
	},
	"known": func(fs *flag.FlagSet, o *options) {
		fs.Func("known", "the elements of an input that decides on shapes, as `name=elements`, such as steps=3 or size=224,224; may be repeated", o.addKnown)
	},
	"stage": func(fs *flag.FlagSet, o *options) {
		fs.StringVar(&o.stages, "stage", "all", "the `stages` to show, separated by commas")
	},
	"device": func(fs *flag.FlagSet, o *options) {
		fs.StringVar(&o.device, "device", "", "the `name` of the device, such as cpu or cuda:0; by default a GPU if there is one")
	},
	"runs": func(fs *flag.FlagSet, o *options) {
		o.runs = graph.DefaultRuns
		fs.Func("runs", fmt.Sprintf("the `number` of runs to measure, of which the least time counts (default %d)", o.runs), o.setRuns)
	},
}

func (o *options) setRuns(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return errors.New("want a whole number from 1 on")
	}
	o.runs = n
	return nil
}

// maxElements is the greatest number of elements of an input.
const maxElements = 1 << 28

func (o *options) addShape(text string) error {
	name, extents, ok := cutLast(text)
	if !ok {
		return errors.New("want name=extents, such as x=1x3x224x224")
	}
	shape, n := []int{}, 1
	if extents != "" {
		for _, e := range strings.Split(extents, "x") {
			d, err := strconv.Atoi(e)
			if err != nil || d < 0 {
				return fmt.Errorf("the extent %q is no whole number from 0 on: want extents such as 1x3x224x224", e)
			}
			if shape = append(shape, d); d > 0 && n > maxElements/d {
				return fmt.Errorf("more than %d elements", maxElements)
			}
			n *= d
		}
	}
	return set(o.shapes, name, shape)
}

func (o *options) addKnown(text string) error {
	name, elements, ok := cutLast(text)
	if !ok || elements == "" {
		return errors.New("want name=elements, such as steps=3 or size=224,224")
	}
	return set(o.known, name, strings.Split(elements, ","))
}

// cutLast cuts a text at the last =, as names may contain one.
func cutLast(text string) (name, value string, ok bool) {
	i := strings.LastIndexByte(text, '=')
	if i <= 0 {
		return "", "", false
	}
	return text[:i], text[i+1:], true
}

func set[V any](m map[string]V, name string, v V) error {
	if _, twice := m[name]; twice {
		return fmt.Errorf("the input %q is named twice", name)
	}
	m[name] = v
	return nil
}

// open reports the inputs whose shapes are not known, with the flags that give them.
func (o *options) open(m *onnx.Model) error {
	var list, want []string
	for _, in := range m.Inputs() {
		if _, given := o.shapes[in.Name]; given || in.Rank >= 0 && !slices.ContainsFunc(in.Dims, func(d onnx.Dim) bool { return d.N < 0 }) {
			continue
		}
		if _, given := o.known[in.Name]; given && (in.Rank < 0 || in.Rank == 1) {
			continue
		}
		example := "1x1"
		if in.Rank >= 0 {
			extents := make([]string, in.Rank)
			for i, d := range in.Dims {
				extents[i] = strconv.Itoa(max(d.N, 1))
				if d.N == 0 {
					extents[i] = "0"
				}
			}
			example = strings.Join(extents, "x")
		}
		list, want = append(list, in.String()), append(want, "-shape "+in.Name+"="+example)
	}
	if list == nil {
		return nil
	}
	return fmt.Errorf("the model leaves the shapes of inputs open: %s; give them, as in %s, where 1 stands for an extent that the model is made for", strings.Join(list, ", "), strings.Join(want, " "))
}

// session opens a device, a session, and inputs for it.
func (o *options) session(ctx context.Context, m *onnx.Model, name string) (dev *device.Device, s *onnx.Session, inputs map[string]device.AnyTensor, err error) {
	if err := o.check(m); err != nil {
		return nil, nil, nil, err
	}
	if dev, err = device.Open(name); err != nil {
		return nil, nil, nil, err
	}
	if inputs, err = o.inputs(dev, m); err == nil {
		s, err = m.Session(dev, &onnx.Options{Known: slices.Sorted(maps.Keys(o.known))})
	}
	if err != nil {
		dev.Close()
		return nil, nil, nil, err
	}
	return dev, s, inputs, nil
}

// check compares the names in flags with the model's inputs, and reports shapes that are missing.
func (o *options) check(m *onnx.Model) error {
	var names []string
	for _, in := range m.Inputs() {
		names = append(names, in.Name)
	}
	for _, f := range []struct {
		flag  string
		given []string
	}{{"shape", slices.Sorted(maps.Keys(o.shapes))}, {"known", slices.Sorted(maps.Keys(o.known))}} {
		for _, name := range f.given {
			if !slices.Contains(names, name) {
				return usagef("-%s: the model has no input %q; its inputs are %s", f.flag, name, strings.Join(names, ", "))
			}
		}
	}
	return o.open(m)
}

// inputs makes a tensor for each input: of the elements that are given, or of zeros.
func (o *options) inputs(dev *device.Device, m *onnx.Model) (map[string]device.AnyTensor, error) {
	tensors := map[string]device.AnyTensor{}
	for _, in := range m.Inputs() {
		shape, given := o.shapes[in.Name]
		elements := o.known[in.Name]
		if !given {
			shape = make([]int, max(in.Rank, 0))
			for i, d := range in.Dims {
				shape[i] = d.N
			}
			if in.Rank < 0 || in.Rank == 1 && shape[0] < 0 { // only elements are given
				shape = []int{len(elements)}
			}
		}
		k := kinds[in.Elem]
		if k.zeros == nil {
			return nil, fmt.Errorf("input %v: this kind of value is not supported", in)
		}
		var err error
		if elements == nil {
			tensors[in.Name], err = k.zeros(dev, shape)
		} else {
			tensors[in.Name], err = k.of(dev, elements, shape)
		}
		if err != nil {
			return nil, fmt.Errorf("input %v: %w", in, err)
		}
	}
	return tensors, nil
}
