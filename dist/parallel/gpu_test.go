//go:build linux && (amd64 || arm64) && !nocuda

package parallel_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/testing/mpitest"
)

// TestGPU: buckets in a GPU's memory are summed by MPI, and by NCCL.
func TestGPU(t *testing.T) {
	driver, ccl := mpitest.StandIns(t, "../..")
	mpitest.Each(t, func(t *testing.T, l *mpitest.Launcher) {
		right(t, l, 2, driver, "gpu")
		right(t, l, 2, ccl, "gpu")
	})
}
