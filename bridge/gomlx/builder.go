package gomlx

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/cutile-go/cutile/graph"
	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/shapes"
)

// Builder builds a computation. It is for one goroutine.
type Builder struct {
	backend *Backend
	name    string
	graph   *graph.Graph // nil after Compile
	names   []string     // of parameters
	shapes  []shapes.Shape
}

var _ backends.Builder = (*Builder)(nil)

// Builder returns a builder of a computation.
func (b *Backend) Builder(name string) backends.Builder {
	return &Builder{backend: b, name: name, graph: graph.New()}
}

// pair is an array of the graph: two for the real and the imaginary parts of complex numbers, else im is nil.
type pair struct{ re, im *graph.Value }

// err returns the mistake that an array stands for.
func (p pair) err() error {
	if p.im != nil {
		return errors.Join(p.re.Err(), p.im.Err())
	}
	return p.re.Err()
}

// op is what GoMLX holds for the result of an operation.
type op struct {
	pair
	builder *Builder
	shape   shapes.Shape
}

// usable returns an error after Compile or Finalize.
func (b *Builder) usable(t backends.OpType) error {
	if b.graph == nil {
		return fmt.Errorf("cutile: %s: the builder %q has compiled its computation: make another one", t, b.name)
	}
	return b.backend.usable()
}

// operands checks that ops are results of the builder's operations.
func (b *Builder) operands(t backends.OpType, ops ...backends.Op) ([]*op, error) {
	if err := b.usable(t); err != nil {
		return nil, err
	}
	list := make([]*op, len(ops))
	for i, x := range ops {
		o, ok := x.(*op)
		switch {
		case !ok || o == nil:
			return nil, fmt.Errorf("cutile: %s: operand %d is a %T, expected a result of the builder %q", t, i+1, x, b.name)
		case o.builder != b:
			return nil, fmt.Errorf("cutile: %s: operand %d belongs to the builder %q, expected one of the builder %q", t, i+1, o.builder.name, b.name)
		}
		list[i] = o
	}
	return list, nil
}

// result makes the Op of an array, or returns the mistake that it stands for.
func (b *Builder) result(t backends.OpType, p pair) (backends.Op, error) {
	if err := p.err(); err != nil {
		return nil, fmt.Errorf("cutile: %s: %w", t, err)
	}
	shape := shapes.Shape{DType: dtypeOf(p.re.DType(), p.im != nil), Dimensions: p.re.Shape()}
	return &op{pair: p, builder: b, shape: shape}, nil
}

// each applies an operation that only moves or adds elements to the real and the imaginary parts.
func (b *Builder) each(t backends.OpType, f func(v []*graph.Value) *graph.Value, ops ...backends.Op) (backends.Op, error) {
	list, err := b.operands(t, ops...)
	if err != nil {
		return nil, err
	}
	re, im, err := parts(t, list)
	if err != nil {
		return nil, err
	}
	p := pair{re: f(re)}
	if im != nil {
		p.im = f(im)
	}
	return b.result(t, p)
}

// parts gives the real and the imaginary parts of operands of one data type; im is nil for those that have none.
func parts(t backends.OpType, list []*op) (re, im []*graph.Value, err error) {
	for i, x := range list {
		if x.shape.DType != list[0].shape.DType {
			return nil, nil, fmt.Errorf("cutile: %s: operand %d is %s and operand 1 %s, expected the same data type: convert one of them", t, i+1, x.shape, list[0].shape)
		}
		re = append(re, x.re)
		if x.im != nil {
			im = append(im, x.im)
		}
	}
	return re, im, nil
}

// Name returns the name of the computation.
func (b *Builder) Name() string { return b.name }

// OpShape returns the shape of an operation's result.
func (b *Builder) OpShape(x backends.Op) (shapes.Shape, error) {
	list, err := b.operands(backends.OpTypeIdentity, x)
	if err != nil {
		return shapes.Invalid(), err
	}
	return list[0].shape.Clone(), nil
}

