package ir

import (
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/internal/native/vec"
)

var opNames = [...]string{
	Elem: "", Thread: "thread", BlockID: "block_id", Grid: "grid", Param: "param", Address: "address", Window: "window", Quotient: "quotient",
	Remainder: "remainder", MaxNum: "maxnum", MinNum: "minnum", MulWide: "mulwide", MadWide: "madwide", BFloat: "bfloat", BFloats: "bfloats", Halves: "halves",
	Float8: "float8", Floats8: "floats8", Widen: "widen",
	Pack: "pack", Unpack: "unpack", Multiply: "multiply", LoadMatrix: "load_matrix", CopyAsync: "copy_async", Commit: "commit", WaitGroup: "wait_group",
	InitCounters: "init_counters", DropCounters: "drop_counters", ExpectBytes: "expect_bytes", CopyBox: "copy_box", AwaitBytes: "await_bytes", Arrive: "arrive",
	StoreBox: "store_box", CommitBoxes: "commit_boxes", WaitBoxes: "wait_boxes",
	MultiplyGroup: "multiply_group", WaitMultiply: "wait_multiply", FenceAsync: "fence_async",
	TensorInit: "tensor_init", TensorFree: "tensor_free", MultiplyTensor: "multiply_tensor", CommitTensor: "commit_tensor", WaitTensor: "wait_tensor",
	TensorLoad: "tensor_load", TensorStore: "tensor_store",
	ZeroSums: "zero_sums", LoadSum: "load_sum", StoreSum: "store_sum", MultiplySums: "multiply_sums", Get: "get", Set: "set", Load: "load",
	Store: "store", Update: "update", Swap: "swap", Shuffle: "shuffle", From: "from", Barrier: "barrier", Fence: "fence", Part: "part", If: "if",
	Loop: "loop", Break: "break", Continue: "continue", Return: "return", Observe: "observe", Print: "print", Assert: "assert",
}

// String returns the name of the kind.
func (op Op) String() string { return opNames[op] }

// String returns the kernel as text, a line for each instruction.
func (k *Kernel) String() string {
	var b strings.Builder
	k.buffers(&b)
	k.Body.print(&b, "  ")
	return b.String()
}

// buffers prints the first lines, with the buffers in shared memory.
func (k *Kernel) buffers(b *strings.Builder) {
	producer := ""
	if k.Producer {
		producer = " and a warp that copies"
	}
	fmt.Fprintf(b, "kernel %s, %d threads%s, %d bytes shared\n", k.Name, k.Threads, producer, k.Shared)
	for _, buf := range k.Buffers {
		fmt.Fprintf(b, "  shared %s: %d bytes at %d\n", buf.Name, buf.Bytes, buf.Offset)
	}
}

// Sharing lists the buffers in shared memory, and the barriers in the order of the text with what they stand in front of.
func (k *Kernel) Sharing() string {
	var b strings.Builder
	k.buffers(&b)
	barrier := ""
	k.Body.All(func(in *Instr) {
		switch {
		case in.Op == Barrier && barrier == "":
			barrier = in.String()
		case in.Op != Barrier && barrier != "":
			what, place := in.Op.String(), ""
			if in.Op == Elem {
				what = in.Do.String()
			}
			if in.Mem != nil && in.Mem.Buffer != nil {
				place = " " + in.Mem.Buffer.Name
			}
			fmt.Fprintf(&b, "  %s, before %s%s\n", barrier, what, place)
			barrier = ""
		}
	})
	return b.String()
}

func (bl *Block) print(b *strings.Builder, indent string) {
	for _, in := range bl.Instrs {
		b.WriteString(indent + in.String() + "\n")
		for i, inner := range in.Body {
			if i == 1 {
				if len(inner.Instrs) == 0 {
					continue
				}
				b.WriteString(indent + "else\n")
			}
			inner.print(b, indent+"  ")
		}
	}
}

// String returns the instruction without its blocks, such as "%3 = add i32 %1 %2".
func (in *Instr) String() string {
	var b strings.Builder
	for i, d := range in.Dst {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%%%d", d)
	}
	if len(in.Dst) > 0 {
		b.WriteString(" = ")
	}
	word := in.Op.String()
	if in.Op == Elem {
		word = in.Do.String()
	}
	b.WriteString(word)
	for _, t := range []vec.Type{in.Type, in.From} {
		if t != vec.NoType {
			b.WriteString(" " + t.String())
		}
	}
	if in.Op == Elem && (in.Do == vec.Cmp || in.Do == vec.FCmp) {
		b.WriteString(" " + in.Cond.String())
	}
	if in.Imm != 0 || in.Op == BlockID || in.Op == Param || in.Op == Elem && (in.Do == vec.Const || in.Do == vec.FRound) {
		fmt.Fprintf(&b, " #%#x", in.Imm)
	}
	for _, v := range in.Vars {
		fmt.Fprintf(&b, " $%d", v)
	}
	for _, v := range in.Src {
		fmt.Fprintf(&b, " %%%d", v)
	}
	if in.Text != "" {
		fmt.Fprintf(&b, " %q", in.Text)
	}
	if in.Buf != nil {
		b.WriteString(" " + in.Buf.Name)
	}
	if m := in.Mem; m != nil {
		b.WriteString(" " + m.String())
	}
	if m := in.Other; m != nil {
		b.WriteString(" from " + m.String())
	}
	for _, m := range []*Matrix{in.Left, in.Right} {
		if m != nil {
			b.WriteString(" " + m.Access.String())
		}
	}
	if in.Tensor != nil {
		b.WriteString(" " + in.Tensor.Name)
	}
	if in.Scales != nil {
		fmt.Fprintf(&b, " %s[%%%d]", in.Scales.Buffer.Name, in.Scales.At)
	}
	if in.Steps != nil {
		fmt.Fprintf(&b, " %d steps", len(in.Steps))
	}
	u := in.Unit
	if in.Sums != nil {
		u = in.Sums.Unit
	}
	if u != nil {
		fmt.Fprintf(&b, " m%dn%dk%d %v %v %v", u.M, u.N, u.K, u.A, u.B, u.Acc)
	}
	if in.Uniform {
		b.WriteString(" uniform")
	}
	return b.String()
}

// String returns the access, such as "shared.rows[%4 + 16] if %7".
func (m *Access) String() string {
	text := [...]string{"global", "shared", "generic"}[m.Space]
	if m.Buffer != nil {
		text += "." + m.Buffer.Name
	}
	text += "["
	if m.At != 0 {
		text += fmt.Sprintf("%%%d", m.At)
	}
	if m.Disp != 0 || m.At == 0 {
		text += fmt.Sprintf("%+d", m.Disp)
	}
	text += "]"
	if m.Guard != 0 {
		text += fmt.Sprintf(" if %%%d", m.Guard)
	}
	for i, v := range m.Else {
		if i == 0 {
			text += " else"
		}
		text += fmt.Sprintf(" %%%d", v)
	}
	return text
}
