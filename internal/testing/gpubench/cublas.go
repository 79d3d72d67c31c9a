package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"github.com/cutile-go/cutile/internal/driver/shlib"
)

// blasEnv names cuBLAS's library in place of the usual ones.
const blasEnv = "CUTILE_LIBCUBLAS"

// blasLibraries are looked for in this order: by the system's loader, then where CUDA's toolkit puts them.
var blasLibraries = []string{
	"libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so.12",
}

// The functions of cuBLAS that are called.
const (
	blasCreate = iota
	blasDestroy
	blasGemmEx
	blasVersion
	numBLAS
)

var blasNames = [numBLAS]string{
	blasCreate: "cublasCreate_v2", blasDestroy: "cublasDestroy_v2", blasGemmEx: "cublasGemmEx", blasVersion: "cublasGetVersion_v2",
}

// The constants of cublas_api.h and library_types.h that are passed.
const (
	blasNoTranspose  = 0  // CUBLAS_OP_N
	blasFloat16      = 2  // CUDA_R_16F
	blasSumsFloat32  = 68 // CUBLAS_COMPUTE_32F
	blasAnyAlgorithm = -1 // CUBLAS_GEMM_DEFAULT
)

// blas is cuBLAS with a handle for the context that was current when it was opened. Its calls queue work on the default stream.
type blas struct {
	addr   [numBLAS]uintptr
	handle uintptr
	path   string
}

// loadBLAS loads the library.
func loadBLAS() (*blas, error) {
	paths := blasLibraries
	if path := os.Getenv(blasEnv); path != "" {
		paths = []string{path}
	}
	lib, path, err := shlib.First(paths)
	if err != nil {
		return nil, fmt.Errorf("no cuBLAS (tried %s): %w", strings.Join(paths, ", "), err)
	}
	b := &blas{path: path}
	for i, name := range blasNames {
		if b.addr[i] = shlib.Symbol(lib, name); b.addr[i] == 0 {
			return nil, fmt.Errorf("%s has no function %s", path, name)
		}
	}
	return b, nil
}

// call calls a function and makes an error of its status.
//
//go:uintptrescapes
func (b *blas) call(f int, args ...uintptr) error {
	if status := int32(shlib.Call(b.addr[f], args...)); status != 0 {
		return fmt.Errorf("%s: status %d", blasNames[f], status)
	}
	return nil
}

// create makes the handle.
func (b *blas) create() error {
	return b.call(blasCreate, uintptr(unsafe.Pointer(&b.handle)))
}

func (b *blas) destroy() error { return b.call(blasDestroy, b.handle) }

// version is such as 130400.
func (b *blas) version() (int, error) {
	var v int32
	err := b.call(blasVersion, b.handle, uintptr(unsafe.Pointer(&v)))
	return int(v), err
}

// multiply queues c = a·b for matrices of float16 in rows, at addresses of the device, with sums of float32. cuBLAS has matrices in columns,
// in which these are transposed, and so it computes cᵀ = bᵀ·aᵀ.
func (b *blas) multiply(m, n, k int, x, y, z uint64) error {
	if m > maxBLAS || n > maxBLAS || k > maxBLAS {
		return errors.New("cuBLAS takes extents of 32 bits")
	}
	any, one, zero := int32(blasAnyAlgorithm), float32(1), float32(0)
	return b.call(blasGemmEx, b.handle, blasNoTranspose, blasNoTranspose, uintptr(n), uintptr(m), uintptr(k), uintptr(unsafe.Pointer(&one)),
		uintptr(y), blasFloat16, uintptr(n), uintptr(x), blasFloat16, uintptr(k), uintptr(unsafe.Pointer(&zero)), uintptr(z), blasFloat16, uintptr(n),
		blasSumsFloat32, uintptr(uint32(any)))
}

const maxBLAS = 1<<31 - 1
