package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/cutile-go/cutile/internal/simt/emu"
)

// tests is where ZLUDA has the tests that run.
const tests = "ptx/src/test/spirv_run"

var (
	rustComment = regexp.MustCompile(`//[^\n]*`)
	rustTest    = regexp.MustCompile(`(?s)\btest_ptx(_with_32|_warp)?!\(\s*(\w+)\s*(?:,(.*?))?\);`)
	rustArray   = regexp.MustCompile(`(?s)\[([^\]]*)\]`)
)

// zludaCases are ZLUDA's files of PTX. Those that its table has no results for are only read.
func zludaCases(dir string) ([]testCase, error) {
	root := filepath.Join(dir, tests)
	source, err := os.ReadFile(filepath.Join(root, "mod.rs"))
	if err != nil {
		return nil, err
	}
	tabled := map[string]func() error{}
	for _, m := range rustTest.FindAllStringSubmatch(rustComment.ReplaceAllString(string(source), ""), -1) {
		kind, name, arrays := m[1], m[2], rustArray.FindAllStringSubmatch(m[3], -1)
		if len(arrays) == 0 {
			continue
		}
		tabled[name+".ptx"] = func() error { return zludaRun(root, name+".ptx", kind == "_warp", arrays) }
		if kind == "_with_32" {
			tabled["32/"+name+".ptx"] = func() error { return zludaRun(root, "32/"+name+".ptx", false, arrays) }
		}
	}
	files, err := ocelotCases(root)
	for i := range files {
		c := &files[i]
		if run := tabled[c.file]; run != nil {
			c.run = run
			delete(tabled, c.file)
		}
	}
	for file := range tabled {
		return nil, fmt.Errorf("%s has a test of %s, which is no file", tests, file)
	}
	return files, err
}

// zludaRun runs a kernel as ZLUDA's tests do: one block of one thread, or of 64, with an input and an output.
func zludaRun(root, file string, warp bool, arrays [][]string) error {
	block := [3]int{1, 1, 1}
	if warp {
		block[0] = 64
	}
	m, err := read(filepath.Join(root, file), block)
	if err != nil {
		return err
	}
	var values []rustValues
	for _, a := range arrays {
		v, err := rustArrayOf(a[1])
		if err != nil {
			return err
		}
		values = append(values, v)
	}
	want := values[len(values)-1]
	const input, output = 0x1000_0000, 0x2000_0000
	memory := &emu.Memory{}
	got := make([]byte, len(want.bytes()))
	memory.Map(output, got, "the output", false)
	args := []uint64{output, output}
	if len(values) > 1 {
		memory.Map(input, values[0].bytes(), "the input", false)
		args[0] = input
	}
	p, err := emu.Load(m)
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(filepath.Base(file), ".ptx")
	k := m.Kernel(name)
	if k == nil {
		return fmt.Errorf("there is no kernel %s", name)
	}
	k.Block = block
	err = p.Run(context.Background(), emu.Launch{
		Kernel: name, Grid: [3]int{1, 1, 1}, Shared: k.Shared + 1024, Args: args[:len(k.Params)], Memory: memory,
	})
	if err == nil && !want.equal(got) {
		err = fmt.Errorf("the output is %s, expected %s", hex.EncodeToString(got), hex.EncodeToString(want.bytes()))
	}
	return err
}
