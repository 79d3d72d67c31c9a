// Package onnx reads ONNX models and runs them on any device of package cutile.
//
// [ReadFile] reads a model, and a [Session] runs it:
//
//	m, err := onnx.ReadFile("model.onnx")
//	s, err := m.Session(dev, nil)
//	out, err := s.Run(ctx, map[string]device.AnyTensor{"x": x})
//
// For each combination of shapes of its inputs, a session builds a graph of package graph and compiles it into few kernels; it keeps
// those that were used last. Weights are constants of each graph, and its graphs share them. To compile a graph takes longer than several
// runs. Where extents vary, as the lengths of texts do, round them up, to multiples of 16 for example, and mask what is added.
//
// # Shapes
//
// All shapes are known when a graph is built. Integers that describe shapes, such as those that the operators Shape, Gather and
// Concat make for a Reshape, are computed while it is built, and so is anything else that depends on constants alone, if a shape
// needs it. A shape that depends on elements of an input is refused, unless [Options].Known names that input. Loops and recurrent
// networks are unrolled; of an If whose condition is not known, both branches are computed, and must have results of the same shape.
//
// # What is refused
//
// A model is right or refused: an operator, an attribute, an element type or a version that is not supported is an error that names
// the node. Indices that are not known when a graph is built, and lie outside of the array, are clamped by Gather and its like, and
// their updates are dropped by Scatter and its like; ONNX leaves undefined what happens then.
//
// Files may come from anyone. Their elements are not copied, and what a file claims is compared with what is there before memory is
// reserved for it. Paths of external data must stay in the model's folder. Arrays have at most [Options].MaxElements elements, and 16
// axes; a file has at most 65536 nodes, in all its graphs and functions, and a model as many that are built, those of functions counted
// once for each call, those of loops once for each iteration, of which there are at most 4096; graphs and functions are nested 64 deep at
// most. What a file has is counted when it is read.
package onnx
