package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is one broken file.
type mutant struct {
	file               string
	line               int
	fn, kind           string
	before, after, all string
}

// String is what a line of explained.txt begins with.
func (m *mutant) String() string {
	return fmt.Sprintf("%s %s: %s => %s", m.file, m.fn, m.before, m.after)
}

// report is what a person reads of it.
func (m *mutant) report() string {
	return fmt.Sprintf("%s:%d %s %s\n\t%s\n\t%s\n", m.file, m.line, m.fn, m.kind, m.before, m.after)
}

// mutants are the places that a seed chooses, each once. They end where no new one is found any more.
func mutants(files []*file, seed uint64) iter.Seq[*mutant] {
	return func(yield func(*mutant) bool) {
		rng := rand.New(rand.NewPCG(seed, 0))
		seen := map[string]bool{}
		for misses := 0; misses < 10_000; misses++ {
			m := choose(rng, files)
			if m == nil || seen[m.String()] {
				continue
			}
			seen[m.String()], misses = true, 0
			if !yield(m) {
				return
			}
		}
	}
}

// product reads the files of the product, in the order of their names.
func product(root, only string) (files []*file, err error) {
	err = filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, at)
		name = filepath.ToSlash(name)
		skip := slices.ContainsFunc(skipped, func(s string) bool { return strings.HasPrefix(name, s) })
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (skip || d.Name() == "testdata" || d.Name()[0] == '.'):
			return filepath.SkipDir
		case skip || d.IsDir() || !strings.HasPrefix(name, only) || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		if here, err := build.Default.MatchFile(filepath.Dir(at), d.Name()); err != nil || !here {
			return err // what another system compiles is not tested here
		}
		f, err := read(at, name)
		if err == nil && !ast.IsGenerated(f.ast) {
			files = append(files, f)
		}
		return err
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no files of the product below %q", only)
	}
	return files, err
}

func read(at, name string) (*file, error) {
	text, err := os.ReadFile(at)
	if err != nil {
		return nil, err
	}
	f := &file{name: name, fset: token.NewFileSet(), text: string(text)}
	f.ast, err = parser.ParseFile(f.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	return f, err
}

// choose breaks a place of a file: files by their length, kinds evenly. It gives nil where the file has no such place.
func choose(rng *rand.Rand, files []*file) *mutant {
	total := 0
	for _, f := range files {
		total += len(f.text)
	}
	at := rng.IntN(total)
	i := 0
	for at >= len(files[i].text) {
		at -= len(files[i].text)
		i++
	}
	f := files[i]
	places := f.places(kinds[rng.IntN(len(kinds))])
	if len(places) == 0 {
		return nil
	}
	return f.broken(places[rng.IntN(len(places))])
}

// place is where one kind of change can be made.
type place struct {
	edit
	fn, kind string
}

// places are those of a kind, in the order of the file.
func (f *file) places(kind kind) (all []place) {
	for _, d := range f.ast.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if n == nil || isBug(n) {
				return false
			}
			for _, e := range kind.apply(f, n) {
				all = append(all, place{e, fn.Name.Name, kind.name})
			}
			return !isUnread(n)
		})
	}
	return all
}

// broken is the file with a place changed.
func (f *file) broken(p place) *mutant {
	m := &mutant{file: f.name, fn: p.fn, kind: p.kind, line: f.fset.Position(p.from).Line}
	m.all, m.before, m.after = f.apply(p.edit)
	return m
}
