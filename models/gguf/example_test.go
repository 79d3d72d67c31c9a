package gguf_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/cutile-go/cutile/models/gguf"
)

func Example() {
	weights := make([]float32, 64)
	for i := range weights {
		weights[i] = float32(i-32) / 4
	}
	e, err := gguf.NewEntry("blk.0.weight", gguf.Q8_0, weights, 2, 32)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := gguf.Write(&file, []gguf.Value{{Key: "general.architecture", Value: "llama"}}, e); err != nil {
		log.Fatal(err)
	}

	f, err := gguf.New(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		log.Fatal(err)
	}
	arch, err := gguf.Get[string](f, "general.architecture")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(arch)
	for name, t := range f.All() {
		x, err := t.Float32s()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, t.Type(), t.Shape(), t.Size(), "bytes", x[32:35])
	}
	// Output:
	// llama
	// blk.0.weight Q8_0 [2 32] 68 bytes [0 0.24414062 0.48828125]
}
