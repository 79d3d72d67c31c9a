package host

import "golang.org/x/sys/cpu"

func detect() CPU {
	c := CPU{Arch: "arm64"}
	for _, f := range []struct {
		has     bool
		feature Features
	}{
		{cpu.ARM64.HasASIMD, NEON},
		{cpu.ARM64.HasASIMDDP, DotProd},
		{cpu.ARM64.HasASIMDHP, FP16},
		{cpu.ARM64.HasI8MM, I8MM},
		{cpu.ARM64.HasATOMICS, LSE},
	} {
		if f.has {
			c.Features |= f.feature
		}
	}
	c.askSystem()
	return c
}
