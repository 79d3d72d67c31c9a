package neon

import "github.com/cutile-go/cutile/internal/native/mach"

// The bytes that things take at most.
const (
	functionAlign = 16
	instrBytes    = 4
	numberBytes   = 4 * instrBytes // a number is up to four instructions
	vectorBytes   = 16
	stopBytes     = 16*instrBytes + 2*numberBytes // beside what keeps registers
)

// room gives the most bytes that the code of a function and its constants take, for a frame of some words and so many registers
// that are kept where it is suspended.
func room(c *mach.Code, a *mach.Allocation, words, kept int) (code, pool int) {
	access := instrBytes // to the frame
	if 8*words > nearFrame {
		access += numberBytes
	}
	code = functionAlign + 3*instrBytes
	for i := range c.Instrs {
		in := &c.Instrs[i]
		code += instrBytes
		switch in.Op {
		case setInt, leave:
			code += numberBytes
		case compareSwap:
			code += 8 * instrBytes
		case setVector:
			pool += vectorBytes
		case mach.Suspend:
			code += 2*kept*(instrBytes+access) + stopBytes
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
