// Command gen writes the table of package amd64, from forms.txt.
//
// A line of forms.txt has five columns: names, operands, encoding, features, flags.
//
// An operand is a class with what may stand instead of it: v/m/b32 is a vector, memory of its size, or one 32-bit element
// of memory that is repeated. The vector classes are x, y, z, and v for every length; h, q and e are a half, a quarter and
// an eighth of v. mv is memory of v's size. s with a class and a number is memory with a vector of indices, and the bits of
// an element. b, r16, r32, r64 are general registers; r is one of 16, 32 or 64 bits and R one of 32 or 64; acc, al, cl are
// fixed ones. k is a mask, t a tile, m memory whose size does not matter, m32 memory of 32 bits. one is the number 1;
// ib is8 iw id isd iq are immediates, I one that has the size of r, at most 32 bits; rel8 and rel32 are labels.
//
// The encoding begins with the places of the operands: r is ModRM.reg, m is ModRM.rm, v is VEX.vvvv, i an immediate, s a
// register in an immediate, o the opcode's low bits, d a distance, a nothing. Then comes L, V, E or VE for legacy, VEX,
// EVEX or both; the prefix (not for L, which has p66 or pF3 later); the opcode space; the opcode, and a fixed byte in place
// of ModRM. wx1 is W=0 with VEX and W=1 with EVEX.
//
// Features are AVX:AVX2/AVX512F: AVX for xmm, AVX2 for ymm, AVX512F with EVEX (and AVX512VL for v of less than 512 bits).
package main

import (
	_ "embed"
	"fmt"
	"os"
)

//go:embed forms.txt
var text string

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: gen FILE")
	}
	ops, err := parse(text)
	if err != nil {
		return err
	}
	b, err := write(ops)
	if err != nil {
		return err
	}
	return os.WriteFile(args[0], b, 0o644)
}
