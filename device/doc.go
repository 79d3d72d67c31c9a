// Package device provides the devices that run kernels, their streams and events, and the tensors in their memory.
//
// Programs use it through package cutile, which has the same types under the same names: cutile.Device is [Device], and so on.
// Packages cutile and cute, which compile and launch kernels, are both built on it.
//
// [Open] returns a [Device]. [NewTensor] and [FromSlice] make a [Tensor] on it, whose methods make views and copy
// elements to and from Go's memory. Work is queued on a [Stream]; an [Event] marks a position in a stream. Work on one
// stream runs in order, and work on several streams is ordered where it uses the same memory.
package device
