package gomlx

import (
	"context"
	"errors"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/shapes"
)

// TestDonation: the memory of donated inputs is freed by every Execute, whether it succeeds or fails, and no other.
func TestDonation(t *testing.T) {
	b, err := New("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Finalize()
	shape := shapes.Make(dtypes.Float32, 4)
	builder := b.Builder("donation")
	x, err := builder.Parameter("x", shape, nil)
	if err != nil {
		t.Fatal(err)
	}
	y, err := builder.Add(x, x)
	if err != nil {
		t.Fatal(err)
	}
	exec, err := builder.Compile([]backends.Op{y, x}, nil)
	if err != nil {
		t.Fatal(err)
	}
	upload := func(n int) (*Buffer, *device.Tensor[float32]) {
		x, err := b.BufferFromFlatData(0, make([]float32, n), shapes.Make(dtypes.Float32, n))
		if err != nil {
			t.Fatal(err)
		}
		return x.(*Buffer), x.(*Buffer).tensor.(*device.Tensor[float32])
	}
	freed := func(what string, x *device.Tensor[float32], want bool) {
		t.Helper()
		if err := x.Read(context.Background(), make([]float32, x.Len())); errors.Is(err, device.ErrClosed) != want {
			t.Errorf("%s: reading the memory gives %v; freed: %v expected", what, err, want)
		}
	}
	kept, keptMem := upload(4)
	if _, err := exec.Execute([]backends.Buffer{kept}, []bool{false}, 0); err != nil {
		t.Fatal(err)
	}
	freed("kept", keptMem, false)
	given, mem := upload(4)
	out, err := exec.Execute([]backends.Buffer{given}, []bool{true}, 0)
	if err != nil {
		t.Fatal(err)
	}
	freed("donated", mem, true)
	for _, o := range out {
		if err := b.BufferToFlatData(o, make([]float32, 4)); err != nil {
			t.Errorf("output after donation: %v", err)
		}
	}
	if _, err := exec.Execute([]backends.Buffer{given}, nil, 0); err == nil {
		t.Error("a donated buffer was used")
	}
	wrong, mem := upload(5)
	if _, err := exec.Execute([]backends.Buffer{wrong}, []bool{true}, 0); err == nil {
		t.Error("a buffer of another shape was used")
	}
	freed("donated to a failing execution", mem, true)
	late, mem := upload(4)
	exec.Finalize()
	if _, err := exec.Execute([]backends.Buffer{late}, []bool{true}, 0); err == nil {
		t.Error("a finalized computation ran")
	}
	freed("donated to a finalized computation", mem, true)
}
