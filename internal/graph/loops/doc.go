// Package loops decides which kernels compute a graph, and what each of them computes. A [Kernel] is a nest of loops: it has axes,
// and stores the value of an [Expr] for each position along them. An expression holds the computation of many nodes: a node that
// is not materialised is computed where its value is needed, and operations that only move elements become part of the places
// where elements are loaded.
//
// A node is materialised, which means that it has memory, if it is a result, if several kernels would otherwise compute it at
// some cost, or if no kernel can compute it in the midst of others. Reductions and matrix products are part of the kernel
// that uses them where the kernel's axes allow that: a softmax is one kernel, and so is a matrix product with what follows it.
package loops
