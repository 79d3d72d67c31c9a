// Command gen writes the table of operations, tileir/table_gen.go, to the file that its argument names.
package main

import (
	"fmt"
	"os"

	"github.com/cutile-go/cutile/internal/opdef"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen FILE")
		os.Exit(2)
	}
	b, err := opdef.Generate()
	if err == nil {
		err = os.WriteFile(os.Args[1], b, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
