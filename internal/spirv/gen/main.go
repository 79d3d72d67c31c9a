// Command gen writes the tables of package spirv.
//
//	gen -headers DIR FILE   reduces the JSON files in DIR, include/spirv/unified1 of KhronosGroup/SPIRV-Headers, to grammar.txt
//	gen FILE                writes the Go constants of package spirv from grammar.txt
//
// The second is what go generate runs. The first is run by hand for a newer revision of the headers, which are not part of this
// repository:
//
//	go run ./internal/spirv/gen -headers .../SPIRV-Headers/include/spirv/unified1 internal/spirv/grammar/grammar.txt
//
// DIR may hold spir-v.xml, too, which is in the folder above: it has the names of the tools that make modules.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	headers := flag.String("headers", "", "folder of the grammar's JSON files")
	flag.Parse()
	if err := run(*headers, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(headers string, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: gen [-headers DIR] FILE")
	}
	write := constants
	if headers != "" {
		write = func() ([]byte, error) { return reduce(headers) }
	}
	b, err := write()
	if err != nil {
		return err
	}
	return os.WriteFile(args[0], b, 0o644)
}
