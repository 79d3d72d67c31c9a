package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// small makes a small network and writes its checkpoint.
func small(t *testing.T, path string) (*network, checkpoint) {
	t.Helper()
	n, err := newNetwork(context.Background(), group(t, openCPU(t)), 1, 1, rand.New(rand.NewPCG(1, 0)))
	check(t, err)
	c := checkpoint{Epochs: 3, Hidden: 1, Parts: 1, Seed: 1}
	check(t, c.save(path, n))
	return n, c
}

// taken reads a checkpoint with all tensors.
func taken(path string, n *network) error {
	s, err := openCheckpoint(path)
	if err != nil {
		return err
	}
	return s.read(context.Background(), n)
}

// TestDamaged: a checkpoint with any bit flipped, without its end or with more behind it is refused, with its name and what to do.
func TestDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t1")
	n, _ := small(t, path)
	whole := contents(t, path)
	check(t, taken(path, n))
	refused := func(what string, file []byte) {
		t.Helper()
		check(t, os.WriteFile(path, file, 0o666))
		err := taken(path, n)
		if err == nil || !strings.Contains(err.Error(), path+" is ") ||
			strings.Contains(err.Error(), " is damaged") && !strings.Contains(err.Error(), "go on from another checkpoint, or train anew without -resume") {
			t.Errorf("%s: error %v", what, err)
		}
	}
	line := bytes.IndexByte(whole, '\n')
	for bit := range 8 * len(whole) {
		if bit > 8*line && bit%61 != 0 {
			continue // one in 61 behind the first line
		}
		file := slices.Clone(whole)
		file[bit/8] ^= 1 << (bit % 8)
		refused("a flipped bit", file)
	}
	for _, end := range []int{0, 1, line, line + 1, len(whole) / 2, len(whole) - 33, len(whole) - 32, len(whole) - 1} {
		refused("a file that is cut", whole[:end])
	}
	refused("more behind the end", append(slices.Clone(whole), "more"...))
	check(t, os.WriteFile(path, append(slices.Clone(whole), 0), 0o666))
	err := run(context.Background(), []string{"-device", "cpu", "-checkpoint", path, "-resume"}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "t1 is damaged: its checksum is not that of its contents") {
		t.Errorf("the program: %v", err)
	}
}

// TestOldCheckpoint: files from before there were checksums are taken, those of later versions are not.
func TestOldCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t1")
	n, c := small(t, path)
	whole := contents(t, path)
	rest := whole[bytes.IndexByte(whole, '\n'):]
	line, err := json.Marshal(map[string]any{"epochs": c.Epochs, "hidden": c.Hidden, "parts": c.Parts, "seed": c.Seed})
	check(t, err)
	old := slices.Concat(line, rest[:len(rest)-32])
	check(t, os.WriteFile(path, old, 0o666))
	check(t, taken(path, n))
	check(t, os.WriteFile(path, append(old, 'x'), 0o666))
	if err := taken(path, n); err == nil || !strings.Contains(err.Error(), "it has 1 bytes behind its end") {
		t.Errorf("more behind the end of an old file: %v", err)
	}
	check(t, os.WriteFile(path, []byte(`{"version": 2, "epochs": 1}`+"\n"), 0o666))
	if err := taken(path, n); err == nil || !strings.Contains(err.Error(), "version 2, but this program knows versions to 1: use a newer program") {
		t.Errorf("a later version: %v", err)
	}
}
