package wire

import "google.golang.org/protobuf/encoding/protowire"

// Model is a ModelProto.
type Model struct {
	IR        int64
	Producer  string
	Graph     *Graph
	Opsets    []*Opset
	Functions []*Function
}

// Opset is an OperatorSetIdProto.
type Opset struct {
	Domain  string
	Version int64
}

// Graph is a GraphProto.
type Graph struct {
	Name         string
	Nodes        []*Node
	Initializers []*Tensor
	Sparse       []*Sparse
	Inputs       []*Info
	Outputs      []*Info
}

// Function is a FunctionProto.
type Function struct {
	Name, Domain, Overload string
	Inputs, Outputs        []string
	Attributes             []string     // without a default
	Defaults               []*Attribute // with one
	Nodes                  []*Node
	Opsets                 []*Opset
}

// Node is a NodeProto.
type Node struct {
	Inputs, Outputs            []string
	Name, Op, Domain, Overload string
	Attributes                 []*Attribute
}

// Attribute is an AttributeProto.
type Attribute struct {
	Name    string
	F       float32
	I       int64
	S       []byte
	T       *Tensor
	G       *Graph
	Floats  []float32
	Ints    []int64
	Strings []string
	Type    int64
	Ref     string // the attribute of the function that it stands for
	Other   bool   // it has a field that is not read: tensors, graphs, types, sparse tensors
}

// Tensor is a TensorProto.
type Tensor struct {
	Name     string
	Dims     []int64
	Type     int64
	Floats   []float32
	Int32s   []int64
	Int64s   []int64
	Doubles  []float64
	Uint64s  []uint64
	Strings  []string
	Raw      []byte
	External []*Entry
	Location int64
	Segment  bool
}

// Sparse is a SparseTensorProto, whose elements are not read.
type Sparse struct{}

// Entry is a StringStringEntryProto.
type Entry struct{ Key, Value string }

// Info is a ValueInfoProto.
type Info struct {
	Name string
	Type *Type
}

// Type is a TypeProto.
type Type struct {
	Tensor   *TensorType
	Sequence *Type
	Optional *Type
	Other    bool
}

// TensorType is a TypeProto.Tensor.
type TensorType struct {
	Elem  int64
	Shape *Shape
}

// Shape is a TensorShapeProto.
type Shape struct{ Dims []*Dim }

// Dim is a TensorShapeProto.Dimension: a number, a name, or neither.
type Dim struct {
	Value int64
	Param string
	Known bool
}

// DecodeModel decodes a model. Its tensors share the memory of b.
func DecodeModel(b []byte) (*Model, error) { return decode(b, 0, modelFields()) }

// DecodeTensor decodes a TensorProto, which ONNX's tests keep in files of their own.
func DecodeTensor(b []byte) (*Tensor, error) { return decode(b, 0, tensorFields()) }

func modelFields() table[Model] {
	return table[Model]{
		1: integer(func(m *Model) *int64 { return &m.IR }),
		2: text(func(m *Model) *string { return &m.Producer }),
		7: message(graphFields, func(m *Model) **Graph { return &m.Graph }),
		8: messages(opsetFields, func(m *Model) *[]*Opset { return &m.Opsets }),

		25: messages(functionFields, func(m *Model) *[]*Function { return &m.Functions }),
	}
}

func opsetFields() table[Opset] {
	return table[Opset]{1: text(func(m *Opset) *string { return &m.Domain }), 2: integer(func(m *Opset) *int64 { return &m.Version })}
}

func graphFields() table[Graph] {
	return table[Graph]{
		1:  messages(nodeFields, func(m *Graph) *[]*Node { return &m.Nodes }),
		2:  text(func(m *Graph) *string { return &m.Name }),
		5:  messages(tensorFields, func(m *Graph) *[]*Tensor { return &m.Initializers }),
		11: messages(infoFields, func(m *Graph) *[]*Info { return &m.Inputs }),
		12: messages(infoFields, func(m *Graph) *[]*Info { return &m.Outputs }),
		15: messages(sparseFields, func(m *Graph) *[]*Sparse { return &m.Sparse }),
	}
}

func sparseFields() table[Sparse] { return nil }

func functionFields() table[Function] {
	return table[Function]{
		1:  text(func(m *Function) *string { return &m.Name }),
		4:  texts(func(m *Function) *[]string { return &m.Inputs }),
		5:  texts(func(m *Function) *[]string { return &m.Outputs }),
		6:  texts(func(m *Function) *[]string { return &m.Attributes }),
		7:  messages(nodeFields, func(m *Function) *[]*Node { return &m.Nodes }),
		9:  messages(opsetFields, func(m *Function) *[]*Opset { return &m.Opsets }),
		10: text(func(m *Function) *string { return &m.Domain }),
		11: messages(attributeFields, func(m *Function) *[]*Attribute { return &m.Defaults }),
		13: text(func(m *Function) *string { return &m.Overload }),
	}
}

