package sourcefuzz_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"
)

const (
	longEnv  = "CUTILE_SOURCEFUZZ"       // how long TestLong runs
	seedEnv  = "CUTILE_SOURCEFUZZ_SEED"  // its first chain
	rangeEnv = "CUTILE_SOURCEFUZZ_RANGE" // of a process that it starts: its first chain
	lastEnv  = "CUTILE_SOURCEFUZZ_LAST"  // of such a process: where each mutant is written before it is compiled
)

// chainsPerProcess bounds what one process keeps in memory; maxMemory is more than it may take.
const (
	chainsPerProcess = 60
	maxMemory        = 4 << 30
)

// TestLong runs mutants for as long as the environment says, in one process after the other.
func TestLong(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv(longEnv))
	if err != nil {
		t.Skipf("%s says how long it runs, such as 10m", longEnv)
	}
	first, _ := strconv.Atoi(os.Getenv(seedEnv))
	if first == 0 {
		first = 1
	}
	var n counts
	start := time.Now()
	for ; time.Since(start) < length; first += chainsPerProcess {
		m, err := process(t, first)
		if err != nil {
			t.Errorf("chains from %d: %v", first, err)
		}
		for _, f := range m.Findings {
			t.Errorf("chains from %d: %s", first, f)
		}
		n.add(m)
	}
	t.Logf("%v in %v, chains before %d", n, time.Since(start).Round(time.Second), first)
}

// process runs some chains in a process of their own, which may end in any way.
func process(t *testing.T, first int) (n counts, err error) {
	last := filepath.Join(t.TempDir(), "last.go")
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestRange$", "-test.timeout", "0")
	cmd.Env = append(os.Environ(), rangeEnv+"="+strconv.Itoa(first), lastEnv+"="+last)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(last)
		return n, fmt.Errorf("%v: %.2000s\nafter\n%s", err, stderr.String(), text)
	}
	line, _, _ := bytes.Cut(out.Bytes(), []byte("\n"))
	if err := json.Unmarshal(line, &n); err != nil {
		return n, fmt.Errorf("%v: %s", err, out.Bytes())
	}
	return n, nil
}

// TestRange is what a process of TestLong does: it prints its counts.
func TestRange(t *testing.T) {
	first, err := strconv.Atoi(os.Getenv(rangeEnv))
	if err != nil {
		t.Skip("a part of TestLong")
	}
	all, err := seeds()
	if err != nil {
		t.Fatal(err)
	}
	go watchMemory()
	var n counts
	for number := first; number < first+chainsPerProcess; number++ {
		mutate(all, number, func(p *program) {
			if err := os.WriteFile(os.Getenv(lastEnv), []byte(p.file()), 0o600); err != nil {
				t.Fatal(err)
			}
		}, n.count)
	}
	if err := json.NewEncoder(os.Stdout).Encode(n); err != nil {
		t.Fatal(err)
	}
}

// watchMemory ends a process that takes too much, before the machine suffers.
func watchMemory() {
	for range time.Tick(50 * time.Millisecond) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if m.HeapAlloc > maxMemory {
			fmt.Fprintf(os.Stderr, "the compiler takes %d MiB\n", m.HeapAlloc>>20)
			os.Exit(3)
		}
	}
}
