package arm64

import "strconv"

// View is the way in which an instruction uses a register: which part of it, and as elements of which size.
type View uint8

// The views of general registers, of vector registers as scalars, and of vector registers as vectors. V4B and V2H occur
// only where an instruction takes one group of elements, as in v1.4b[2], and in FMLAL.
const (
	ViewNone View = iota
	ViewW
	ViewX
	ViewB
	ViewH
	ViewS
	ViewD
	ViewQ
	V8B
	V16B
	V4H
	V8H
	V2S
	V4S
	V1D
	V2D
	V4B
	V2H
	numViews
)

// viewInfo describes a view. The table is generated.
type viewInfo struct {
	name  string
	size  uint8 // bytes of an element
	lanes uint8 // elements of a vector; 0 for general registers and scalars
}

// String gives the name of the view in assembler text, such as "x" or "4s".
func (v View) String() string { return views[v.valid()].name }

// ElemSize gives the number of bytes of an element.
func (v View) ElemSize() int { return int(views[v.valid()].size) }

// Lanes gives the number of elements of a vector, and 1 for other registers.
func (v View) Lanes() int { return max(1, int(views[v.valid()].lanes)) }

// Size gives the number of bytes of the whole view.
func (v View) Size() int { return v.ElemSize() * v.Lanes() }

// general reports whether v is a view of general registers.
func (v View) general() bool { return v == ViewW || v == ViewX }

func (v View) valid() View {
	if v >= numViews {
		return ViewNone
	}
	return v
}

// Reg is a register together with its view. The zero Reg is none.
type Reg uint16

// NoReg stands where no register is.
const NoReg Reg = 0

const (
	viewShift = 8
	spFlag    = 1 << 5 // register 31 is the stack pointer, not zero
	numMask   = 31
	firstX    = Reg(ViewX) << viewShift
	firstW    = Reg(ViewW) << viewShift
)

// The general registers, whole and as their low 32 bits. Register 31 is zero or the stack pointer, as the name says.
const (
	X0 = firstX + iota
	X1
	X2
	X3
	X4
	X5
	X6
	X7
	X8
	X9
	X10
	X11
	X12
	X13
	X14
	X15
	X16
	X17
	X18
	X19
	X20
	X21
	X22
	X23
	X24
	X25
	X26
	X27
	X28
	X29
	X30
	XZR

	SP  = XZR | spFlag
	WZR = firstW + 31
	WSP = WZR | spFlag
)

// Register gives the register of a number from 0 to 31 in a view. There is no register of another number: the result is
// [NoReg], which no instruction takes.
func Register(n int, v View) Reg {
	if n < 0 || n > numMask {
		return NoReg
	}
	return Reg(v.valid())<<viewShift | Reg(n)
}

// As gives the same register in another view of the same file: general or vector. It gives no register otherwise.
func (r Reg) As(v View) Reg {
	if r == NoReg || r.View().general() != v.general() {
		return NoReg
	}
	return Reg(v.valid())<<viewShift | r&(spFlag|numMask)
}

// Number gives the number of the register. The stack pointer and zero are both 31.
func (r Reg) Number() int { return int(r & numMask) }

// View gives the view of the register.
func (r Reg) View() View { return View(r >> viewShift).valid() }

// special has the names of register 31.
var special = map[Reg]string{XZR: "xzr", WZR: "wzr", SP: "sp", WSP: "wsp"}

// String gives the name of the register in assembler text, such as "x3" or "v0.4s".
func (r Reg) String() string {
	if name := special[r]; name != "" {
		return name
	}
	if views[r.View()].lanes > 0 {
		return "v" + strconv.Itoa(r.Number()) + "." + r.View().String()
	}
	return r.View().String() + strconv.Itoa(r.Number())
}
