// Command s1 reproduces the listings of seed S1, which is about the front end for kernels in Go: types and functions of
// every rank, registered source, launchers.
package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer) error {
	for i, l := range listings {
		fmt.Fprintf(w, "%d. %s\n", i+1, l.title)
		if l.show == nil {
			fmt.Fprintf(w, "   %s\n", l.why)
		} else if err := l.show(w); err != nil {
			return fmt.Errorf("listing %d: %w", i+1, err)
		}
	}
	return nil
}

// specs returns arguments of the addition at a rank.
func specs(rank int) []any {
	if rank == 0 {
		return []any{float32(1), float32(2), cutile.SpecOf[float32](1)}
	}
	s := cutile.SpecOf[float32](shape(rank)...)
	return []any{s, s, s}
}

// shape returns a shape of a rank whose extents are not multiples of 2.
func shape(rank int) []int {
	shape := make([]int, rank)
	for i := range shape {
		shape[i] = 2
	}
	shape[0] = 3
	return shape
}

// result runs the addition at a rank and returns the sum of all elements.
func result(rank int) (total float32, err error) {
	err = onCPU(func(dev *cutile.Device) error {
		if rank == 0 {
			z, err := cutile.NewTensor[float32](dev, 1)
			if err != nil {
				return err
			}
			if err := cutile.Launch(context.Background(), dev, ranks[0], float32(1), float32(2), z); err != nil {
				return err
			}
			total, err = z.Item()
			return err
		}
		n := shape(rank)
		x, err := cutile.NewTensor[float32](dev, n...)
		if err != nil {
			return err
		}
		z, err := cutile.NewTensor[float32](dev, n...)
		if err != nil {
			return err
		}
		if err := x.Fill(context.Background(), 1.5); err != nil {
			return err
		}
		if err := cutile.Launch(context.Background(), dev, ranks[rank], x, x, z); err != nil {
			return err
		}
		data, err := z.Slice()
		for _, v := range data {
			total += v
		}
		return err
	})
	return total, err
}

func onCPU(f func(dev *cutile.Device) error) error {
	dev, err := cutile.Open("cpu")
	if err != nil {
		return err
	}
	defer dev.Close()
	return f(dev)
}

// module compiles a kernel for these arguments and reads its bytecode back.
func module(kernel any, args ...any) (*tileir.Module, error) {
	dir, err := os.MkdirTemp("", "s1")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := cutile.Export(context.Background(), dir, []string{"13.2"}, kernel, args...); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.tileirbc"))
	if err != nil || len(files) != 1 {
		return nil, fmt.Errorf("%d files of bytecode: %w", len(files), err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		return nil, err
	}
	m, _, err := bytecode.Read(data)
	return m, err
}
