//go:build 386 || amd64p32 || arm || armbe || m68k || mips || mipsle || mips64p32 || mips64p32le || nios2 || ppc || riscv || s390 || sh || shbe || sparc

package platform

// The compiler quotes this text.
const _ int = "cuTile for Go needs a 64-bit system: an int has 64 bits in kernels; build for amd64, arm64, riscv64, loong64, ppc64le or wasm"
