package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dist/parallel"
)

// checkpoint is what training needs to go on, beside the weights and velocities. A file has it as a line of JSON; the weights and velocities follow
// as NumPy has arrays, and then the SHA-256 of all that, so that a damaged file is noticed.
type checkpoint struct {
	Version int    `json:"version"` // of the file: 0 for those from before there were checksums
	Epochs  int    `json:"epochs"`  // that are done
	Hidden  int    `json:"hidden"`
	Parts   int    `json:"parts"`
	Seed    uint64 `json:"seed"`
}

const (
	version     = 1
	largestFile = 64 << 20 // bytes: more than the widest network has
)

// canSave finds out before the training whether a file can be written at its end.
func canSave(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("-checkpoint %s is a folder: name a file in it", path)
	}
	f, err := os.Create(path + ".part")
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		return fmt.Errorf("-checkpoint cannot be written: %w", err)
	}
	return nil
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
	sum, out := sha256.New(), bufio.NewWriter(f)
	w := io.MultiWriter(out, sum)
	c.Version = version
	if err := json.NewEncoder(w).Encode(c); err != nil {
		return err
	}
	for _, t := range append(n.allWeights, n.velocities...) {
		if _, err := t.WriteTo(w); err != nil {
			return err
		}
	}
	_, err := out.Write(sum.Sum(nil))
	return errors.Join(err, out.Flush())
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

// saved is a checkpoint that has been read, without its tensors.
type saved struct {
	checkpoint
	path    string
	tensors *bytes.Reader
}

// openCheckpoint reads a file and looks at its checksum.
func openCheckpoint(path string) (*saved, error) {
	all, err := readFile(path)
	if err != nil {
		return nil, err
	}
	s := &saved{path: path}
	line, rest, _ := bytes.Cut(all, []byte("\n"))
	if err = json.Unmarshal(line, &s.checkpoint); err == nil && s.Version > version {
		return nil, fmt.Errorf("%s is a checkpoint of version %d, but this program knows versions to %d: use a newer program", path, s.Version, version)
	}
	if err == nil && s.Version > 0 {
		end := len(all) - sha256.Size
		if end <= len(line) || sha256.Sum256(all[:end]) != [sha256.Size]byte(all[end:]) {
			return nil, s.damaged("its checksum is not that of its contents")
		}
		rest = rest[:len(rest)-sha256.Size]
	}
	if err == nil && (s.Version < 0 || s.Epochs < 0 || s.Hidden < 1 || s.Hidden > widest || s.Parts < 1 || s.Parts > parallel.MaxParts) {
		err = fmt.Errorf("%d epochs of %d parts with %d units make no sense", s.Epochs, s.Parts, s.Hidden)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is no checkpoint: %w", path, err)
	}
	s.tensors = bytes.NewReader(rest)
	return s, nil
}

// readFile reads a file of a checkpoint's size.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	all, err := io.ReadAll(io.LimitReader(f, largestFile+1))
	if err == nil && len(all) > largestFile {
		err = fmt.Errorf("%s is no checkpoint: it has more than %d bytes", path, largestFile)
	}
	return all, errors.Join(err, f.Close())
}

// damaged is the error of a file that is not as it was written.
func (s *saved) damaged(how string) error {
	return fmt.Errorf("%s is damaged: %s: go on from another checkpoint, or train anew without -resume", s.path, how)
}

// read reads the tensors.
func (s *saved) read(ctx context.Context, n *network) error {
	for _, t := range append(n.allWeights, n.velocities...) {
		x, err := cutile.ReadTensor[float32](n.dev, s.tensors)
		if err != nil {
			return s.damaged(err.Error())
		}
		if x.Len() != t.Len() {
			return s.damaged(fmt.Sprintf("it has an array of %d numbers, expected %d", x.Len(), t.Len()))
		}
		if err := errors.Join(t.Copy(ctx, x), x.Close()); err != nil {
			return err
		}
	}
	if n := s.tensors.Len(); n > 0 {
		return s.damaged(fmt.Sprintf("it has %d bytes behind its end", n))
	}
	return nil
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
		*c = checkpoint{Epochs: int(x[0]), Hidden: int(x[1]), Parts: int(x[2]), Seed: uint64(x[3])}
	}
	return err
}
