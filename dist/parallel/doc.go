// Package parallel trains one network in the processes of a [dist.Group]: copies of it, or parts of its layers and sequences.
//
// # Data parallel training
//
// Each process has a copy of the network, computes the gradients of its share of a batch, and gets the sum of the gradients of all processes,
// so that all copies take the same step. [Gradients] holds the gradients in buckets, which are tensors of some megabytes, and the tensors that
// the backward pass writes are views of them: nothing is copied. As soon as all gradients of a bucket are ready, its sum is queued on the
// group's stream, while the backward pass computes those of the next one:
//
//	grads, err := parallel.NewGradients[float32](ctx, group, []parallel.Parameter{
//		{Name: "w2", Shape: []int{128, 10}}, // in the order in which the backward pass computes them
//		{Name: "w1", Shape: []int{64, 128}},
//	})
//	...
//	err = parallel.Replicate(ctx, group, w1, w2) // all start with the parameters of rank 0
//	for each batch {
//		... launches that write grads.Tensor(0)
//		err = grads.Ready(ctx, grads.Tensor(0))
//		... launches that write grads.Tensor(1)
//		err = grads.Ready(ctx, grads.Tensor(1))
//		err = grads.Finish(ctx)
//		... launches that read the sums and change the parameters
//	}
//
// # The same bits with any number of processes
//
// [WithParts] divides each batch into a number of parts, of which each process computes some. In a group that was made with
// [dist.WithTree], sums of float32 and float64 then have the same bits with any number of processes that the parts allow, one process among them.
// So training that was stopped in four processes can go on in two.
//
// # Layers in parts
//
// [ColumnLinear] and [RowLinear] compute linear layers of which each process has a part of the weights, and their gradients: tensor parallel layers.
//
// # Sequences in parts
//
// [RingAttention] computes attention over sequences of which each process has a part, and its gradients. [Ring] says which part.
//
// docs/scale.md says what these send, and how long steps take.
package parallel
