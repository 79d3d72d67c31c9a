package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dist/parallel"
)

// checkpoint is what training needs to go on, beside the weights and velocities, which follow it in a file as NumPy has arrays.
type checkpoint struct {
	Epochs int    `json:"epochs"` // that are done
	Hidden int    `json:"hidden"`
	Parts  int    `json:"parts"`
	Seed   uint64 `json:"seed"`
}

// save writes a file, which appears under its name when all of it is on the disk: whenever the program is killed, there is a whole file.
func (c checkpoint) save(path string, n *network) error {
	f, err := os.Create(path + ".part")
	if err != nil {
		return err
	}
	if err := errors.Join(c.write(f, n), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("writing a checkpoint: %w", errors.Join(err, os.Remove(f.Name())))
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

func (c checkpoint) write(f *os.File, n *network) error {
	w := bufio.NewWriter(f)
	if err := json.NewEncoder(w).Encode(c); err != nil {
		return err
	}
	for _, t := range append(n.allWeights, n.velocities...) {
		if _, err := t.WriteTo(w); err != nil {
			return err
		}
	}
	return w.Flush()
}

// syncFolder makes a new name last.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" { // it cannot
		return nil
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// saved is a checkpoint that is being read.
type saved struct {
	checkpoint
	file *os.File
	in   *bufio.Reader
}

// openCheckpoint reads the first line of a file.
func openCheckpoint(path string) (*saved, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := &saved{file: f, in: bufio.NewReader(f)}
	line, err := s.in.ReadSlice('\n') // at most 4096 bytes
	if err == nil {
		err = json.Unmarshal(line, &s.checkpoint)
	}
	if err == nil && (s.Epochs < 0 || s.Hidden < 1 || s.Hidden > widest || s.Parts < 1 || s.Parts > parallel.MaxParts) {
		err = fmt.Errorf("%d epochs of %d parts with %d units make no sense", s.Epochs, s.Parts, s.Hidden)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is no checkpoint: %w", path, errors.Join(err, f.Close()))
	}
	return s, nil
}

// read reads the tensors.
func (s *saved) read(ctx context.Context, n *network) error {
	for _, t := range append(n.allWeights, n.velocities...) {
		x, err := cutile.ReadTensor[float32](n.dev, s.in)
		if err != nil {
			return fmt.Errorf("%s: %w", s.file.Name(), err)
		}
		if x.Len() != t.Len() {
			return fmt.Errorf("%s has an array of %d numbers, expected %d", s.file.Name(), x.Len(), t.Len())
		}
		if err := errors.Join(t.Copy(ctx, x), x.Close()); err != nil {
			return err
		}
	}
	return s.file.Close()
}

// share gives all processes the checkpoint that rank 0 has read.
func (c *checkpoint) share(ctx context.Context, g *dist.Group) error {
	t, err := cutile.FromSlice(g.Device(), []int64{int64(c.Epochs), int64(c.Hidden), int64(c.Parts), int64(c.Seed)})
	if err != nil {
		return err
	}
	defer t.Close()
	if err := parallel.Replicate(ctx, g, t); err != nil {
		return err
	}
	x, err := t.Slice()
	if err == nil {
		*c = checkpoint{int(x[0]), int(x[1]), int(x[2]), uint64(x[3])}
	}
	return err
}
