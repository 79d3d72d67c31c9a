// Package mpi calls MPI: the calls that collectives on tensors need, no more. It loads the library when the program runs, so
// that a program needs neither cgo nor an installed MPI to be built.
//
// There are two binary interfaces. Open MPI's handles are addresses of symbols. MPICH's, which Intel MPI, MVAPICH and Cray's MPI
// have too, are numbers. [Start] tells them apart by the library's symbols.
package mpi

import "fmt"

// Family is a family of libraries with one binary interface.
type Family int

// The families.
const (
	OpenMPI Family = iota
	MPICH
)

// String gives the name that people use.
func (f Family) String() string {
	if f == OpenMPI {
		return "Open MPI"
	}
	return "MPICH"
}

// LibraryEnv is the environment variable that names the library, in place of the usual ones of the launcher's family.
const LibraryEnv = "CUTILE_LIBMPI"

// Type is a type of elements that MPI computes with.
type Type int

// The types.
const (
	Int8 Type = iota
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float32
	Float64
	numTypes
)

// Op is a reduction.
type Op int

// The reductions.
const (
	Sum Op = iota
	Product
	Max
	Min
	numOps
)

// Error is an error of an MPI call.
type Error struct {
	Call string
	Code int32
	Text string // the library's
}

// Error returns the call and the library's text.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s (code %d)", e.Call, e.Text, e.Code) }
