// Command gen writes what is generated from the facts of Tile IR: the files of package tileir that its arguments name.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/cutile-go/cutile/internal/gen/opdef"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: gen FILE...")
		os.Exit(2)
	}
	for _, file := range os.Args[1:] {
		if err := write(file); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func write(file string) error {
	generate := opdef.Files[filepath.Base(file)]
	if generate == nil {
		return fmt.Errorf("gen: there is nothing to generate for %s", file)
	}
	b, err := generate()
	if err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o644)
}
