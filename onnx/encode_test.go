package onnx_test

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// message is a protobuf message that a test writes.
type message []byte

func (m message) bytes(field protowire.Number, b []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), b)
}

func (m message) text(field protowire.Number, s string) message { return m.bytes(field, []byte(s)) }

func (m message) number(field protowire.Number, x int64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), uint64(x))
}

// attribute is an AttributeProto: an int, ints, a float, a string, a tensor or a graph.
func attribute(name string, v any) message {
	m := message{}.text(1, name)
	switch v := v.(type) {
	case int:
		return m.number(3, int64(v)).number(20, 2)
	case []int:
		for _, x := range v {
			m = m.number(8, int64(x))
		}
		return m.number(20, 7)
	case float64:
		m = protowire.AppendFixed32(protowire.AppendTag(m, 2, protowire.Fixed32Type), math.Float32bits(float32(v)))
		return m.number(20, 1)
	case string:
		return m.text(4, v).number(20, 3)
	case graphProto:
		return m.bytes(6, v.encode()).number(20, 5)
	case message:
		return m.bytes(5, v).number(20, 4)
	}
	panic("BUG: an attribute of another type")
}

// tensorProto is a TensorProto with its elements in raw_data.
func tensorProto(name string, elem int64, raw []byte, dims ...int64) message {
	m := message{}
	for _, d := range dims {
		m = m.number(1, d)
	}
	return m.number(2, elem).text(8, name).bytes(9, raw)
}

// nodeProto is a NodeProto.
func nodeProto(op string, inputs, outputs []string, attributes ...message) message {
	m := message{}
	for _, s := range inputs {
		m = m.text(1, s)
	}
	for _, s := range outputs {
		m = m.text(2, s)
	}
	m = m.text(3, "the "+op).text(4, op)
	for _, a := range attributes {
		m = m.bytes(5, a)
	}
	return m
}

// infoProto is a ValueInfoProto; an extent below 0 is the symbol n.
func infoProto(name string, elem int64, dims ...int64) message {
	shape := message{}
	for _, d := range dims {
		if d < 0 {
			shape = shape.bytes(1, message{}.text(2, "n"))
		} else {
			shape = shape.bytes(1, message{}.number(1, d))
		}
	}
	return message{}.text(1, name).bytes(2, message{}.bytes(1, message{}.number(1, elem).bytes(2, shape)))
}

// graphProto is a GraphProto.
type graphProto struct{ nodes, initializers, inputs, outputs []message }

func (g graphProto) encode() message {
	m := message{}.text(2, "graph")
	for _, f := range []struct {
		number protowire.Number
		list   []message
	}{{1, g.nodes}, {5, g.initializers}, {11, g.inputs}, {12, g.outputs}} {
		for _, x := range f.list {
			m = m.bytes(f.number, x)
		}
	}
	return m
}

func modelProto(g graphProto, opset int64) []byte {
	return message{}.number(1, 8).bytes(7, g.encode()).bytes(8, message{}.number(2, opset))
}

// seeds are small models, which need nothing from outside.
func seeds() [][]byte {
	f32 := func(xs ...float32) (b []byte) {
		for _, x := range xs {
			b = protowire.AppendFixed32(b, math.Float32bits(x))
		}
		return b
	}
	i64 := func(xs ...int64) (b []byte) {
		for _, x := range xs {
			b = protowire.AppendFixed64(b, uint64(x))
		}
		return b
	}
	x, y := []message{infoProto("x", 1, -1, 4)}, []message{infoProto("y", 1)}
	one := func(n message, initializers ...message) []byte {
		return modelProto(graphProto{[]message{n}, initializers, x, y}, 18)
	}
	branch := func(op string) graphProto {
		return graphProto{nodes: []message{nodeProto(op, []string{"x"}, []string{"z"})}, outputs: []message{infoProto("z", 1)}}
	}
	return [][]byte{
		modelProto(graphProto{[]message{nodeProto("RandomNormalLike", []string{"x"}, []string{"r"}, attribute("seed", 1.0)), nodeProto("Unsqueeze", []string{"r", "n"}, []string{"u"}),
			nodeProto("DFT", []string{"u", "n"}, []string{"y"}, attribute("onesided", 1))}, []message{tensorProto("n", 7, i64(2), 1)}, x, y}, 18),
		one(nodeProto("Resize", []string{"x", "", "s"}, []string{"y"}, attribute("mode", "cubic"), attribute("antialias", 1)), tensorProto("s", 1, f32(1.5, 0.5), 2)),
		one(nodeProto("Relu", []string{"x"}, []string{"y"})),
		one(nodeProto("Gemm", []string{"x", "w"}, []string{"y"}, attribute("transB", 1), attribute("alpha", 0.5)), tensorProto("w", 1, f32(1, 2, 3, 4, 5, 6, 7, 8), 2, 4)),
		one(nodeProto("Reshape", []string{"x", "s"}, []string{"y"}), tensorProto("s", 7, i64(2, -1), 2)),
		one(nodeProto("Pad", []string{"x", "s"}, []string{"y"}, attribute("mode", "reflect")), tensorProto("s", 7, i64(0, 1, 0, 2), 4)),
		one(nodeProto("Slice", []string{"x", "a", "b", "c", "d"}, []string{"y"}), tensorProto("a", 7, i64(3), 1), tensorProto("b", 7, i64(-9), 1), tensorProto("c", 7, i64(1), 1), tensorProto("d", 7, i64(-2), 1)),
		one(nodeProto("If", []string{"c"}, []string{"y"}, attribute("then_branch", branch("Abs")), attribute("else_branch", branch("Neg"))), tensorProto("c", 9, []byte{1})),
		modelProto(graphProto{[]message{nodeProto("Shape", []string{"x"}, []string{"s"}), nodeProto("ConstantOfShape", []string{"s"}, []string{"o"}, attribute("value", tensorProto("", 1, f32(3), 1))),
			nodeProto("Add", []string{"x", "o"}, []string{"z"}), nodeProto("Transpose", []string{"z"}, []string{"y"}, attribute("perm", []int{1, 0}))}, nil, x, y}, 13),
	}
}
