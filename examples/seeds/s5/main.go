// Command s5 reproduces the listings of seed S5, which is about the arguments of compiled host functions and kernels:
// static and dynamic arguments, type safety, and users' types.
package main

import (
	"embed"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
)

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	for i, l := range listings {
		fmt.Printf("%d. %s\n", i+1, l.title)
		if err := l.show(); err != nil {
			return fmt.Errorf("listing %d: %w", i+1, err)
		}
	}
	return nil
}

func onCPU(f func(dev *cutile.Device) error) error {
	dev, err := cutile.Open("cpu")
	if err != nil {
		return err
	}
	defer dev.Close()
	return f(dev)
}
