// Package llama computes language models of the kinds of Llama, Mistral and Qwen: transformers with rotary positions, RMS
// normalisation, grouped heads and gated feed-forward parts. It reads their checkpoints, keeps the keys and values of several
// texts on a device and computes the next tokens of all of them together.
//
// Every step is a kernel of the packages below kernels, but for the few of this package.
package llama
