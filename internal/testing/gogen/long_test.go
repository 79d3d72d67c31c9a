package gogen_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"
)

const (
	countEnv = "GOFUZZ_PROGRAMS" // how many programs TestLong judges
	seedEnv  = "GOFUZZ_SEED"     // its first seed
	timeEnv  = "GOFUZZ_TIME"     // after which it starts no more, such as 1h
	rangeEnv = "GOFUZZ_RANGE"    // of a process that it starts: its first seed
)

// perProcess is how many programs one process judges, as the compilers keep what they have read.
const perProcess = 400

// TestLong judges as many programs of each family as the environment says, in processes of their own, as many at once as there are cores.
func TestLong(t *testing.T) {
	count, err := strconv.Atoi(os.Getenv(countEnv))
	if err != nil {
		t.Skipf("%s says how many programs it judges", countEnv)
	}
	first, _ := strconv.ParseUint(os.Getenv(seedEnv), 10, 64)
	length, err := time.ParseDuration(os.Getenv(timeEnv))
	if err != nil {
		length = 100 * time.Hour
	}
	start := time.Now()
	var mu sync.Mutex
	all := families{}
	next := uint64(0)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for {
				mu.Lock()
				at := next
				next += perProcess
				mu.Unlock()
				if at >= uint64(count) || time.Since(start) > length {
					return
				}
				fs, err := process(t.Context(), first+at)
				mu.Lock()
				for name, r := range fs {
					all.of(name).add(r)
				}
				if err != nil {
					t.Errorf("programs from seed %d: %v", first+at, err)
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	for name, r := range all {
		t.Run(name, r.check)
	}
	t.Logf("in %v, seeds before %d", time.Since(start).Round(time.Second), first+next)
}

// families are reports by the kind of programs: go, views, extents, numbers.
type families map[string]*report

func (fs families) of(name string) *report {
	if fs[name] == nil {
		fs[name] = &report{}
	}
	return fs[name]
}

// process judges programs in a process of its own, which may end in any way.
func process(ctx context.Context, first uint64) (families, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestRange$", "-test.timeout", "0")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", rangeEnv, first), "GOMAXPROCS=1")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	fs := families{}
	if err := cmd.Run(); err != nil {
		return fs, fmt.Errorf("%v: %.2000s\n%.2000s", err, out.Bytes(), stderr.Bytes())
	}
	line, _, _ := bytes.Cut(out.Bytes(), []byte("\n"))
	return fs, json.Unmarshal(line, &fs)
}

// TestRange is what a process of TestLong does: it prints its report.
func TestRange(t *testing.T) {
	first, err := strconv.ParseUint(os.Getenv(rangeEnv), 10, 64)
	if err != nil {
		t.Skip("a part of TestLong")
	}
	fs := families{}
	if fs["go"], err = compare(t.TempDir(), first, perProcess); err != nil {
		t.Fatal(err)
	}
	fs["go"].state(t.TempDir())
	if err := compareViews(first, perProcess, fs.of("views")); err != nil {
		t.Fatal(err)
	}
	if err := compareExtents(first, perProcess, fs.of("extents")); err != nil {
		t.Fatal(err)
	}
	if err := compareChains(first, perProcess, fs.of("numbers")); err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(fs); err != nil {
		t.Fatal(err)
	}
}
