package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

//go:embed explained.txt
var explained string

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

func main() {
	n := flag.Int("n", 200, "how many mutants")
	seed := flag.Uint64("seed", 1, "which places")
	least := flag.Int("least", 90, "the percentage that must be noticed")
	limit := flag.Duration("limit", 5*time.Minute, "how long the tests of a mutant may take")
	only := flag.String("only", "", "the prefix of the files to break")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *n, *seed, *least, *limit, *only); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, n int, seed uint64, least int, limit time.Duration, only string) error {
	files, err := product(".", only)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	var noticed, survived, known int
	seen := map[string]bool{}
	for noticed+survived < n && ctx.Err() == nil {
		m := choose(rng, files)
		if m == nil || seen[m.String()] {
			continue
		}
		seen[m.String()] = true
		switch how, err := try(ctx, m, limit); {
		case err != nil:
			return err
		case how == broken:
		case how == dead:
			noticed++
		default:
			survived++
			note := "SURVIVED"
			if reason := explanation(m); reason != "" {
				note, known = "explained ("+reason+")", known+1
			}
			fmt.Printf("%s %s:%d %s\n\t%s\n\t%s\n", note, m.file, m.line, m.kind, m.before, m.after)
		}
	}
	fmt.Printf("%d mutants: %d noticed, %d survived, %d of them explained\n", noticed+survived, noticed, survived, known)
	if err := ctx.Err(); err != nil {
		return err
	}
	if 100*noticed < least*(noticed+survived) {
		return fmt.Errorf("less than %d%% are noticed", least)
	}
	return nil
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
	f, kind := files[i], kinds[rng.IntN(len(kinds))]
	type place struct {
		e  edit
		fn string
	}
	var places []place
	for _, d := range f.ast.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if n != nil {
				for _, e := range kind.apply(f, n) {
					places = append(places, place{e, fn.Name.Name})
				}
			}
			return true
		})
	}
	if len(places) == 0 {
		return nil
	}
	p := places[rng.IntN(len(places))]
	m := &mutant{file: f.name, fn: p.fn, kind: kind.name, line: f.fset.Position(p.e.from).Line}
	m.all, m.before, m.after = f.apply(p.e)
	return m
}

// How the tests of a mutant end.
const (
	broken = iota // it does not compile
	dead
	alive
)

// try runs the tests that hold a mutant's package.
func try(ctx context.Context, m *mutant, limit time.Duration) (how int, err error) {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	original, err := filepath.Abs(m.file)
	if err != nil {
		return 0, err
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(changed, []byte(m.all), 0o600); err != nil {
		return 0, err
	}
	if err := os.WriteFile(overlay, list, 0o600); err != nil {
		return 0, err
	}
	if out, err := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "./"+path.Dir(m.file)).CombinedOutput(); err != nil {
		return broken, notGo(out)
	}
	args := append([]string{"test", "-short", "-count=1", "-failfast", "-timeout", limit.String(), "-overlay", overlay}, testsOf(path.Dir(m.file))...)
	cmd := exec.CommandContext(ctx, "go", args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return dead, notGo(out)
	}
	return alive, nil
}

// notGo is an error where the go command itself could not work.
func notGo(out []byte) error {
	if text := string(out); strings.Contains(text, "no space left on device") {
		return fmt.Errorf("%s", text)
	}
	return nil
}

// explanation is the reason that explained.txt gives for a survivor: "" for none.
func explanation(m *mutant) string {
	for _, line := range strings.Split(explained, "\n") {
		if rest, ok := strings.CutPrefix(line, m.String()); ok {
			return strings.TrimLeft(rest, " #")
		}
	}
	return ""
}
