//go:build armbe || arm64be || m68k || mips || mips64 || mips64p32 || ppc || ppc64 || s390 || s390x || shbe || sparc || sparc64

package platform

// The compiler quotes this text.
const _ int = "cuTile for Go does not run on big-endian systems: tensors are kept as GPUs read them, lowest byte first; build for amd64, arm64, riscv64, loong64, ppc64le or wasm"
