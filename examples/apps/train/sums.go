package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// sumsFile lists the SHA-256 of the other files of a checkpoint, as the command sha256sum does.
const sumsFile = "SHA256SUMS"

// writeSums writes the list for the files in a folder.
func writeSums(folder string) error {
	files, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, f := range files {
		sum, err := sumOf(filepath.Join(folder, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%s  %s\n", sum, f.Name())
	}
	return writeFile(filepath.Join(folder, sumsFile), []byte(list.String()))
}

// checkSums compares the files of a checkpoint with the list. Checkpoints from before there was one are taken.
func checkSums(folder string) error {
	list, err := os.ReadFile(filepath.Join(folder, sumsFile))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	damaged := func(file, how string) error {
		return fmt.Errorf("%s is damaged: %s: remove its folder to go on from the checkpoint before it with -resume", filepath.Join(folder, file), how)
	}
	needed := map[string]bool{"train.json": true, "tokenizer.json": true, "model.safetensors": true, "adam.safetensors": true}
	for line := range strings.Lines(string(list)) {
		want, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || name != filepath.Base(name) || !strings.HasSuffix(line, "\n") {
			return damaged(sumsFile, "it is no list of checksums")
		}
		sum, err := sumOf(filepath.Join(folder, name))
		switch {
		case errors.Is(err, os.ErrNotExist):
			return damaged(name, sumsFile+" has its checksum, but it is not there")
		case err != nil:
			return err
		case sum != want:
			return damaged(name, "its checksum is not the one in "+sumsFile)
		}
		delete(needed, name)
	}
	for name := range needed {
		return damaged(sumsFile, "it lacks "+name)
	}
	return nil
}

// sumOf is the SHA-256 of a file.
func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, f.Close())
}
