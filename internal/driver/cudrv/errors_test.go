package cudrv_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
)

func TestErrorText(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&cudrv.Error{Call: "cuInit", Code: cudrv.NoDevice, Text: "no device"},
			"cuInit: CUDA_ERROR_NO_DEVICE (100): no device; no NVIDIA GPU is visible: check nvidia-smi and CUDA_VISIBLE_DEVICES"},
		{&cudrv.Error{Call: "cuModuleLoadDataEx", Code: cudrv.InvalidImage, Log: " a\nb\n"},
			"cuModuleLoadDataEx: CUDA_ERROR_INVALID_IMAGE (200); the driver cannot read the code: update the NVIDIA driver, or " +
				"compile again with a toolchain that is not newer than it\n\ta\n\tb"},
		{&cudrv.Error{Call: "cuX", Code: 12345}, "cuX: CUresult 12345 (12345)"},
		{&cudrv.Error{Call: "cuMemFree", Code: cudrv.InvalidValue, Text: "bad"}, "cuMemFree: CUDA_ERROR_INVALID_VALUE (1): bad"},
		{&cudrv.Error{Call: "cuInit", Code: 800}, "cuInit: CUDA_ERROR_NOT_PERMITTED (800); no permission: check the permissions of " +
			"/dev/nvidia*, and in a container that the GPU is passed in"},
		{&cudrv.LoadError{Tried: []string{"a", "b"}, Reason: "no file", Advice: "do this"}, "no CUDA driver (tried a, b): no file; do this"},
		{&cudrv.LoadError{Reason: "none here", Advice: "do that"}, "no CUDA driver: none here; do that"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestCode(t *testing.T) {
	err := fmt.Errorf("around: %w", &cudrv.Error{Call: "cuMemAlloc", Code: cudrv.OutOfMemory})
	if cudrv.Code(err) != cudrv.OutOfMemory || cudrv.Code(nil) != cudrv.Success || cudrv.Code(errors.New("x")) != cudrv.Success {
		t.Error("Code does not find the driver's result")
	}
	for _, c := range []struct {
		target *cudrv.Error
		want   bool
	}{
		{&cudrv.Error{Code: cudrv.OutOfMemory}, true},
		{&cudrv.Error{Call: "cuMemAlloc", Code: cudrv.OutOfMemory}, true},
		{&cudrv.Error{Call: "cuMemFree", Code: cudrv.OutOfMemory}, false},
		{&cudrv.Error{Code: cudrv.NotReady}, false},
	} {
		if got := errors.Is(err, c.target); got != c.want {
			t.Errorf("errors.Is with %v is %v", c.target, got)
		}
	}
}

// Results that poison a context, from the sentences on cudaError_t and CUresult in the driver's documentation: the process
// must end to go on using CUDA.
func TestSticky(t *testing.T) {
	sticky := map[cudrv.Result]bool{cudrv.IllegalAddress: true, cudrv.Assert: true, cudrv.LaunchFailed: true, 702: true, 714: true,
		715: true, 716: true, 717: true, 718: true}
	for _, r := range []cudrv.Result{cudrv.Success, cudrv.OutOfMemory, cudrv.InvalidValue, cudrv.NotReady, cudrv.LaunchOutOfResource,
		cudrv.InvalidImage} {
		sticky[r] = false
	}
	for r, want := range sticky {
		if text, got := r.Sticky(); got != want || got != (text != "") {
			t.Errorf("%v: sticky %v with text %q, want %v", r, got, text, want)
		}
	}
}

func TestVersionName(t *testing.T) {
	for v, want := range map[int]string{13040: "13.4", 12090: "12.9", 13000: "13.0", 11010: "11.1"} {
		if got := cudrv.VersionName(v); got != want {
			t.Errorf("%d is %q, want %q", v, got, want)
		}
	}
}
