package toolchain

import "runtime"

// release is a set of wheels that fit together, each at one version.
type release struct {
	version string // of tileiras
	pins    []string
}

// releases are the sets that [Install] knows, newest first. tileiras runs the ptxas of nvidia-cuda-nvcc and loads
// nvidia-nvvm; their versions must agree with its own.
var releases = []release{
	{"13.4.92", []string{
		"nvidia-cuda-tileiras==13.4.92",
		"nvidia-cuda-nvcc==13.4.92",
		"nvidia-nvvm==13.4.92",
		"nvidia-nvjitlink==13.5.37",
		"nvidia-cuda-nvdisasm==13.5.37",
		"nvidia-cuda-cuobjdump==13.5.37",
	}},
}

// Releases lists the versions that [Install] can install, newest first.
func Releases() []string {
	var out []string
	for _, r := range releases {
		out = append(out, r.version)
	}
	return out
}

// platforms are the systems that NVIDIA builds the tools for.
var platforms = map[string]bool{"linux/amd64": true, "linux/arm64": true, "windows/amd64": true}

var platform = runtime.GOOS + "/" + runtime.GOARCH
