package vulkan

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Result is the status of a call (VkResult). Zero is success, the positive ones say how it went, the others are errors.
type Result int32

// The results that the project tells apart.
const (
	Success              Result = 0
	NotReady             Result = 1
	Timeout              Result = 2
	Incomplete           Result = 5
	OutOfHostMemory      Result = -1
	OutOfDeviceMemory    Result = -2
	InitializationFailed Result = -3
	DeviceLost           Result = -4
	ExtensionNotPresent  Result = -7
	FeatureNotPresent    Result = -8
	IncompatibleDriver   Result = -9
	TooManyObjects       Result = -10
)

var resultNames = map[Result]string{
	0: "VK_SUCCESS", 1: "VK_NOT_READY", 2: "VK_TIMEOUT", 3: "VK_EVENT_SET", 4: "VK_EVENT_RESET", 5: "VK_INCOMPLETE",
	-1: "VK_ERROR_OUT_OF_HOST_MEMORY", -2: "VK_ERROR_OUT_OF_DEVICE_MEMORY", -3: "VK_ERROR_INITIALIZATION_FAILED",
	-4: "VK_ERROR_DEVICE_LOST", -5: "VK_ERROR_MEMORY_MAP_FAILED", -6: "VK_ERROR_LAYER_NOT_PRESENT",
	-7: "VK_ERROR_EXTENSION_NOT_PRESENT", -8: "VK_ERROR_FEATURE_NOT_PRESENT", -9: "VK_ERROR_INCOMPATIBLE_DRIVER",
	-10: "VK_ERROR_TOO_MANY_OBJECTS", -11: "VK_ERROR_FORMAT_NOT_SUPPORTED", -12: "VK_ERROR_FRAGMENTED_POOL", -13: "VK_ERROR_UNKNOWN",
	-1000011001: "VK_ERROR_VALIDATION_FAILED_EXT", -1000012000: "VK_ERROR_INVALID_SHADER_NV",
	-1000069000: "VK_ERROR_OUT_OF_POOL_MEMORY", -1000072003: "VK_ERROR_INVALID_EXTERNAL_HANDLE",
	-1000161000: "VK_ERROR_FRAGMENTATION", -1000174001: "VK_ERROR_NOT_PERMITTED_KHR",
	-1000257000: "VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS", -1000338000: "VK_ERROR_COMPRESSION_EXHAUSTED_EXT",
}

// String is the name in Vulkan's headers, such as "VK_ERROR_DEVICE_LOST".
func (r Result) String() string {
	if n, ok := resultNames[r]; ok {
		return n
	}
	return "VkResult " + strconv.Itoa(int(r))
}

// advice says what to do about the common results.
var advice = map[Result]string{
	OutOfHostMemory:      "the driver found no memory of the machine: free some",
	OutOfDeviceMemory:    "free tensors that are no longer used, use smaller ones, or end other programs that use the device",
	InitializationFailed: "see what vulkaninfo says, and the system's log; update the driver",
	DeviceLost:           "close the device and open it again; see the system's log for what the driver wrote",
	-5:                   "the memory cannot be mapped: free tensors that are no longer used",
	-6:                   "a layer that VK_INSTANCE_LAYERS names is not installed",
	ExtensionNotPresent:  "update the driver",
	FeatureNotPresent:    "update the driver",
	IncompatibleDriver:   "no driver was found: install the one of the GPU, and see whether VK_DRIVER_FILES or VK_ICD_FILENAMES name a file that is not there",
	TooManyObjects:       "free tensors that are no longer used, or make fewer and larger ones",
	-13:                  "update the driver",
	-1000174001:          "the operating system refused: check the permissions of the device's files, such as /dev/dri",
}

// Error is a call that failed.
type Error struct {
	Call string // the function, such as "vkAllocateMemory"
	Code Result
	Text string // what more there is to say; may be empty
}

// Error is "vkAllocateMemory: VK_ERROR_OUT_OF_DEVICE_MEMORY (-2); free tensors …".
func (e *Error) Error() string {
	s := fmt.Sprintf("%s: %s (%d)", e.Call, e.Code, int(e.Code))
	if e.Text != "" {
		s += ": " + e.Text
	}
	if a := advice[e.Code]; a != "" {
		s += "; " + a
	}
	return s
}

// Is makes errors.Is(err, &Error{Code: c}) true for every call that failed with c.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && (t.Call == "" || t.Call == e.Call)
}

// Code is the result in err, Success where err holds none.
func Code(err error) Result {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Success
}

// ErrNoDriver is what [errors.Is] finds in the errors of [Open] and [Library.NewInstance]: Vulkan cannot be used here.
var ErrNoDriver = errors.New("no usable Vulkan driver")

// LoadError says why Vulkan could not be used at all.
type LoadError struct {
	Tried  []string // libraries, in order
	Reason string
	Advice string
}

// Error is one sentence, then what to do.
func (e *LoadError) Error() string {
	text := "no Vulkan driver"
	if len(e.Tried) > 0 {
		text += " (tried " + strings.Join(e.Tried, ", ") + ")"
	}
	return text + ": " + e.Reason + "; " + e.Advice
}

// Unwrap is [ErrNoDriver].
func (e *LoadError) Unwrap() error { return ErrNoDriver }
