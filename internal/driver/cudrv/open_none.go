//go:build nocuda || !((linux && (amd64 || arm64)) || (windows && amd64))

package cudrv

import "runtime"

// LibraryEnv is the environment variable that names the driver's library; this build does not read it.
const LibraryEnv = "CUTILE_LIBCUDA"

// Open gives a [*LoadError]: this build cannot load a driver.
func Open() (Driver, error) { return nil, noDriver() }

// OpenLibrary gives a [*LoadError]: this build cannot load a driver.
func OpenLibrary(path string) (Driver, error) { return nil, noDriver() }

func noDriver() error {
	if tagged {
		return &LoadError{Reason: "this program was built with the tag nocuda", Advice: "build it without the tag to use a GPU"}
	}
	return &LoadError{
		Reason: "NVIDIA has no CUDA driver for " + runtime.GOOS + "/" + runtime.GOARCH,
		Advice: "use the device \"cpu\" here",
	}
}
