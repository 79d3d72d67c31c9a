package toolchain

import "runtime"

// release is a set of wheels that fit together, each at one version.
type release struct {
	version string // of tileiras
	wheels  []wheel
}

// wheel is a package at a version, with the SHA-256 of its file for each platform: nothing else is installed, whatever the
// index gives.
type wheel struct {
	name, version string
	sums          map[string]string
}

// pin is the wheel as pip names it.
func (w wheel) pin() string { return w.name + "==" + w.version }

// pins lists the wheels as pip names them.
func (r release) pins() []string {
	var out []string
	for _, w := range r.wheels {
		out = append(out, w.pin())
	}
	return out
}

// releases are the sets that [Install] knows, newest first. tileiras runs the ptxas of nvidia-cuda-nvcc and loads
// nvidia-nvvm; their versions must agree with its own. The sums are those that pip reports of NVIDIA's files:
// pip install --dry-run --report - --no-deps --only-binary=:all: --platform PLATFORM --target DIR NAME==VERSION.
var releases = []release{
	{"13.4.92", []wheel{
		{"nvidia-cuda-tileiras", "13.4.92", map[string]string{
			"linux/amd64":   "c7ff33b56466f27258fdb6404d654686a391854dc922ff2d2aedac56dde35624",
			"linux/arm64":   "8bfd73880ffebb195d6ada5ca39056279819142ce0cbeafc33ac206484cf6381",
			"windows/amd64": "eb9165b499a40924712a8a3717ef58acdac55f49e1a6ad8974d629925e2f2660",
		}},
		{"nvidia-cuda-nvcc", "13.4.92", map[string]string{
			"linux/amd64":   "a1f3bfb27299e060b444d5df1f4bcd762501326cf0fd3141ed61756816ab9a0e",
			"linux/arm64":   "d6fc9f720c3b73b9e526f4c759dbc6581e1a300ba2c8191e3f0ed91c848a92c8",
			"windows/amd64": "4e0f5af276baf0abb9f8305e3d4cf2c70eb0202f80b33be5e8fcefedf7226234",
		}},
		{"nvidia-nvvm", "13.4.92", map[string]string{
			"linux/amd64":   "e4c81cb321dd9743bcf871c5e7e8fecd7f05dea607944426e102bdda8d49e137",
			"linux/arm64":   "6b70f49442461c1b1033e599ff021676ea3d20840be1e7f92e1d6560daf08637",
			"windows/amd64": "ce766bd2e45b085cd181a0917a8df3174868acf95c621ae2c6c3828ae91c41f2",
		}},
		{"nvidia-nvjitlink", "13.5.37", map[string]string{
			"linux/amd64":   "280d7cb9649704145f074b8dbde500de04ce02d0872e066e20a83c17bcaa93eb",
			"linux/arm64":   "893f6f9a55b2720ed94913b5ba3332e972da8c78dfa2863d0244403dbd528ffc",
			"windows/amd64": "4465d4e8f2212118220b580c82523c5654f93a62906bd51d29d79bdfc12376c1",
		}},
		{"nvidia-cuda-nvdisasm", "13.5.37", map[string]string{
			"linux/amd64":   "d3fdbdd49fa53e2e4aacd3db8259d052bd2b049ececdcb69e92e083c6728e7ca",
			"linux/arm64":   "a3a8248074edb9fba63b74c38a5416b712a91ab09e70b8ab37186c3d293fc605",
			"windows/amd64": "aa42a3ecda8c58ff6ff2f9cbe1fc905d7f797a1ca4071941349fda114bf2a628",
		}},
		{"nvidia-cuda-cuobjdump", "13.5.37", map[string]string{
			"linux/amd64":   "38780fee50863252a0b8926357faa91615ca1c8346490563f33a06100cd73f58",
			"linux/arm64":   "f48e3148535365161a268547b285fd01d92c80e4b457275375933825b5fc26b2",
			"windows/amd64": "b65a561d917fb5e42ff53080b995208f2dba17498964f70aa1d8c48ec5feaba4",
		}},
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
