package neon

import "github.com/cutile-go/cutile/internal/native/mach"

// The bytes that things take at most.
const (
	functionAlign = 16
	instrBytes    = 4
	numberBytes   = 4 * instrBytes // a number is up to four instructions
	vectorBytes   = 16
)

// room gives the most bytes that the code of a function and its constants take, for a frame of some words.
func room(c *mach.Code, a *mach.Allocation, words int) (code, pool int) {
	access := instrBytes // to the frame
	if 8*words > nearFrame {
		access += numberBytes
	}
	code = functionAlign
	for i := range c.Instrs {
		in := &c.Instrs[i]
		code += instrBytes
		switch in.Op {
		case setInt, leave:
			code += numberBytes
		case setVector:
			pool += vectorBytes
		}
		for k := range in.Args[:in.N] {
			g := &in.Args[k]
			if g.Frame {
				code += access
			}
			for _, r := range [...]mach.Reg{g.Reg, g.Index} {
				switch p := a.Places[r]; {
				case p.Made >= 0: // made again
					code += instrBytes + numberBytes
					pool += vectorBytes
				case p.Slot >= 0: // brought and written back
					code += 2 * access
				}
			}
		}
	}
	return code, pool
}