// Parameter adds an array that each execution is given.
func (b *Builder) Parameter(name string, shape shapes.Shape, sharding *backends.ShardingSpec) (backends.Op, error) {
	if err := b.usable(backends.OpTypeParameter); err != nil {
		return nil, err
	}
	if sharding != nil {
		return nil, fmt.Errorf("cutile: parameter %q: %w", name, errDevices)
	}
	s, err := storageOf(shape.DType)
	if err != nil {
		return nil, err
	}
	v := b.graph.Parameter(name, s.elem, s.tensorShape(shape.Dimensions)...)
	x, err := b.result(backends.OpTypeParameter, split(v, s))
	if err == nil {
		b.names, b.shapes = append(b.names, name), append(b.shapes, shape.Clone())
	}
	return x, err
}

// Constant adds an array with a copy of the elements of a slice.
func (b *Builder) Constant(flat any, dims ...int) (backends.Op, error) {
	if err := b.usable(backends.OpTypeConstant); err != nil {
		return nil, err
	}
	v := reflect.ValueOf(flat)
	if v.Kind() != reflect.Slice {
		return nil, fmt.Errorf("cutile: Constant: the elements are a %T, expected a slice", flat)
	}
	d, err := dtypeOfSlice(v)
	if err != nil {
		return nil, err
	}
	at, err := memoryOf(flat, shapes.Shape{DType: d, Dimensions: dims})
	if err != nil {
		return nil, err
	}
	s, err := storageOf(d)
	if err != nil {
		return nil, err
	}
	data := slices.Clone(unsafe.Slice((*byte)(at), v.Len()*int(v.Type().Elem().Size())))
	return b.result(backends.OpTypeConstant, split(graph.Raw(b.graph, s.elem, data, s.tensorShape(dims)...), s))
}

// split gives the real and the imaginary parts of an array as it lies in a tensor.
func split(v *graph.Value, s *storage) pair {
	if !s.complex || v.Err() != nil {
		return pair{re: v}
	}
	dims := v.Shape()[:v.Rank()-1]
	part := func(i int) *graph.Value { return graph.Reshape(graph.Narrow(v, -1, i, i+1), dims...) }
	return pair{part(0), part(1)}
}

// joined gives an array as it lies in a tensor.
func joined(p pair) *graph.Value {
	if p.im == nil {
		return p.re
	}
	return graph.Stack(-1, p.re, p.im)
}

// Compile makes the program that computes outputs. The builder cannot be used afterwards.
func (b *Builder) Compile(outputs []backends.Op, shardings []*backends.ShardingSpec) (backends.Executable, error) {
	list, err := b.operands(backends.OpTypeInvalid, outputs...)
	if err != nil {
		return nil, err
	}
	for _, s := range shardings {
		if s != nil {
			return nil, fmt.Errorf("cutile: Compile of %q: %w", b.name, errDevices)
		}
	}
	e := &Executable{backend: b.backend, name: b.name, names: b.names, inputs: b.shapes}
	values := make([]*graph.Value, len(list))
	for i, x := range list {
		s, err := storageOf(x.shape.DType)
		if err != nil {
			return nil, err
		}
		values[i] = joined(x.pair)
		e.outputs, e.storages = append(e.outputs, x.shape), append(e.storages, s)
	}
	g := b.graph
	b.graph = nil
	if e.program, err = g.Compile(context.Background(), b.backend.dev, values...); err != nil {
		return nil, fmt.Errorf("cutile: Compile of %q: %w", b.name, err)
	}
	return e, nil
}

var errDevices = errors.New("a back end has one device: computations over several devices are not supported")

// DistributedSPMD returns an error unless there is one device.
func (b *Builder) DistributedSPMD(numDevices int) error {
	if numDevices != 1 {
		return fmt.Errorf("cutile: DistributedSPMD over %d devices: %w", numDevices, errDevices)
	}
	return nil
}

// DistributedAutoSharding returns an error.
func (b *Builder) DistributedAutoSharding(...backends.Mesh) error {
	return fmt.Errorf("cutile: DistributedAutoSharding: %w", errDevices)
}

// DeviceAssignment takes device 0 alone.
func (b *Builder) DeviceAssignment(devices ...backends.DeviceNum) error {
	if len(devices) != 1 || devices[0] != 0 {
		return fmt.Errorf("cutile: DeviceAssignment of %v: %w, number 0", devices, errDevices)
	}
	return nil
}

// AllReduce returns an error.
func (b *Builder) AllReduce([]backends.Op, backends.ReduceOpType, [][]int) ([]backends.Op, error) {
	return nil, fmt.Errorf("cutile: AllReduce: %w", errDevices)
}
