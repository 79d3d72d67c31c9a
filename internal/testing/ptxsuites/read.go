package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
)

// target is what modules are verified and written for.
const target = "sm_90a"

// ocelotCases are all files of PTX.
func ocelotCases(dir string) ([]testCase, error) {
	var cases []testCase
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".ptx") {
			name, _ := filepath.Rel(dir, path)
			cases = append(cases, testCase{filepath.ToSlash(name), func() error {
				_, err := read(path, [3]int{32, 1, 1})
				return err
			}})
		}
		return err
	})
	return cases, err
}

// read reads a file, verifies it, writes it and reads it back equal; NVIDIA's assembler must take it, too. Kernels that do not say how large a block is have
// one of block.
func read(path string, block [3]int) (*simt.Module, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := ptx.Read(text)
	if err != nil {
		return nil, err
	}
	for _, k := range m.Kernels {
		if k.Block == [3]int{} {
			k.Block = block
		}
	}
	first, err := ptx.Write(m, target)
	if err != nil {
		return nil, err
	}
	again, err := ptx.Read(first)
	if err != nil {
		return nil, fmt.Errorf("what was written: %w", err)
	}
	second, err := ptx.Write(again, target)
	if err == nil && !bytes.Equal(first, second) {
		err = fmt.Errorf("it is not equal when it is read back and written again")
	}
	if err == nil {
		err = assemble(first)
	}
	return m, err
}
