package dump

import (
	"reflect"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/device/strided"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/tilec/compile"
)

var factParams = []compile.Param{
	{Name: "a", Kind: compile.In, Elem: dtype.F16, Tile: []int{1, 16, 32}},
	{Name: "b", Kind: compile.Out, Elem: dtype.F32, Tile: []int{64}},
	{Name: "c", Kind: compile.Ptr, Elem: dtype.F32},
	{Name: "n", Kind: compile.Scalar, Elem: dtype.F32},
}

// TestDefaultFacts compares the default with what a launch finds out about contiguous tensors.
func TestDefaultFacts(t *testing.T) {
	dev, err := device.Open(cpu.New(cpu.Options{Workers: 1}), limit.Default)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	tensor := func(elem dtype.Type, shape ...int) *device.Tensor {
		view, err := strided.RowMajor(shape)
		if err != nil {
			t.Fatal(err)
		}
		mem, err := dev.Alloc(int64(view.Len() * elem.Size()))
		if err != nil {
			t.Fatal(err)
		}
		return &device.Tensor{Memory: mem, View: view, Elem: elem}
	}
	unwrap := func(x any) (*device.Tensor, any, error) {
		tensor, _ := x.(*device.Tensor)
		return tensor, x, nil
	}
	call := bind.New(factParams, reflect.TypeFor[func()](), dev, unwrap)
	wrong := call.Bind([]any{tensor(dtype.F16, 16, 32, 64), tensor(dtype.F32, 64), tensor(dtype.F32, 5, 7), float32(1)})
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	got, err := parseFacts("all", factParams)
	if want := call.Facts(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func TestFacts(t *testing.T) {
	all, err := parseFacts("", factParams)
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := all.Args[0], all.Args[1], all.Args[2]
	for _, test := range []struct {
		text string
		wide bool
		want [3]compile.ArgFacts
	}{
		{"all", false, [3]compile.ArgFacts{a, b, c}},
		{"none", false, [3]compile.ArgFacts{}},
		{"wide", true, [3]compile.ArgFacts{a, b, c}},
		{"none, wide, b=all", true, [3]compile.ArgFacts{{}, b, {}}},
		{"a=none,c=align", false, [3]compile.ArgFacts{{}, b, c}},
		{"a=align+extent", false, [3]compile.ArgFacts{{Align16: true, Extent16: 7}, b, c}},
		{"a=extent.0+extent.2+stride.1+unit.0", false, [3]compile.ArgFacts{{Extent16: 5, Stride16: 2, Unit: 1}, b, c}},
		{"a=unit,b=stride", false, [3]compile.ArgFacts{{Unit: 4}, {Stride16: 1}, c}},
		{"c=none", false, [3]compile.ArgFacts{a, b, {}}},
	} {
		f, err := parseFacts(test.text, factParams)
		if err != nil || f.Wide != test.wide || f.Args[3] != (compile.ArgFacts{}) || [3]compile.ArgFacts(f.Args[:3]) != test.want {
			t.Errorf("%q: got %+v, %v", test.text, f, err)
		}
		for i, p := range factParams[:3] { // what is printed means the same again
			again, err := parsePromises(f.Args[i].Words(&p), &p)
			if err != nil || again != f.Args[i] {
				t.Errorf("%q: %s prints %q, which is %+v, %v", test.text, p.Name, f.Args[i].Words(&p), again, err)
			}
		}
	}
}
