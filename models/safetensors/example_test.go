package safetensors_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/models/safetensors"
)

func Example() {
	dir, err := os.MkdirTemp("", "safetensors")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.safetensors")

	weights := make([]dtype.BFloat16, 6)
	dtype.BFloat16sFromFloat32s(weights, []float32{1, 2, 3, 4, 5, 6})
	e, err := safetensors.NewEntry("layer.weight", weights, 2, 3)
	if err != nil {
		log.Fatal(err)
	}
	if err := safetensors.Save(path, map[string]string{"format": "pt"}, e); err != nil {
		log.Fatal(err)
	}

	f, err := safetensors.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	for name, t := range f.All() {
		fmt.Println(name, t.DType(), t.Shape())
	}
	t, err := f.Tensor("layer.weight")
	if err != nil {
		log.Fatal(err)
	}
	data, err := safetensors.Slice[dtype.BFloat16](t)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(data, f.Metadata())
	// Output:
	// layer.weight BF16 [2 3]
	// [1 2 3 4 5 6] map[format:pt]
}
