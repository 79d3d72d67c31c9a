// Package kernels has no code of its own: its folders are ready kernels, one a subject, written with the packages that any
// user has.
//
//   - gemm: matrix products, in batches, with bias and activation, in parts, persistent, of integers
//   - attention: flash attention with grouped heads, plain and causal, forward and backward; decoding from a cache in parts
//   - quant: linear layers of MXFP8 and NVFP4, and rounding to them
//   - norm, softmax: forward and backward
//   - moe: mixtures of experts
//   - qkv: normalisation, rotary embedding and key-value cache in one kernel
//   - rope, kvcache, embedding, argmax, dropout: what else a transformer needs
//   - fft: Fourier transforms of rows, forward and inverse
//   - transpose, pointwise: copies in another order, functions of the caller's own
//
// Each folder has functions such as gemm.Run, which check shapes, choose tiles and queue the kernels on a device or a stream;
// and the kernels themselves, generic in elements and extents, for programs that choose for themselves with cutile.Launch,
// cutile.Sized and cutile.Export. Nothing is compiled before it is used.
//
// Functions of 16-bit elements compute in float32. Results do not depend on the tiles that are chosen, last bits aside.
package kernels
