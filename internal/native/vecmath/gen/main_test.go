package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vecmath"
)

// TestUpToDate compares the file in the tree with what is generated.
func TestUpToDate(t *testing.T) {
	want, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../mathloops/mathloops_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("mathloops_gen.go is not what is generated: run go generate in internal/native/vecmath")
	}
}

// TestRefused shows that what has no Go is an error.
func TestRefused(t *testing.T) {
	for want, emit := range map[string]func(b *vec.Builder, x vec.Reg) vec.Reg{
		"there is no Go for it": func(b *vec.Builder, x vec.Reg) vec.Reg { return b.DoImm(vec.Down, vec.F32, 8, x) },
		"it assigns a constant": func(b *vec.Builder, x vec.Reg) vec.Reg {
			c := b.Bits(vec.F32, 0)
			b.Set(c, x)
			return c
		},
	} {
		f := vecmath.Function{Name: "Wrong", Args: []vec.Type{vec.F32}, Emit: func(b *vec.Builder, args []vec.Reg) vec.Reg { return emit(b, args[0]) }}
		if _, err := function(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
