package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// entrants are contenders with one thread, by name: each has runs of some seconds.
func entrants(seconds map[string][]float64) (all []*entrant) {
	p := &process{threads: 1}
	for name, s := range seconds {
		e := &entrant{name: name, process: p, rounds: s}
		if s == nil {
			e.err = errors.New(name + " is wrong")
		}
		all = append(all, e)
	}
	return all
}

func TestReport(t *testing.T) {
	r := report{Machine: "a machine", Versions: map[string]string{"numpy": "2.0"}, Rounds: 2}
	for _, w := range workloads() {
		switch w.Name {
		case copyName: // 0.5 GiB read and written
			r.add(&w, entrants(map[string][]float64{"torch": {0.01, 0.02}}), []int{1})
		case "axpy-64M": // 0.75 GiB
			r.add(&w, entrants(map[string][]float64{engine: {0.04, 0.03}, "torch": {0.02, 0.04}, loops: {0.06, 0.07}, "numpy": nil}), []int{1})
		}
	}
	var text strings.Builder
	if err := r.text(&text, []int{1}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"a machine\nnumpy 2.0  \n",
		"threads: 1   FMA peak f32: unknown   copy: 53.7 GB/s\n",
		"axpy-64M  GB/s   ~26.8      50%      -  error  ~40.3 0.67x!  13.4 2.00x",
		"axpy-64M, 1 threads: numpy is wrong\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing:\n%s", want, text.String())
		}
	}
	file := filepath.Join(t.TempDir(), "report.json")
	if err := r.json(file); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(file); err != nil || !strings.Contains(string(got), `"workload": "axpy-64M"`) || r.failed() != 1 {
		t.Errorf("%v, %d errors, %s", err, r.failed(), got)
	}
}

// TestWrong checks that a contender whose result differs has an error, and that the others do not.
func TestWrong(t *testing.T) {
	p := &process{threads: 1}
	right, wrong := &digest{Sample: []float64{1, 2}, Sum: 3, Abs: 3}, &digest{Sample: []float64{1, 2.5}, Sum: 3.5, Abs: 3.5}
	all := []*entrant{{name: engine, process: p, digest: wrong}, {name: loops, process: p, digest: right}, {name: "numpy", process: p, digest: right}}
	compareResults(&workload{Kind: "axpy"}, all)
	if all[0].err == nil || all[1].err != nil || all[2].err != nil {
		t.Error(all[0].err, all[1].err, all[2].err)
	}
}

func TestThreads(t *testing.T) {
	var o options
	if err := o.parseThreads("1,2,1"); err != nil || len(o.threads) != 2 {
		t.Error(o.threads, err)
	}
	if err := o.parseThreads("1,none"); err == nil || !strings.Contains(err.Error(), `"none"`) {
		t.Error(err)
	}
}
