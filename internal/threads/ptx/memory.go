package ptx

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/tileir"
)

var spaces = [...]string{ir.Global: ".global", ir.Shared: ".shared", ir.Generic: ""}

// address is the operand of an access.
func (w *writer) address(m *ir.Access) simt.Operand {
	at := m.Disp
	if m.Space != ir.Shared {
		return simt.At(w.reg(m.At).Reg, at)
	}
	at += int64(m.Buffer.Offset)
	if m.At == 0 {
		return simt.AtName("smem", at)
	}
	if c, ok := w.consts[m.At]; ok {
		return simt.AtName("smem", at+int64(int32(c.Bits)))
	}
	return simt.At(w.based(m.At).Reg, at)
}

// window is the generic address of a buffer.
func (w *writer) window(in *ir.Instr) {
	base := w.make(simt.B64, "mov.u64", simt.Sym("smem"))
	base = w.make(simt.B64, "cvta.shared.u64", base)
	w.to(w.result(in.Dst[0]), "add.s64", base, simt.I(int64(in.Buf.Offset)))
}

// based adds the beginning of shared memory to an offset.
func (w *writer) based(v ir.Value) simt.Operand {
	for _, known := range w.shared {
		if r, ok := known[v]; ok {
			return r
		}
	}
	base := w.make(simt.B32, "mov.u32", simt.Sym("smem"))
	r := w.make(simt.B32, "add.s32", w.reg(v), base)
	w.shared[len(w.shared)-1][v] = r
	return r
}

// many writes the values of an access as one operand.
func many(parts []simt.Operand) simt.Operand {
	if len(parts) == 1 {
		return parts[0]
	}
	return simt.V(parts...)
}

// accessType is the end of an access's name: ".v4.b32".
func accessType(t vec.Type, n int) string {
	text := ".b" + bitsOf[t.Bytes()]
	switch n {
	case 2:
		return ".v2" + text
	case 4:
		return ".v4" + text
	}
	return text
}

var scopes = map[tileir.Int]string{tileir.ScopeTileBlock: ".cta", tileir.ScopeDevice: ".gpu", tileir.ScopeSystem: ".sys"}

// order is what the name of an access says about its order.
func order(m *ir.Access) string {
	switch {
	case m.Space == ir.Shared || m.Order == tileir.MemoryWeak:
		return ""
	case m.Order == tileir.MemoryRelaxed:
		return ".relaxed" + scopes[m.Scope]
	case m.Order == tileir.MemoryAcquire:
		return ".acquire" + scopes[m.Scope]
	case m.Order == tileir.MemoryRelease:
		return ".release" + scopes[m.Scope]
	}
	return ".acq_rel" + scopes[m.Scope]
}

func (w *writer) guard(in *simt.Instr, m *ir.Access) {
	if m.Guard != 0 {
		in.Guard = w.regs[m.Guard]
	}
}

func (w *writer) load(in *ir.Instr) {
	m := in.Mem
	addr := w.address(m)
	if m.Guard != 0 {
		w.reg(m.Guard)
	}
	var dst []simt.Operand
	for i, v := range in.Dst {
		r := w.result(v)
		dst = append(dst, r)
		if m.Guard == 0 {
			continue
		}
		other := simt.I(0)
		if m.Else != nil {
			other = w.use(m.Else[i])
		}
		w.move(r.Reg, other)
	}
	name := "ld" + order(m) + spaces[m.Space]
	if m.Constant && m.Order == tileir.MemoryWeak {
		name += ".nc"
	}
	w.guard(w.emit(name+accessType(in.Type, len(dst)), []simt.Operand{many(dst)}, addr), m)
}

func (w *writer) store(in *ir.Instr) {
	m := in.Mem
	addr := w.address(m)
	var src []simt.Operand
	for _, v := range in.Src {
		src = append(src, w.reg(v))
	}
	w.guard(w.emit("st"+order(m)+spaces[m.Space]+accessType(in.Type, len(src)), nil, addr, many(src)), m)
}

