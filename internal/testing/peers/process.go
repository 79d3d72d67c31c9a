package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
)

// process is a running server: this program, or peer.py with one library.
type process struct {
	name     string // of the library, or engine
	threads  int
	version  string
	cmd      *exec.Cmd
	in       io.WriteCloser
	requests *json.Encoder
	answers  *json.Decoder
}

// start runs a command that answers requests; it may use a number of threads.
func start(ctx context.Context, name string, threads int, command ...string) (*process, error) {
	p := &process{name: name, threads: threads, cmd: exec.CommandContext(ctx, command[0], command[1:]...)}
	n := strconv.Itoa(threads)
	p.cmd.Env = append(os.Environ(), "GOMAXPROCS="+n, "OMP_NUM_THREADS="+n, "OPENBLAS_NUM_THREADS="+n, "MKL_NUM_THREADS="+n)
	p.cmd.Stderr = os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.requests, p.answers = in, json.NewEncoder(in), json.NewDecoder(out)
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	a, err := p.send(request{Op: "version"})
	if err != nil {
		return nil, errors.Join(err, p.stop())
	}
	p.version = a.Version
	return p, nil
}

// send waits for the answer to a request. An answer with an error is an error.
func (p *process) send(r request) (a answer, err error) {
	if err = p.requests.Encode(r); err == nil {
		err = p.answers.Decode(&a)
	}
	if err == nil && a.Error != "" {
		err = errors.New(a.Error)
	}
	if err != nil {
		return a, fmt.Errorf("%s: %w", p.name, err)
	}
	return a, nil
}

func (p *process) stop() error {
	p.in.Close()
	return p.cmd.Wait()
}
