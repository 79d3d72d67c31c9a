//go:build amd64 || arm64

package nccl

// libraries are looked for by the system's loader, in this order.
var libraries = []string{"libnccl.so.2", "libnccl.so"}