func nodeFields() table[Node] {
	return table[Node]{
		1: texts(func(m *Node) *[]string { return &m.Inputs }),
		2: texts(func(m *Node) *[]string { return &m.Outputs }),
		3: text(func(m *Node) *string { return &m.Name }),
		4: text(func(m *Node) *string { return &m.Op }),
		5: messages(attributeFields, func(m *Node) *[]*Attribute { return &m.Attributes }),
		7: text(func(m *Node) *string { return &m.Domain }),
		8: text(func(m *Node) *string { return &m.Overload }),
	}
}

func attributeFields() table[Attribute] {
	other := func(m *Attribute, v value) error { m.Other = true; return v.is(protowire.BytesType) }
	return table[Attribute]{
		1:  text(func(m *Attribute) *string { return &m.Name }),
		2:  func(m *Attribute, v value) error { m.F = toFloat32(v.number); return v.is(protowire.Fixed32Type) },
		3:  integer(func(m *Attribute) *int64 { return &m.I }),
		4:  data(func(m *Attribute) *[]byte { return &m.S }),
		5:  message(tensorFields, func(m *Attribute) **Tensor { return &m.T }),
		6:  message(graphFields, func(m *Attribute) **Graph { return &m.G }),
		7:  numbers(protowire.Fixed32Type, func(m *Attribute) *[]float32 { return &m.Floats }, toFloat32),
		8:  numbers(protowire.VarintType, func(m *Attribute) *[]int64 { return &m.Ints }, toInt64),
		9:  texts(func(m *Attribute) *[]string { return &m.Strings }),
		10: other, 11: other, 14: other, 15: other, 22: other, 23: other,
		20: integer(func(m *Attribute) *int64 { return &m.Type }),
		21: text(func(m *Attribute) *string { return &m.Ref }),
	}
}

func tensorFields() table[Tensor] {
	return table[Tensor]{
		1:  numbers(protowire.VarintType, func(m *Tensor) *[]int64 { return &m.Dims }, toInt64),
		2:  integer(func(m *Tensor) *int64 { return &m.Type }),
		3:  func(m *Tensor, v value) error { m.Segment = true; return v.is(protowire.BytesType) },
		4:  numbers(protowire.Fixed32Type, func(m *Tensor) *[]float32 { return &m.Floats }, toFloat32),
		5:  numbers(protowire.VarintType, func(m *Tensor) *[]int64 { return &m.Int32s }, toInt64),
		6:  texts(func(m *Tensor) *[]string { return &m.Strings }),
		7:  numbers(protowire.VarintType, func(m *Tensor) *[]int64 { return &m.Int64s }, toInt64),
		8:  text(func(m *Tensor) *string { return &m.Name }),
		9:  data(func(m *Tensor) *[]byte { return &m.Raw }),
		10: numbers(protowire.Fixed64Type, func(m *Tensor) *[]float64 { return &m.Doubles }, toFloat64),
		11: numbers(protowire.VarintType, func(m *Tensor) *[]uint64 { return &m.Uint64s }, toUint64),
		13: messages(entryFields, func(m *Tensor) *[]*Entry { return &m.External }),
		14: integer(func(m *Tensor) *int64 { return &m.Location }),
	}
}

func entryFields() table[Entry] {
	return table[Entry]{1: text(func(m *Entry) *string { return &m.Key }), 2: text(func(m *Entry) *string { return &m.Value })}
}

func infoFields() table[Info] {
	return table[Info]{1: text(func(m *Info) *string { return &m.Name }), 2: message(typeFields, func(m *Info) **Type { return &m.Type })}
}

func typeFields() table[Type] {
	other := func(m *Type, v value) error { m.Other = true; return v.is(protowire.BytesType) }
	return table[Type]{
		1: message(tensorTypeFields, func(m *Type) **TensorType { return &m.Tensor }),
		4: message(wrapFields, func(m *Type) **Type { return &m.Sequence }),
		9: message(wrapFields, func(m *Type) **Type { return &m.Optional }),
		5: other, 8: other,
	}
}

// wrapFields decode a TypeProto.Sequence or TypeProto.Optional, whose only field is the type of the elements: that of Sequence here.
func wrapFields() table[Type] {
	return table[Type]{1: message(typeFields, func(m *Type) **Type { return &m.Sequence })}
}

func tensorTypeFields() table[TensorType] {
	return table[TensorType]{1: integer(func(m *TensorType) *int64 { return &m.Elem }), 2: message(shapeFields, func(m *TensorType) **Shape { return &m.Shape })}
}

func shapeFields() table[Shape] {
	return table[Shape]{1: messages(dimFields, func(m *Shape) *[]*Dim { return &m.Dims })}
}

func dimFields() table[Dim] {
	return table[Dim]{
		1: func(m *Dim, v value) error {
			m.Value, m.Known = int64(v.number), true
			return v.is(protowire.VarintType)
		},
		2: text(func(m *Dim) *string { return &m.Param }),
	}
}
