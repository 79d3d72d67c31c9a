//go:build !(linux && (amd64 || arm64))

package mpi

// libraries is empty: MPI was tested on Linux alone.
var libraries map[Family][]string
