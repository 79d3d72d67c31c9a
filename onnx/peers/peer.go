package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
)

// peer is a process that runs a case.
type peer struct {
	args []string

	failed error
	first  time.Duration // from the start of the process to the first result
	memory int64         // bytes at most
	each   []float64     // seconds of a run, by round

	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	message strings.Builder
}

// a turn is how long a peer runs in a round.
const turn = 200 * time.Millisecond

// measure runs peers in turn. Only the last one may fail.
func measure(peers []*peer, rounds int) error {
	for i, p := range peers {
		defer p.stop()
		if err := p.start(); err != nil && i < len(peers)-1 {
			return err
		}
	}
	for range rounds {
		for i, p := range peers {
			if p.failed != nil {
				continue
			}
			if err := p.round(); err != nil && i < len(peers)-1 {
				return err
			}
		}
	}
	return nil
}

// start starts the process and waits for its first result.
func (p *peer) start() (err error) {
	begin := time.Now()
	p.cmd = exec.Command(p.args[0], p.args[1:]...)
	p.cmd.Stderr = &p.message
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.out = bufio.NewScanner(out)
	if err := p.cmd.Start(); err != nil {
		return err
	}
	if !p.out.Scan() || p.out.Text() != "ready" {
		p.failed = errors.New(strings.TrimSpace(p.message.String()))
		return p.failed
	}
	p.first = time.Since(begin)
	return nil
}

// run runs the case n times.
func (p *peer) run(n int) (seconds float64, err error) {
	if _, err := fmt.Fprintln(p.in, n); err != nil {
		return 0, err
	}
	if !p.out.Scan() {
		return 0, fmt.Errorf("%v ended: %s", p.args, strings.TrimSpace(p.message.String()))
	}
	return strconv.ParseFloat(p.out.Text(), 64)
}

// round runs the case for a turn.
func (p *peer) round() error {
	n := 1
	for {
		s, err := p.run(n)
		if err != nil {
			p.failed = err
			return err
		}
		if s >= turn.Seconds()/2 || n >= 1<<20 {
			p.each = append(p.each, s/float64(n))
			p.memory = max(p.memory, p.peak())
			return nil
		}
		n *= max(2, int(turn.Seconds()/max(s, 1e-6)))
	}
}

// peak is the most memory that the process has had, as Linux tells it.
func (p *peer) peak() int64 {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kb << 10
		}
	}
	return 0
}

func (p *peer) stop() {
	if p.cmd != nil && p.cmd.Process != nil {
		p.in.Close()
		p.cmd.Wait()
	}
}

// median is the middle of the times of a run.
func (p *peer) median() float64 {
	s := slices.SortedFunc(slices.Values(p.each), cmp.Compare[float64])
	return s[len(s)/2]
}

// made makes a tensor of elements in memory.
func made[E dtype.Elem](dev *cutile.Device, data []byte, size int, shape []int, get func([]byte) E) (*cutile.Tensor[E], error) {
	s := make([]E, len(data)/size)
	for i := range s {
		s[i] = get(data[i*size:])
	}
	t, err := cutile.FromSlice(dev, s)
	if err != nil {
		return nil, err
	}
	return t.Reshape(shape...), nil
}
