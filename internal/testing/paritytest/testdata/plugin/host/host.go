// Command host opens the plugin that it is given and calls its launches.
package main

import (
	"fmt"
	"os"
	"plugin"

	"github.com/cutile-go/cutile"
)

func main() {
	p, err := plugin.Open(os.Args[1])
	if err != nil {
		fmt.Println("open:", err)
		os.Exit(1)
	}
	dev, err := cutile.Open("cpu")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	x, _ := cutile.FromSlice(dev, []float32{1, 2, 3})
	z, _ := cutile.NewTensor[float32](dev, 3)
	for _, name := range []string{"Double", "Triple", "Half"} {
		f, err := p.Lookup(name)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		if err := f.(func(*cutile.Device, *cutile.Tensor[float32], *cutile.Tensor[float32]) error)(dev, x, z); err != nil {
			fmt.Printf("%s: %v\n", name, err)
			continue
		}
		got, err := z.Slice()
		fmt.Printf("%s: %v %v\n", name, got, err)
	}
}
