package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed peers.py
var peers []byte

// collect starts a process for each way, one after the other, and gives their rows.
func (o *options) collect(ctx context.Context) (rows []row, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var python []string // the ways that peers.py has
	for _, name := range o.ways {
		w, err := wayOf(name)
		if err != nil {
			return nil, err
		}
		if w.open == nil {
			python = append(python, name)
			continue
		}
		rows = append(rows, o.process(ctx, []string{name}, append([]string{self, "-way", name}, o.childArgs()...))...)
	}
	if len(python) > 0 {
		more, err := o.python(ctx, python)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// childArgs are the arguments of all processes.
func (o *options) childArgs() []string {
	args := []string{"-work", o.list, "-rounds", fmt.Sprint(o.rounds), "-each", o.each.String(), "-slow", o.slow.String()}
	if o.cubins != "" {
		args = append(args, "-cubins", o.cubins)
	}
	if o.software {
		args = append(args, "-software")
	}
	return args
}

// python runs peers.py where a Python has torch and Triton.
func (o *options) python(ctx context.Context, names []string) (rows []row, err error) {
	if out, err := exec.CommandContext(ctx, o.interpreter, "-c", "import torch, triton").CombinedOutput(); err != nil {
		for _, name := range names {
			rows = append(rows, row{Way: name, Absent: fmt.Sprintf("%s -c 'import torch, triton': %v %s", o.interpreter, err, lastLine(out))})
		}
		return rows, nil
	}
	dir, err := os.MkdirTemp("", "gpubench") // Triton reads the sources of its kernels from the file
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "peers.py")
	if err := os.WriteFile(file, peers, 0o600); err != nil {
		return nil, err
	}
	return o.process(ctx, names, []string{o.interpreter, file, strings.Join(names, ","), o.list, fmt.Sprint(o.rounds), fmt.Sprint(o.each.Seconds()),
		fmt.Sprint(o.slow.Seconds())}), nil
}

// process runs a command and gives the rows that it writes, and rows in place of those that it owes.
func (o *options) process(ctx context.Context, names, command []string) (rows []row) {
	ctx, cancel := context.WithTimeout(ctx, o.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	var said bytes.Buffer
	cmd.Stderr = io.MultiWriter(os.Stderr, &said)
	out, err := cmd.Output()
	if ctx.Err() == context.DeadlineExceeded {
		err = fmt.Errorf("it took longer than %v", o.limit)
	}
	for decode := json.NewDecoder(bytes.NewReader(out)); ; {
		var r row
		if e := decode.Decode(&r); e != nil {
			if err == nil && !errors.Is(e, io.EOF) {
				err = fmt.Errorf("its output: %w", e)
			}
			break
		}
		rows = append(rows, r)
	}
	return append(rows, o.owed(names, rows, err, said.Bytes())...)
}

// owed are the rows that a process did not write, with what happened to it.
func (o *options) owed(names []string, rows []row, err error, said []byte) (more []row) {
	for _, name := range names {
		w, _ := wayOf(name) // collect has found it
		if slices.ContainsFunc(rows, func(r row) bool { return r.Way == name && r.Absent != "" }) {
			continue
		}
		for _, work := range o.work {
			given := slices.ContainsFunc(rows, func(r row) bool { return r.Way == name && r.Work == work.name })
			if given || w.work != nil && !slices.Contains(w.work, work.kind.name) {
				continue
			}
			more = append(more, row{Way: name, Work: work.name, Error: fmt.Sprintf("the process gave no result: %v %s", err, lastLine(said))})
		}
	}
	return more
}

// lastLine is the last line of what a process said.
func lastLine(said []byte) string {
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	return lines[len(lines)-1]
}
