package simt

import "fmt"

// The limits of launches that no target differs in (CUDA C++ Programming Guide, compute capabilities). The front end, the verifier, the
// emulator and package interop all use these.
var (
	MaxGrid  = [3]int64{1<<31 - 1, 1<<16 - 1, 1<<16 - 1} // blocks of a grid along each axis
	MaxBlock = [3]int{MaxThreads, MaxThreads, 64}        // threads of a block along each axis
)

const (
	MaxThreads = 1024 // threads of a block
	// MaxCluster is how many blocks a cluster may have. Each GPU with clusters can run 8, and GPUs such as the H100 more, if a program says
	// that it does not depend on other GPUs; the CUDA engine says so for each kernel.
	MaxCluster  = 16
	MaxResident = 32 // blocks on one multiprocessor
)

// CheckBlock is the mistake in the extents of a block; nil for none.
func CheckBlock(d [3]int) error {
	for i, n := range d {
		switch {
		case n < 1:
			return fmt.Errorf("a block of %s threads: each extent must be at least 1", by(d))
		case n > MaxBlock[i]:
			return fmt.Errorf("a block of %s threads: it may have at most %d along %c", by(d), MaxBlock[i], "xyz"[i])
		}
	}
	if n := d[0] * d[1] * d[2]; n > MaxThreads {
		return fmt.Errorf("a block of %s is %d threads: it may have at most %d", by(d), n, MaxThreads)
	}
	return nil
}

// CheckCluster is the mistake in the extents of a cluster, of which there is one; nil for none.
func CheckCluster(d [3]int) error {
	blocks := 1
	for _, n := range d {
		if n < 1 || n > MaxCluster || blocks*n > MaxCluster {
			return fmt.Errorf("a cluster of %s blocks: each extent must be positive, and there may be at most %d blocks", by(d), MaxCluster)
		}
		blocks *= n
	}
	return nil
}

// CheckResident is the mistake in a number of blocks that a multiprocessor must hold at least, where 0 is no demand; nil for none.
func CheckResident(n int) error {
	if n < 0 || n > MaxResident {
		return fmt.Errorf("at least %d blocks on one multiprocessor: expected 1 to %d, or 0 for no demand", n, MaxResident)
	}
	return nil
}

// by gives "4 x 2 x 1".
func by(d [3]int) string { return fmt.Sprintf("%d x %d x %d", d[0], d[1], d[2]) }
