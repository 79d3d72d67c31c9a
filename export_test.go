package cutile

import "github.com/cutile-go/cutile/internal/engine/cuda"

// UseGPU makes Open find GPUs with other options, such as a driver that is none, until restore.
func UseGPU(o cuda.Options) (restore func()) {
	old := gpuOptions
	gpuOptions = o
	return func() { gpuOptions = old }
}
