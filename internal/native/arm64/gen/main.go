// Command gen writes the table of package arm64 from forms.txt, whose first lines explain it.
package main

import (
	_ "embed"
	"fmt"
	"os"
)

//go:embed forms.txt
var text string

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: gen FILE")
	}
	ops, err := parse(text)
	if err != nil {
		return err
	}
	b, err := write(ops)
	if err != nil {
		return err
	}
	return os.WriteFile(args[0], b, 0o644)
}
