// Package kernels has no kernels itself. Its folders contain ready-made kernels, one subject each, which use only the
// public packages.
//
//   - gemm: matrix products: batched, with bias and activation, split along k, persistent, of integers, with factors, of several sizes in
//     one launch, and of groups of rows with a matrix each, whose bounds lie on the device, with gradients
//   - attention: flash attention with grouped heads, plain and causal, forward and backward; split decoding from a cache; all of them also
//     with lengths, windows, sinks, a soft cap, a bias and a mask of booleans, with the gradient of the bias; sequences of different
//     lengths one after the other; caches in pages, and of latent rows; neighbourhoods, and lists of keys
//   - delta: linear attention with the gated delta rule, token by token and in chunks
//   - conv: convolutions along one axis or two, plain and transposed, with groups, forward and backward
//   - pool: greatest elements and averages of windows, of planes and of parts of planes, forward and backward
//   - quant: linear layers of MXFP8 and NVFP4, and of floats of 8 bits with float32 scales of blocks, and rounding to them;
//     linear layers with integer weights of 8 and 4 bits
//   - norm: rows (also with a residual, a gate, sums of powers, the dynamic tanh), batches, groups of channels and single channels of images,
//     forward and backward
//   - softmax: softmax and sparsemax, forward and backward
//   - loss: cross entropy, also with the linear layer before it, losses of pairs of numbers, and GRPO, forward and backward
//   - optim: gradient descent, Adam, AdamW and Lion, also for weights of 16 bits
//   - moe: mixtures of experts, with routes from the host, or with experts chosen and pairs sorted on the device, with gradients
//   - hyper: hyper-connections of several streams; gradients, except those of factors that follow from the streams
//   - qkv: normalisation, rotary embedding and key-value cache in one kernel
//   - sample: random columns of rows of logits, with temperature, top-k, top-p and min-p
//   - rope, kvcache, argmax, dropout: other parts of transformers
//   - embedding: rows of tables, one by one and in bags, with gradients
//   - fft: Fourier transforms of rows, forward and inverse
//   - transpose, pointwise: copies with reordered axes, elementwise functions of the caller, gated units with gradients
//
// Each folder has functions such as gemm.Run, which check shapes, choose tiles and queue the kernels on a device or a
// stream. The kernels themselves are exported, and generic in elements and extents, for programs that make these
// choices with cutile.Launch, cutile.Sized and cutile.Export. Kernels are compiled when they are first used.
//
// With [UseRecords], some functions take tiles that [cutile.Tune] has found on the device.
//
// Functions on 16-bit elements compute in float32. The choice of tiles affects only the last bits of results.
package kernels
