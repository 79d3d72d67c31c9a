// Command s2 reproduces the listings of seed S2, which is about the directives that declare types and operations. It
// prints each Go declaration with the resulting Tile IR.
package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

//go:embed *.go core/*.go
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
		if err := l.show(w); err != nil {
			return fmt.Errorf("listing %d: %w", i+1, err)
		}
	}
	return nil
}

// module compiles a kernel for these arguments and reads its bytecode back.
func module(kernel any, args ...any) (*tileir.Module, error) {
	dir, err := os.MkdirTemp("", "s2")
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

// operations lists the operations of these names in a kernel's only block.
func operations(m *tileir.Module, names ...string) (out []*tileir.Op) {
	for _, o := range m.Entries[0].Body.Ops {
		for _, n := range names {
			if o.Info.Mnemonic == n {
				out = append(out, o)
			}
		}
	}
	return out
}

// lines shows the lines of a kernel's text with operations of these names.
func lines(names ...string) func(w io.Writer, m *tileir.Module) error {
	return func(w io.Writer, m *tileir.Module) error {
		for line := range strings.Lines(text.Sprint(m)) {
			for _, n := range names {
				if strings.Contains(line, "= "+n+" ") {
					fmt.Fprintf(w, "   %s\n", strings.TrimSpace(line))
				}
			}
		}
		return nil
	}
}

// of compiles a kernel and prints a part of it.
func of(show func(io.Writer, *tileir.Module) error, kernel any, args ...any) func(io.Writer) error {
	return func(w io.Writer) error {
		m, err := module(kernel, args...)
		if err != nil {
			return err
		}
		return show(w, m)
	}
}

// all prints several parts.
func all(shows ...func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		for _, show := range shows {
			if err := show(w); err != nil {
				return err
			}
		}
		return nil
	}
}

// directive returns the directives above a declaration of package core.
func directive(declaration string) (string, error) {
	for _, name := range []string{"core/core.go", "core/compose.go"} {
		text, err := source.ReadFile(name)
		if err != nil {
			return "", err
		}
		last := ""
		for line := range strings.Lines(string(text)) {
			switch {
			case strings.HasPrefix(line, "//cutile:"):
				last = strings.TrimSpace(line)
			case strings.HasPrefix(line, declaration):
				return last, nil
			}
		}
	}
	return "", fmt.Errorf("no declaration %s", declaration)
}

// declared prints the directives above some declarations.
func declared(declarations ...string) func(io.Writer) error {
	return func(w io.Writer) error {
		for _, d := range declarations {
			text, err := directive(d)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "   %s\n", text)
		}
		return nil
	}
}
