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

// TestLong judges as many programs as the environment says, in processes of their own, as many at once as there are cores.
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
	var all report
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
				r, err := process(t.Context(), first+at)
				mu.Lock()
				all.add(r)
				if err != nil {
					all.Findings = append(all.Findings, fmt.Sprintf("programs from seed %d: %v", first+at, err))
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	t.Logf("%v, in %v", &all, time.Since(start).Round(time.Second))
	for _, f := range all.Findings {
		t.Error(f)
	}
}

// process judges programs in a process of its own, which may end in any way.
func process(ctx context.Context, first uint64) (*report, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestRange$", "-test.timeout", "0")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", rangeEnv, first), "GOMAXPROCS=1")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	r := &report{}
	if err := cmd.Run(); err != nil {
		return r, fmt.Errorf("%v: %.2000s\n%.2000s", err, out.Bytes(), stderr.Bytes())
	}
	line, _, _ := bytes.Cut(out.Bytes(), []byte("\n"))
	return r, json.Unmarshal(line, r)
}

// TestRange is what a process of TestLong does: it prints its report.
func TestRange(t *testing.T) {
	first, err := strconv.ParseUint(os.Getenv(rangeEnv), 10, 64)
	if err != nil {
		t.Skip("a part of TestLong")
	}
	r, err := compare(t.TempDir(), first, perProcess)
	if err != nil {
		t.Fatal(err)
	}
	r.state(t.TempDir())
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		t.Fatal(err)
	}
}
