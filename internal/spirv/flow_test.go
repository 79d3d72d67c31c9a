package spirv_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/spirv"
)

// TestBugs: a wrong use of the builder panics and says so.
func TestBugs(t *testing.T) {
	in := func(f func(b *spirv.Builder)) func(b *spirv.Builder) {
		return func(b *spirv.Builder) { b.Kernel("k", 1, 1, 1); f(b) }
	}
	for want, f := range map[string]func(b *spirv.Builder){
		"an instruction outside of a function":          func(b *spirv.Builder) { b.Elect() },
		"a function within a function":                  in(func(b *spirv.Builder) { b.Kernel("l", 1, 1, 1) }),
		"Finish within a function":                      in(func(b *spirv.Builder) { b.Finish() }),
		"End outside of a function":                     func(b *spirv.Builder) { b.End() },
		"is no value":                                   in(func(b *spirv.Builder) { b.TypeOf(999) }),
		"is no pointer":                                 in(func(b *spirv.Builder) { b.Load(b.ConstUint(1)) }),
		"push constant 0 of 0":                          in(func(b *spirv.Builder) { b.PushConstant(0) }),
		"a loop carries 0 values, and its body gives 1": in(func(b *spirv.Builder) { b.Loop(nil, func(*spirv.Loop, []ID) []ID { return []ID{1} }) }),
		"ways into a block bring 1 and 0 values": in(func(b *spirv.Builder) {
			b.If(b.ConstBool(true), func() []ID { return []ID{b.ConstUint(1)} }, func() []ID { return nil })
		}),
		"Break of a loop that is not the innermost one": in(func(b *spirv.Builder) {
			var k *spirv.Loop
			b.Loop(nil, func(l *spirv.Loop, _ []ID) []ID { k = l; l.Break(); return nil })
			k.Break()
		}),
		"a function with a result ends without Return": func(b *spirv.Builder) { b.Function("f", b.Bool()); b.End() },
		"a second block of push constants":             func(b *spirv.Builder) { b.PushConstants(b.Uint(32)); b.PushConstants(b.Uint(32)) },
		"ConstFloat of 16 bits: Const takes the bits":  func(b *spirv.Builder) { b.ConstFloat(16, 1) },
		"is no function": in(func(b *spirv.Builder) { b.Call(999) }),
		"words, but an instruction has at most 65535": func(b *spirv.Builder) { b.Name(1, strings.Repeat("x", 1<<20)) },
	} {
		t.Run(want, func(t *testing.T) {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "BUG: spirv: ") || !strings.Contains(text, want) {
					t.Errorf("%s, expected %q", text, want)
				}
			}()
			f(spirv.New(spirv.Options{}))
		})
	}
}

// count gives how many instructions of a code a module has.
func count(m *spirv.Module, op spirv.Op) (n int) {
	for _, in := range m.Instrs {
		if in.Op == op {
			n++
		}
	}
	return n
}

// TestSharing: types and constants are there once, and values that all ways bring need no phi.
func TestSharing(t *testing.T) {
	b := spirv.New(spirv.Options{})
	b.PushConstants(b.Uint(32))
	b.Kernel("k", 1, 1, 1)
	x := b.PushConstant(0)
	if b.ConstUint(7) != b.Const(b.Uint(32), 7) || b.Vector(b.Float(32), 2) != b.Vector(b.Float(32), 2) {
		t.Error("a constant or type is there twice")
	}
	if r := b.If(b.Compare(spirv.OpIEqual, x, x), func() []ID { return []ID{x} }, func() []ID { return []ID{x} }); r[0] != x {
		t.Error("a phi of one value")
	}
	sum := b.If(b.Compare(spirv.OpIEqual, x, x), func() []ID { b.Return(); return []ID{b.ConstUint(1)} }, func() []ID { return []ID{x} })
	if sum[0] != x {
		t.Error("a side that returned has a say")
	}
	b.Binary(spirv.OpIAdd, sum[0], b.ConstUint(3))
	b.Return()
	b.If(b.ConstBool(true), one(func() { b.Barrier(spirv.MemorySemanticsWorkgroupMemory) }), nil)
	b.Loop([]ID{x}, func(l *spirv.Loop, v []ID) []ID { l.Control(spirv.LoopControlUnroll); l.Break(v[0]); return v })
	b.BuiltIn(spirv.BuiltInNumWorkgroups)
	b.End()
	m := b.Finish()
	if err := spirv.Verify(m); err != nil {
		t.Fatal(err)
	}
	for op, want := range map[spirv.Op]int{spirv.OpPhi: 0, spirv.OpControlBarrier: 0, spirv.OpLoopMerge: 0, spirv.OpSelectionMerge: 2, spirv.OpIAdd: 1} {
		if got := count(m, op); got != want {
			t.Errorf("%d of %s, expected %d", got, op, want)
		}
	}
}

// TestDeclares: capabilities and extensions are those that the module needs, and no others.
func TestDeclares(t *testing.T) {
	declared := func(f func(b *spirv.Builder)) (names []string) {
		b := spirv.New(spirv.Options{})
		f(b)
		b.Kernel("k", 1, 1, 1)
		b.End()
		for _, in := range b.Finish().Instrs {
			switch in.Op {
			case spirv.OpCapability:
				names = append(names, spirv.Capability(in.Operands[0].Word()).String())
			case spirv.OpExtension:
				names = append(names, in.Operands[0].Text())
			}
		}
		return names
	}
	for want, f := range map[string]func(b *spirv.Builder){
		"[Shader PhysicalStorageBufferAddresses]":                                  func(b *spirv.Builder) { b.Uint(32) },
		"[Shader PhysicalStorageBufferAddresses Int64 Float16]":                    func(b *spirv.Builder) { b.Uint(64); b.Float(16) },
		"[Shader PhysicalStorageBufferAddresses Int8 StorageBuffer8BitAccess]":     func(b *spirv.Builder) { b.Pointer(spirv.StorageClassPhysicalStorageBuffer, b.Uint(8)) },
		"[Shader PhysicalStorageBufferAddresses BFloat16TypeKHR SPV_KHR_bfloat16]": func(b *spirv.Builder) { b.FloatOf(spirv.FPEncodingBFloat16KHR) },
		"[Shader PhysicalStorageBufferAddresses DenormPreserve]":                   func(b *spirv.Builder) { b.FloatMode(spirv.ExecutionModeDenormPreserve, 32) },
	} {
		if got := fmt.Sprint(declared(f)); got != want {
			t.Errorf("%s, expected %s", got, want)
		}
	}
}
