// Package traceprofile makes a profile of what programs did on devices: of the traces that they wrote (package internal/trace), tables of
// kernels, copies, compilations and waits, and what the host did meanwhile.
package traceprofile
