package bytecode_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// TestParameterTypes has parameters that NVIDIA's disassembler takes and its assembler does not: they can be read,
// printed, parsed and written, and Verify refuses them.
func TestParameterTypes(t *testing.T) {
	tool := testenv.ToolIfAny(t, "tileirdisasm")
	for want, p := range map[string]Type{
		"i32": ScalarType{Elem: I32}, "f8E4M3FN": ScalarType{Elem: F8E4M3FN}, "ptr<f32>": ScalarType{Elem: F32, Pointer: true},
		"ptr<f16, <none>>": ScalarType{Elem: F16, Pointer: true, PtrAttr: true}, "token": Token,
		"tensor_view<?x64xf32, strides=[?,1]>":                             tensor,
		"partition_view<tile=(4x8), tensor_view<?x64xf32, strides=[?,1]>>": part,
		"tensor_view<8xf32, strides=[1], #cuda_tile.ptr_attr<none>>":       attrTensor,
		"tile<ptr<f32, <none>>>":                                           &TileType{Elem: F32, Pointer: true, PtrAttr: true},
	} {
		m := kernel(func(b *builder) {})
		m.Entries[0].Params = []*Value{{Type: p}}
		data, err := bytecode.Write(m, Newest, bytecode.Options{})
		if err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		got, err := disassembled(t, tool, data, text.Sprint(m))
		if err != nil || !strings.HasPrefix(got, "entry @k(%arg0: "+want+") {") {
			t.Errorf("%s: tileirdisasm: %v: %s", want, err, got)
		}
		if text.Sprint(m) != got {
			t.Error(firstDifference(text.Sprint(m), got))
		}
		again, _, err := bytecode.Read(data)
		if err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		second, err := bytecode.Write(again, Newest, bytecode.Options{})
		if err != nil || !bytes.Equal(second, data) {
			t.Errorf("%s: written again: %v", want, err)
		}
		parsed, err := text.Parse(got, text.ParseOptions{})
		if err != nil || equalModules(m, parsed) != nil {
			t.Errorf("%s: parsed: %v, %v", want, text.Sprint(parsed), err)
		}
		err = m.Verify(Newest)
		if strings.HasPrefix(want, "tile<") {
			if err != nil {
				t.Errorf("%s: %v", want, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), "parameter 0: expected a tile of rank 0, but found "+want) {
			t.Errorf("%s: Verify says %v", want, err)
		}
	}
}

// TestPointerAttributeVersion has pointer attributes where there are none.
func TestPointerAttributeVersion(t *testing.T) {
	m := kernel(func(b *builder) { b.value(attrPtrs) })
	for _, v := range Versions() {
		err := m.Verify(v)
		_, werr := bytecode.Write(m, v, bytecode.Options{})
		_, perr := text.Parse(text.Sprint(m), text.ParseOptions{Version: v})
		if v < V13_4 {
			for _, err := range []error{err, werr, perr} {
				if err == nil || !strings.Contains(err.Error(), "pointer attributes need version 13.4, but the ") {
					t.Errorf("%v: %v", v, err)
				}
			}
		} else if err != nil || werr != nil || perr != nil {
			t.Errorf("%v: %v, %v, %v", v, err, werr, perr)
		}
	}
}