// changes are the names of what atomic operations do.
var changes = map[tileir.Int]struct{ op, letter string }{
	tileir.AtomicAdd: {"add", "u"}, tileir.AtomicAnd: {"and", "b"}, tileir.AtomicOr: {"or", "b"}, tileir.AtomicXor: {"xor", "b"},
	tileir.AtomicMax: {"max", "s"}, tileir.AtomicMin: {"min", "s"}, tileir.AtomicUMax: {"max", "u"}, tileir.AtomicUMin: {"min", "u"},
	tileir.AtomicXchg: {"exch", "b"}, tileir.AtomicAddF: {"add", "f"},
}

// update writes an atomic operation that the hardware has: the emitter makes the others of [ir.Swap].
func (w *writer) update(in *ir.Instr) {
	m, row := in.Mem, changes[in.Change.Mode]
	addr := w.address(m)
	name, dst := "red", []simt.Operand(nil)
	if len(in.Dst) > 0 || row.op == "exch" || m.Order != tileir.MemoryRelaxed {
		w.keep(in)
		name, dst = "atom", []simt.Operand{w.temp(classOf(in.Type))}
		if len(in.Dst) > 0 {
			dst[0] = w.result(in.Dst[0])
		}
	}
	name += order(m) + spaces[m.Space] + "." + row.op
	if in.Change.Mode == tileir.AtomicAddF && in.Type.Bytes() == 2 {
		name += ".noftz"
	}
	if m.Guard != 0 {
		w.reg(m.Guard)
	}
	w.guard(w.emit(fmt.Sprintf("%s.%s%d", name, row.letter, 8*in.Type.Bytes()), dst, addr, w.reg(in.Src[0])), m)
}

// keep gives the result of an atomic operation the value that it has where the thread takes no part.
func (w *writer) keep(in *ir.Instr) {
	m := in.Mem
	if m.Guard == 0 || len(in.Dst) == 0 {
		return
	}
	w.reg(m.Guard)
	other := simt.I(0)
	if m.Else != nil {
		other = w.use(m.Else[0])
	}
	w.move(w.result(in.Dst[0]).Reg, other)
}

func (w *writer) swap(in *ir.Instr) {
	m := in.Mem
	addr := w.address(m)
	w.keep(in)
	name := fmt.Sprintf("atom%s%s.cas.b%d", order(m), spaces[m.Space], 8*in.Type.Bytes())
	w.guard(w.emit(name, []simt.Operand{w.result(in.Dst[0])}, addr, w.reg(in.Src[0]), w.reg(in.Src[1])), m)
}

func (w *writer) fence(in *ir.Instr) {
	w.emit("fence.acq_rel"+scopes[in.Scope], nil)
}

// inWords does something with a value of up to 32 bits in one, or with one of 64 bits in two words.
func (w *writer) inWords(in *ir.Instr, f func(x simt.Operand) simt.Operand) {
	x, dst := w.reg(in.Src[0]), w.result(in.Dst[0])
	switch classOf(in.Type) {
	case simt.B32:
		w.move(dst.Reg, f(x))
	case simt.B16:
		y := f(w.make(simt.B32, "cvt.u32.u16", x))
		w.to(dst, "cvt.u16.u32", y)
	case simt.B64:
		lo, hi := w.temp(simt.B32), w.temp(simt.B32)
		w.emit("mov.b64", []simt.Operand{simt.V(lo, hi)}, x)
		w.to(dst, "mov.b64", simt.V(f(lo), f(hi)))
	default:
		y := f(w.make(simt.B32, "selp.b32", simt.I(1), simt.I(0), x))
		w.to(dst, "setp.ne.s32", y, simt.I(0))
	}
}

func (w *writer) shuffle(in *ir.Instr) {
	w.inWords(in, func(x simt.Operand) simt.Operand {
		return w.make(simt.B32, "shfl.sync.bfly.b32", x, simt.I(in.Imm), simt.I(31), simt.I(-1))
	})
}

func (w *writer) from(in *ir.Instr) {
	lane := w.use(in.Src[1])
	w.inWords(in, func(x simt.Operand) simt.Operand {
		return w.make(simt.B32, "shfl.sync.idx.b32", x, lane, simt.I(31), simt.I(-1))
	})
}
