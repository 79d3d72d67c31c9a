package ptx

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/tileir"
)

// factorName is the name of an element type of factors in mma.
func factorName(e tileir.Elem, signed bool) string {
	switch e {
	case tileir.I8:
		if signed {
			return "s8"
		}
		return "u8"
	case tileir.F8E4M3FN:
		return "e4m3"
	case tileir.F8E5M2:
		return "e5m2"
	case tileir.F4E2M1FN:
		return "e2m1"
	}
	return e.String()
}

// sumName is that of sums.
func sumName(e tileir.Elem) string {
	if e == tileir.I32 {
		return "s32"
	}
	return e.String()
}

// scaleNames are the names of types of factors of elements.
var scaleNames = map[tileir.Elem]string{tileir.F8E8M0FNU: "ue8m0", tileir.F8E4M3FN: "ue4m3"}

// scaledKinds are the kinds of products with factors of elements, by how many an instruction takes along k.
var scaledKinds = map[int]string{1: "kind::mxf8f6f4.block_scale.scale_vec::1X", 2: "kind::mxf4.block_scale.scale_vec::2X", 4: "kind::mxf4nvf4.block_scale.scale_vec::4X"}

func scaledKind(u *ir.Unit) string { return scaledKinds[u.K/u.Run] }

// multiply writes a matrix instruction.
func (w *writer) multiply(in *ir.Instr) {
	u := in.Unit
	a, b := u.M*u.K*u.A.Bytes()/128, u.K*u.N*u.B.Bytes()/128 // words of a lane
	part := func(vs []ir.Value) simt.Operand {
		var out []simt.Operand
		for _, v := range vs {
			out = append(out, w.reg(v))
		}
		return simt.V(out...)
	}
	x, y, acc := part(in.Src[:a]), part(in.Src[a:a+b]), part(in.Src[a+b:a+b+len(in.Dst)])
	var dst []simt.Operand
	for _, v := range in.Dst {
		dst = append(dst, w.result(v))
	}
	sum := sumName(u.Acc)
	name := fmt.Sprintf("mma.sync.aligned.m%dn%dk%d.row.col.%s.%s.%s.%s", u.M, u.N, u.K, sum, factorName(u.A, u.Signed[0]), factorName(u.B, u.Signed[1]), sum)
	src := []simt.Operand{x, y, acc}
	if u.Run > 0 { // the first lanes of four have them
		name = fmt.Sprintf("mma.sync.aligned.m%dn%dk%d.row.col.%s.%s.%s.%s.%[5]s.%[8]s", u.M, u.N, u.Length(), scaledKind(u), sum,
			factorName(u.A, false), factorName(u.B, false), scaleNames[u.Scale])
		for _, v := range in.Src[a+b+len(in.Dst):] {
			src = append(src, w.reg(v), simt.V(simt.I(in.Imm), simt.I(0)))
		}
	}
	w.emit(name, []simt.Operand{simt.V(dst...)}, src...)
}

func (w *writer) loadMatrix(in *ir.Instr) {
	var dst []simt.Operand
	addr := w.address(in.Mem)
	for _, v := range in.Dst {
		dst = append(dst, w.result(v))
	}
	turned := ""
	if in.Imm != 0 {
		turned = ".trans"
	}
	w.emit("ldmatrix.sync.aligned.m8n8.x4"+turned+".shared.b16", []simt.Operand{simt.V(dst...)}, addr)
}

func (w *writer) copyAsync(in *ir.Instr) {
	to, from := w.address(in.Mem), w.address(in.Other)
	src := []simt.Operand{to, from, simt.I(16)}
	if g := in.Other.Guard; g != 0 {
		src = append(src, w.make(simt.B32, "selp.b32", simt.I(16), simt.I(0), w.reg(g)))
	}
	w.emit("cp.async.cg.shared.global", nil, src...)
}
