// Package ir represents graphs of array operations. A [Graph] holds nodes in an order in which each node follows its operands; a
// [Node] is an array with an element type and a shape, and the operation that computes it. The methods of Graph check their
// operands and compute the shape of the result; their errors do not name the operation, as the caller knows what its user asked
// for. Operations are few: what can be expressed by others, such as a softmax or a convolution, is not one. A table lists them, and
// another one the functions of elements that a pointwise operation can compute.
package ir
