// Crosscheck looks for mistakes of types in every package and test of the module, as other systems build them:
//
//	go run ./internal/testing/crosscheck linux/arm64 linux/amd64,nocuda,novulkan
//
// What follows a comma is a build tag. Nothing is compiled, so a system takes seconds where its build takes minutes; what only compilers and
// linkers find is left to the builds of scripts/sweep.sh.
package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	wrong := 0
	for _, target := range os.Args[1:] {
		list, err := check(".", target)
		if err != nil {
			fmt.Fprintf(os.Stderr, "crosscheck: %s: %v\n", target, err)
			os.Exit(1)
		}
		for _, err := range list {
			fmt.Fprintf(os.Stderr, "%s: %v\n", target, err)
			wrong++
		}
	}
	if wrong > 0 {
		os.Exit(1)
	}
}

// check gives the mistakes of the module in a folder for a target, such as "linux/amd64,nocuda".
func check(dir, target string) ([]error, error) {
	system, tags, _ := strings.Cut(target, ",")
	goos, goarch, ok := strings.Cut(system, "/")
	if !ok {
		return nil, fmt.Errorf("want a target such as linux/arm64, or linux/arm64,nocuda with a build tag")
	}
	all, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedModule,
		Dir:        dir,
		Env:        append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch),
		BuildFlags: []string{"-tags=" + tags},
		Tests:      true,
	}, "./...")
	if err != nil {
		return nil, err
	}
	var wrong []error
	packages.Visit(all, nil, func(p *packages.Package) {
		for _, err := range p.Errors {
			wrong = append(wrong, err)
		}
	})
	return wrong, nil
}
