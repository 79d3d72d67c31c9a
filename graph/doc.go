// Package graph compiles graphs of array operations for any device of package cutile.
//
// A [Graph] is built from parameters, constants and operations. Nothing is computed before [Graph.Compile], which turns the graph
// into few kernels: operations on elements become part of the kernels that use their results, and so do operations that only
// move elements, reductions where their axes allow it, and what follows a matrix product. A [Program] then runs as often as
// needed, from any number of goroutines:
//
//	g := graph.New()
//	x := g.Parameter("x", dtype.F32, 8, 784)
//	w := graph.Constant(g, weights, 784, 10)
//	y := graph.Softmax(graph.MatMul(x, w), -1)
//	p, err := g.Compile(ctx, dev, y)
//	out, err := p.Run(ctx, dev, images) // images is a *cutile.Tensor[float32] of shape [8 784]
//	probabilities, err := out[0].(*cutile.Tensor[float32]).Slice()
//
// Shapes are fixed when a graph is built; a program for another shape is another graph. The programs of a device share what is the same
// in them: kernels, constants, and what is computed of constants when they are compiled. So a model that is compiled for several shapes
// has its weights once. Weights may also be parameters that take frozen tensors (Tensor.Freeze), which are packed for products once, as
// constants are.
//
// Operands of operations on elements are broadcast as in NumPy: axes are aligned at the last one, and an extent of 1 is repeated.
// Their element types must be the same; [Convert] converts. An axis may be negative: -1 is the last one. A mistake, such as shapes
// that do not fit, does not stop the building: Compile returns all mistakes with the lines that made them.
//
// [Program.Dump] shows what became of a graph: its operations with the lines that made them, the kernels that they were fused in, what
// each operation costs, and the Tile IR; the command cutile dump -graph does so for a function. [Program.Profile] measures the kernels.
//
// A mistake names the function that the program called, in lower case with _ between words, as in batch_norm or complex_mul; then, if the
// function is made of others, and the mistake is one that only an inner one finds, that one: "in slice". Lines of errors and dumps that
// are longer than 400 bytes, such as expressions of kernels, are cut in the middle. The Tile IR of a dump is whole.
//
// Runs with the same arguments give the same numbers. NaNs are NaNs, but their signs and other bits may differ from run to run, as a kernel
// may be interpreted before its machine code is there.
package graph
