package mpitest

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// DeviceEnv names the device of a process of a job, if it is not the CPU. It is for dist.Process.Device.
const DeviceEnv = "CUTILE_MPITEST_DEVICE"

// StandIns builds stand-ins in C for the CUDA driver and for NCCL, and gives the variables that make a process use them: the driver alone, and
// both. The machine has eight GPUs. top is the folder of the module.
func StandIns(t *testing.T, top string) (driver, ccl []string) {
	t.Helper()
	build := func(name string, source ...string) string {
		out := filepath.Join(t.TempDir(), name)
		file := filepath.Join(append([]string{top, "internal", "driver"}, source...)...)
		if b, err := exec.Command(testenv.CC(t), "-O1", "-shared", "-fPIC", "-o", out, file).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, b)
		}
		return out
	}
	driver = []string{"CUTILE_LIBCUDA=" + build("libcuda.so.1", "cudrv", "testdata", "driver.c"), "DRIVER_TEST_GPUS=8", DeviceEnv + "=cuda"}
	ccl = append([]string{"CUTILE_LIBNCCL=" + build("libnccl.so.2", "nccl", "testdata", "nccl.c")}, driver...)
	return slices.Clip(driver), slices.Clip(ccl) // tests append to them
}
