package cudrv

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNoDriver is what [errors.Is] finds in the errors of [Open]: there is no usable CUDA driver here.
var ErrNoDriver = errors.New("no usable CUDA driver")

// Error is a call of the driver that failed.
type Error struct {
	Call string // the function, such as "cuMemAlloc"
	Code Result
	Text string // the driver's sentence; may be empty
	Log  string // of the driver's compiler, where the call was loading a module
}

// advice says what to do about the common results.
var advice = map[Result]string{
	OutOfMemory:         "free tensors that are no longer used, use smaller ones, or find the process that holds the memory with nvidia-smi",
	NoDevice:            "no NVIDIA GPU is visible: check nvidia-smi and CUDA_VISIBLE_DEVICES",
	InvalidDevice:       "there is no GPU with this number: see nvidia-smi -L and CUDA_VISIBLE_DEVICES",
	InvalidImage:        "the driver cannot read the code: update the NVIDIA driver, or compile again with a toolchain that is not newer than it",
	NoBinaryForGPU:      "the code was made for another GPU: compile it for this one",
	LaunchOutOfResource: "the kernel needs more registers or shared memory than the GPU has: use smaller tiles",
	3:                   "call Init first",
	34:                  "a stub was loaded, not the driver: take CUDA's stubs folder out of the library path",
	36:                  "update the NVIDIA driver",
	46:                  "the GPU is in use by another process in exclusive mode, or is being reset",
	218:                 "the PTX is wrong; the log says where",
	221:                 "the driver's PTX compiler library is missing: install the whole NVIDIA driver",
	222:                 "the PTX is newer than the driver: update the NVIDIA driver",
	304:                 "the operating system refused: check the permissions of /dev/nvidia*, and in a container that the GPU is passed in",
	800:                 "no permission: check the permissions of /dev/nvidia*, and in a container that the GPU is passed in",
	802:                 "the GPU's fabric is not ready: is nvidia-fabricmanager running?",
	803:                 "the driver's library and kernel module differ in version: reboot, or install one version of both",
	804:                 "the compatibility library does not support this GPU: use the library of the installed driver",
	999:                 "see the system's log for what the NVIDIA driver wrote (dmesg, lines with Xid)",
}

// Error is "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory; free tensors …".
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s (%d)", e.Call, e.Code, int(e.Code))
	if e.Text != "" {
		b.WriteString(": " + e.Text)
	}
	if a := advice[e.Code]; a != "" {
		b.WriteString("; " + a)
	}
	if log := strings.TrimSpace(e.Log); log != "" {
		b.WriteString("\n\t" + strings.ReplaceAll(log, "\n", "\n\t"))
	}
	return b.String()
}

// Is makes errors.Is(err, &Error{Code: c}) true for every call that failed with c.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && (t.Call == "" || t.Call == e.Call)
}

// Code is the driver's result in err, Success where err holds none.
func Code(err error) Result {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Success
}

// LoadError says why the driver's library could not be used.
type LoadError struct {
	Tried  []string // libraries, in order
	Reason string   // of the last
	Advice string
}

// Error is one sentence, then what to do.
func (e *LoadError) Error() string {
	text := "no CUDA driver"
	if len(e.Tried) > 0 {
		text += " (tried " + strings.Join(e.Tried, ", ") + ")"
	}
	return text + ": " + e.Reason + "; " + e.Advice
}

// Unwrap is [ErrNoDriver].
func (e *LoadError) Unwrap() error { return ErrNoDriver }

// VersionName writes a version of [Driver.DriverGetVersion] as people do: 13020 is "13.2".
func VersionName(v int) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }
