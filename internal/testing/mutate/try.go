package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// How the tests of a mutant end.
const (
	broken = iota // it does not compile
	dead
	alive
)

// bench is where mutants are tried.
type bench struct {
	limit time.Duration // how long the tests of a mutant may take
	cache *buildCache
	sound map[string]bool // packages, with the options, whose tests pass without a mutant
}

// newBench compiles what the files' tests need, so that this is done once.
func newBench(ctx context.Context, limit time.Duration, files []*file) (*bench, error) {
	cache, err := newBuildCache()
	if err != nil {
		return nil, err
	}
	b := &bench{limit, cache, map[string]bool{}}
	packages := map[string]bool{}
	for _, f := range files {
		for _, p := range stages(path.Dir(f.name)) {
			packages[p] = true
		}
	}
	args := append([]string{"list", "-export", "-deps", "-test", "-f", "{{.Name}}"}, slices.Sorted(maps.Keys(packages))...)
	if out, err := b.goCommand(ctx, args...).CombinedOutput(); err != nil {
		b.close()
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	cache.keep()
	return b, nil
}

func (b *bench) close() { os.RemoveAll(b.cache.dir) }

// try runs the tests that hold a mutant's package.
func (b *bench) try(ctx context.Context, m *mutant) (how int, err error) {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	defer b.cache.trim()
	overlay, err := writeOverlay(dir, m)
	if err != nil {
		return 0, err
	}
	folder := path.Dir(m.file)
	if out, err := b.goCommand(ctx, "build", "-overlay", overlay, "./"+folder).CombinedOutput(); err != nil {
		return broken, notGo(out)
	}
	for _, p := range stages(folder) {
		if out, err := b.test(ctx, p, "-overlay", overlay); err != nil {
			return dead, errors.Join(notGo(out), b.check(ctx, p))
		}
	}
	if out, err := b.test(ctx, "./"+folder, "-overlay", overlay, "-short=false"); err != nil {
		return dead, errors.Join(notGo(out), b.check(ctx, "./"+folder, "-short=false"))
	}
	return alive, nil
}

// test runs the tests of packages, the short ones unless an option says otherwise.
func (b *bench) test(ctx context.Context, packages string, options ...string) ([]byte, error) {
	args := append([]string{"test", "-short", "-count=1", "-failfast", "-vet=off", "-timeout", b.limit.String()}, options...)
	return b.goCommand(ctx, append(args, packages)...).CombinedOutput()
}

// check makes sure, once, that tests which failed pass without a mutant: else they would notice everything.
func (b *bench) check(ctx context.Context, packages string, options ...string) error {
	key := fmt.Sprint(packages, options)
	if b.sound[key] || ctx.Err() != nil {
		return nil
	}
	if out, err := b.test(ctx, packages, options...); err != nil {
		return fmt.Errorf("the tests of %s fail without a mutant: %s", packages, out)
	}
	b.sound[key] = true
	return nil
}

// writeOverlay writes a mutant, and the file that tells the go command to compile it in place of the original.
func writeOverlay(dir string, m *mutant) (name string, err error) {
	original, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	changed, name := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(changed, []byte(m.all), 0o600); err != nil {
		return "", err
	}
	return name, os.WriteFile(name, list, 0o600)
}

func (b *bench) goCommand(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "GOCACHE="+b.cache.dir)
	return cmd
}

// notGo is an error where the go command itself could not work.
func notGo(out []byte) error {
	if text := string(out); strings.Contains(text, "no space left on device") {
		return fmt.Errorf("%s", text)
	}
	return nil
}
