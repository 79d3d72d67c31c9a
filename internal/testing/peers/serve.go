package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/cutile-go/cutile"
)

// request is a line that a process reads. Op is one of
//
//	begin    prepares a workload; the answer names the contenders
//	check    runs a contender until it is warm; the answer has the seconds of a run, and a digest of the result
//	run      runs a contender several times; the answer has the median of the seconds
//	end      frees the workload
//	version  tells the version of what is measured
type request struct {
	Op        string `json:"op"`
	Kind      string `json:"kind,omitempty"`
	Dims      []int  `json:"dims,omitempty"`
	Tile      int    `json:"tile,omitempty"`
	Contender string `json:"contender,omitempty"`
	Reps      int    `json:"reps,omitempty"`
}

// answer is the line that follows a request.
type answer struct {
	Contenders []string `json:"contenders,omitempty"`
	Seconds    float64  `json:"seconds,omitempty"`
	Digest     *digest  `json:"digest,omitempty"`
	Version    string   `json:"version,omitempty"`
	Error      string   `json:"error,omitempty"`
}

// serve answers the requests of in, one after another, until it ends.
func serve(in io.Reader, out io.Writer, warm time.Duration) error {
	s := server{warm: warm}
	defer s.end()
	requests, answers := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var r request
		if err := requests.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		a, err := s.answer(r)
		if err != nil {
			a = answer{Error: err.Error()}
		}
		if err := answers.Encode(a); err != nil {
			return err
		}
	}
}

// server has the workload that was begun.
type server struct {
	session *session
	warm    time.Duration // how long a contender runs before it is measured
}

func (s *server) answer(r request) (answer, error) {
	switch r.Op {
	case "begin":
		return s.begin(r)
	case "end":
		s.end()
		return answer{}, nil
	case "version":
		return answer{Version: "(" + runtime.Version() + ")"}, nil
	}
	measure := map[string]func(contender, int) (answer, error){"check": s.check, "run": run}[r.Op]
	if measure == nil {
		return answer{}, fmt.Errorf("%q is no request", r.Op)
	}
	c, err := s.contender(r.Contender)
	if err != nil {
		return answer{}, err
	}
	return measure(c, r.Reps)
}

func (s *server) begin(r request) (a answer, err error) {
	s.end()
	dev, err := cutile.Open("cpu", append(slices.Clone(deviceOptions[r.Kind]), cutile.WithWorkers(runtime.GOMAXPROCS(0)))...)
	if err != nil {
		return a, err
	}
	if s.session, err = begin(dev, r.Kind, r.Dims, r.Tile); err != nil {
		dev.Close()
		return a, err
	}
	for _, c := range s.session.contenders {
		a.Contenders = append(a.Contenders, c.name)
	}
	return a, nil
}

// end frees the memory of a workload: the next one may need all of it.
func (s *server) end() {
	if s.session != nil {
		s.session.dev.Close()
		s.session = nil
		runtime.GC()
	}
}

func (s *server) contender(name string) (contender, error) {
	if s.session != nil {
		for _, c := range s.session.contenders {
			if c.name == name {
				return c, nil
			}
		}
	}
	return contender{}, fmt.Errorf("the workload has no contender %q", name)
}

// check warms up, since machine code may be made while the first runs are interpreted.
func (s *server) check(c contender, _ int) (a answer, err error) {
	s.session.clear()
	for start := time.Now(); ; {
		if a.Seconds, err = median(c, 1); err != nil {
			return a, err
		}
		if time.Since(start) > s.warm {
			break
		}
	}
	d := s.session.result()
	a.Digest = &d
	return a, nil
}

// run measures reps runs.
func run(c contender, reps int) (answer, error) {
	seconds, err := median(c, reps)
	return answer{Seconds: seconds}, err
}

// median measures n runs.
func median(c contender, n int) (float64, error) {
	seconds := make([]float64, max(1, n))
	for i := range seconds {
		start := time.Now()
		if err := c.run(); err != nil {
			return 0, fmt.Errorf("%s: %w", c.name, err)
		}
		seconds[i] = time.Since(start).Seconds()
	}
	slices.Sort(seconds)
	return seconds[len(seconds)/2], nil
}
