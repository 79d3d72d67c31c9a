//go:build !(linux && (amd64 || arm64))

package nccl

// libraries is empty: there is no NCCL.
var libraries []string
