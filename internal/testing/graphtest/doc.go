// Package graphtest computes graphs of array operations in plain Go, element by element and as the definitions of the operations
// say, and makes random graphs. Tests compare what the compiler of graphs computes with it.
package graphtest
