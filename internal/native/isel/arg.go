package isel

import (
	"encoding/binary"

	"github.com/cutile-go/cutile/internal/native/mach"
)

// Use is a register that is read.
func Use(view uint8, r mach.Reg) mach.Arg { return mach.Arg{Kind: mach.RegArg, View: view, Reg: r} }

// Def is a register that is written.
func Def(view uint8, r mach.Reg) mach.Arg {
	return mach.Arg{Kind: mach.RegArg, View: view, Reg: r, Access: mach.Def}
}

// UseDef is a register that is read and written.
func UseDef(view uint8, r mach.Reg) mach.Arg {
	return mach.Arg{Kind: mach.RegArg, View: view, Reg: r, Access: mach.UseDef}
}

// Imm is a number.
func Imm(n int64) mach.Arg { return mach.Arg{Kind: mach.ImmArg, Imm: n} }

// Label is a place in the code.
func Label(l int64) mach.Arg { return mach.Arg{Kind: mach.LabelArg, Imm: l} }

// Data is memory with the given bytes.
func Data(b []byte) mach.Arg { return mach.Arg{Kind: mach.ConstArg, Data: string(b)} }

// Element is a constant of the given number of bytes.
func Element(bits int64, bytes int) []byte {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(bits))
	return b[:bytes]
}
