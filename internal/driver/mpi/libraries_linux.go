//go:build amd64 || arm64

package mpi

// libraries are looked for by the system's loader, in this order.
var libraries = map[Family][]string{
	OpenMPI: {"libmpi.so.40", "libmpi.so"},
	MPICH:   {"libmpich.so.12", "libmpi.so.12", "libmpich.so"},
}
