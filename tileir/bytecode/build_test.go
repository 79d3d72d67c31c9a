package bytecode_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/cutile-go/cutile/tileir"
)

// disassembled is what NVIDIA's disassembler prints for the bytes of a module. On a machine without the tool it is ours, the
// text of Print, so that everything else that a test says of the module still is checked.
func disassembled(t testing.TB, tool string, data []byte, ours string) (string, error) {
	t.Helper()
	if tool == "" {
		return ours, nil
	}
	return disassemble(t, tool, data)
}

// disassemble runs tileirdisasm on a file's bytes.
func disassemble(t testing.TB, tool string, data []byte) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.tileirbc")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd := exec.Command(tool, path)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return stderr.String(), err
	}
	return string(out), nil
}

// builder makes the body of a test entry.
type builder struct {
	block *Block
}

// named is a list of attributes by name.
type named map[string]Attr

// op appends an operation with operands by group.
func (b *builder) op(name string, groups [][]*Value, attrs named, results ...Type) *Op {
	return b.opWith(name, groups, attrs, nil, results...)
}

func (b *builder) opWith(name string, groups [][]*Value, attrs named, regions []*Block, results ...Type) *Op {
	in := Lookup(name)
	var list []NamedAttr
	for n, a := range attrs {
		list = append(list, NamedAttr{Name: n, Value: a})
	}
	o := NewOp(in, groups, Attrs(in, list...), results, regions, Loc{})
	b.block.Ops = append(b.block.Ops, o)
	return o
}

func one(vs ...*Value) [][]*Value {
	var out [][]*Value
	for _, v := range vs {
		out = append(out, []*Value{v})
	}
	return out
}

// value makes some value of a type.
func (b *builder) value(t Type) *Value {
	switch t := t.(type) {
	case TokenType:
		return b.op("make_token", nil, nil, t).Results[0]
	case *TensorViewType:
		var shape, strides []*Value
		for _, x := range t.Shape {
			if x == Dynamic {
				shape = append(shape, b.value(Tile(I32)))
			}
		}
		for _, x := range t.Strides {
			if x == Dynamic {
				strides = append(strides, b.value(Tile(I32)))
			}
		}
		base := b.value(&TileType{Elem: t.Elem, Pointer: true, PtrAttr: t.PtrAttr})
		return b.op("make_tensor_view", [][]*Value{{base}, shape, strides}, nil, t).Results[0]
	case *PartitionViewType:
		return b.op("make_partition_view", one(b.value(t.Tensor)), nil, t).Results[0]
	case *StridedViewType:
		return b.op("make_strided_view", one(b.value(t.Tensor)), nil, t).Results[0]
	case *GatherScatterViewType:
		return b.op("make_gather_scatter_view", one(b.value(t.Tensor)), nil, t).Results[0]
	}
	return b.tile(t.(*TileType))
}

func (b *builder) tile(t *TileType) *Value {
	switch {
	case t.Pointer:
		return b.op("int_to_ptr", one(b.value(Tile(I64, t.Shape...))), nil, t).Results[0]
	case t.Elem == I4:
		return b.op("trunci", one(b.value(Tile(I8, t.Shape...))), nil, t).Results[0]
	}
	data := make([]byte, (t.Elem.Bits()+7)/8)
	return b.op("constant", nil, named{"value": &Constant{Type: t, Data: data}}, t).Results[0]
}

// kernel makes a module with one entry whose body the function builds; the return comes by itself.
func kernel(build func(b *builder)) *Module {
	b := &builder{block: &Block{}}
	build(b)
	b.op("return", nil, nil)
	return &Module{Entries: []*Entry{{Name: "k", Body: b.block}}}
}

// region builds a block with arguments.
func region(args []Type, build func(b *builder, args []*Value)) *Block {
	b := &builder{block: &Block{}}
	for _, t := range args {
		b.block.Args = append(b.block.Args, &Value{Type: t})
	}
	build(b, b.block.Args)
	return b.block
}
