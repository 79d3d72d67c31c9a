// Package dialecttest runs the tests of the open dialect, the files of NVIDIA/cuda-tile under test/Dialect and
// test/Bytecode, against the reader, verifier and writer of package tileir. The suite is fetched when it runs and never
// committed: the variable CUTILE_DIALECT names a checkout.
//
// A file consists of parts, which know nothing of one another. A part whose comments expect errors must be refused at the
// lines that they name, for the reasons that they name (reasons.txt ties their words to ours); any other part is read,
// printed, read again and, where a file can hold it, written as bytecode and read, and each gives the same module.
package dialecttest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// part is a piece of a file between two lines of dashes.
type part struct {
	file    string // its path in the suite
	line    int    // of the file, where the part starts
	text    string
	expects []expectation
	flags   string // of the tool that reads the file
}

// name is "Dialect/CudaTile/ops.mlir:1".
func (p *part) name() string { return p.file + ":" + strconv.Itoa(p.line) }

// source is the part with empty lines before it, so that places in it are those in the file.
func (p *part) source() string { return strings.Repeat("\n", p.line-1) + p.text }

// expectation is a fault that a comment announces.
type expectation struct {
	kind string // error or warning
	line int    // 0 where the comment does not say
	text string
}

func (e expectation) String() string { return fmt.Sprintf("%s in line %d: %s", e.kind, e.line, e.text) }

var (
	announced = regexp.MustCompile(`expected-(error|warning|note|remark)(?:-re)?\s*(@\S+?)?\s*\{\{(.*?)\}\}\s*$`)
	checked   = regexp.MustCompile(`^\s*// CHECK: (.*)$`)
)

// parts reads a file of the suite.
func parts(root, file string) ([]*part, error) {
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		return nil, err
	}
	var out []*part
	p := &part{file: file, line: 1}
	lines := strings.SplitAfter(string(data), "\n")
	var flags string
	for i, line := range lines {
		if run, ok := strings.CutPrefix(line, "// RUN:"); ok {
			flags += run
		}
		if strings.HasPrefix(line, "// -----") {
			out = append(out, p)
			p = &part{file: file, line: i + 2}
			continue
		}
		p.text += line
	}
	out = append(out, p)
	for _, p := range out {
		p.flags = flags
		p.announce()
	}
	return out, nil
}

// announce finds the faults that the comments of the part expect. Files whose faults are in places of debug information say
// them to FileCheck, without lines.
func (p *part) announce() {
	refused := strings.Contains(p.flags, "not cuda-tile")
	for i, line := range strings.Split(p.text, "\n") {
		at := p.line + i
		if m := announced.FindStringSubmatch(line); m != nil && (m[1] == "error" || m[1] == "warning") {
			p.expects = append(p.expects, expectation{m[1], target(m[2], at, p), m[3]})
		} else if m := checked.FindStringSubmatch(line); m != nil && refused {
			p.expects = append(p.expects, expectation{"error", 0, m[1]})
		}
	}
}

// target is the line that "@below", "@+2" and the like mean.
func target(where string, at int, p *part) int {
	switch where {
	case "":
		return at
	case "@below":
		lines := strings.Split(p.text, "\n")
		for i := at + 1 - p.line; i < len(lines); i++ {
			if !announced.MatchString(lines[i]) {
				return p.line + i
			}
		}
		return at + 1
	case "@above":
		return at - 1
	case "@unknown":
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimPrefix(where, "@"))
	return at + n
}

// empty reports whether the part has nothing but comments.
func (p *part) empty() bool {
	for _, line := range strings.Split(p.text, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			return false
		}
	}
	return true
}
