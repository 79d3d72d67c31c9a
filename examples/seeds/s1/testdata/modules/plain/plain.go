// Package plain knows nothing of kernels.
package plain

// Double is for hosts.
func Double[T ~float64](x T) T { return x * 2 }
