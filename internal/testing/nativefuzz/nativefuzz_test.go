package nativefuzz_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/tileir"
)

const (
	countEnv = "NATIVEFUZZ_MODULES" // how many modules TestLong runs
	seedEnv  = "NATIVEFUZZ_SEED"    // its first seed
	timeEnv  = "NATIVEFUZZ_TIME"    // after which it starts no more, such as 1h
	rangeEnv = "NATIVEFUZZ_RANGE"   // of a process that it starts: its first seed and the one behind its last
	fileEnv  = "NATIVEFUZZ_FILE"    // of a process that it starts: a program instead
)

// perProcess is how many modules one process runs.
const perProcess = 2000

// silence is how long a process may take for a module.
const silence = time.Minute

// TestMain runs modules in a process of its own, since machine code that is wrong may end it.
func TestMain(m *testing.M) {
	var first, end uint64
	if n, _ := fmt.Sscan(os.Getenv(rangeEnv), &first, &end); n == 2 {
		child(first, end)
		return
	}
	if name := os.Getenv(fileEnv); name != "" {
		if d := runFile(name); d != "" {
			fmt.Println(d)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// message is what a process says on a line of its output: the seed that it begins, how ways differ with the program made
// small, or all counts at the end.
type message struct {
	Seed   *uint64            `json:",omitempty"`
	Diff   string             `json:",omitempty"`
	Text   string             `json:",omitempty"`
	Counts *nativefuzz.Counts `json:",omitempty"`
}

// child runs the programs of some seeds.
func child(first, end uint64) {
	debug.SetGCPercent(800) // little of what modules are made of lives on
	out := json.NewEncoder(os.Stdout)
	r, err := nativefuzz.NewRunner(silence)
	if err != nil {
		out.Encode(message{Diff: err.Error()})
		return
	}
	c := &nativefuzz.Counts{}
	for seed := first; seed < end; seed++ {
		out.Encode(message{Seed: &seed})
		p := program(seed)
		rep, err := r.Run(p)
		if err != nil {
			rep = &nativefuzz.Report{Diff: err.Error()}
		}
		if c.Add(p, rep); rep.Diff != "" {
			out.Encode(message{Diff: rep.Diff, Text: reduced(p, rep.Diff).Text()})
		}
	}
	out.Encode(message{Counts: c})
}

// program is the program of a seed: every third one has loops of products.
func program(seed uint64) *nativefuzz.Program {
	if seed%3 == 2 {
		return nativefuzz.GenerateProducts(seed)
	}
	return nativefuzz.Generate(seed)
}

// reduced makes a program small whose ways differ.
func reduced(p *nativefuzz.Program, diff string) *nativefuzz.Program {
	r, err := nativefuzz.NewRunner(time.Second / 2)
	if err != nil {
		return p
	}
	defer r.Close()
	return nativefuzz.Reduce(p, func(q *nativefuzz.Program) bool {
		rep, err := r.Run(q)
		return err == nil && rep.Diff != "" && kind(rep.Diff) == kind(diff)
	})
}

// kind is how ways differ, without numbers.
func kind(diff string) string {
	for _, word := range []string{"BUG", "beside", "outside memory", "assertion", "compiling", "ends with", "parameter"} {
		if strings.Contains(diff, word) {
			return word
		}
	}
	return ""
}

// runFile runs a program of a file, and says how ways differ.
func runFile(name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		return err.Error()
	}
	p, err := nativefuzz.Parse(string(text))
	if err != nil {
		return err.Error()
	}
	r, err := nativefuzz.NewRunner(silence)
	if err != nil {
		return err.Error()
	}
	defer r.Close()
	rep, err := r.Run(p)
	if err != nil {
		return err.Error()
	}
	return rep.Diff
}

// process runs the programs of some seeds in a process, and reports each that fails. It goes on behind one that ends the process.
func process(t *testing.T, first, end uint64, all *nativefuzz.Counts, mu *sync.Mutex) {
	for first < end {
		at, done := one(t, first, end, all, mu)
		if done {
			return
		}
		first = at + 1
	}
}

// one runs a process; done is false if it ended at a seed.
func one(t *testing.T, first, end uint64, all *nativefuzz.Counts, mu *sync.Mutex) (at uint64, done bool) {
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d", rangeEnv, first, end))
	var crash strings.Builder
	cmd.Stderr = &crash
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Error(err)
		return end, true
	}
	quiet := time.AfterFunc(2*silence, func() { stop(fmt.Errorf("it was stopped, as it wrote nothing for %v", 2*silence)) })
	lines := bufio.NewScanner(pipe)
	lines.Buffer(nil, 64<<20)
	for at = first; lines.Scan(); quiet.Reset(2 * silence) {
		var m message
		switch err := json.Unmarshal(lines.Bytes(), &m); {
		case err != nil:
			t.Errorf("a process writes %q", lines.Text())
		case m.Seed != nil:
			at = *m.Seed
		case m.Diff != "":
			t.Errorf("seed %d: %s\n%s", at, m.Diff, m.Text)
		case m.Counts != nil:
			mu.Lock()
			all.Join(m.Counts)
			mu.Unlock()
			done = true
		}
	}
	if err := cmd.Wait(); !done {
		t.Errorf("seed %d: the process ends: %v\n%.2000s\n%s", at, cmp.Or(context.Cause(ctx), err), crash.String(), outside(t, program(at)).Text())
	}
	return at, done
}

// outside makes a program small that ends its process.
func outside(t *testing.T, p *nativefuzz.Program) *nativefuzz.Program {
	name := filepath.Join(t.TempDir(), "module")
	return nativefuzz.Reduce(p, func(q *nativefuzz.Program) bool {
		if err := os.WriteFile(name, []byte(q.Text()), 0o600); err != nil {
			t.Error(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		defer stop()
		cmd := exec.CommandContext(ctx, os.Args[0])
		cmd.Env = append(os.Environ(), fileEnv+"="+name)
		err := cmd.Run()
		return err != nil && cmd.ProcessState.ExitCode() == 2 // of a program that Go ends
	})
}

// run runs the programs of some seeds in several processes at a time, until the time has passed.
func run(t *testing.T, first, count uint64, processes int, each uint64, limit time.Duration) *nativefuzz.Counts {
	all, start := &nativefuzz.Counts{}, time.Now()
	var mu sync.Mutex
	next := first
	var workers sync.WaitGroup
	for range processes {
		workers.Go(func() {
			for {
				mu.Lock()
				at := next
				next += each
				mu.Unlock()
				if at >= first+count || time.Since(start) > limit {
					return
				}
				process(t, at, min(at+each, first+count), all, &mu)
			}
		})
	}
	workers.Wait()
	return all
}

// TestRandom runs a few hundred modules. TestLong runs many.
func TestRandom(t *testing.T) {
	count := uint64(400)
	if testing.Short() {
		count = 100
	}
	c := run(t, 0, count, 2, count/2, time.Hour)
	t.Logf("%d modules, %d refused, %d with faults, machine code in %v of %d", c.Modules, c.Refused, c.Faults, c.Code, c.Explained)
	for level, n := range c.Code { // a test of machine code whose modules have none would say nothing
		if 4*n < c.Explained || c.Explained == 0 {
			t.Errorf("%s: %d of %d modules have machine code", level, n, c.Explained)
		}
	}
	if c.Faults > c.Modules/4 || c.Refused > c.Modules/4 {
		t.Errorf("of %d modules %d end with faults and %d are refused", c.Modules, c.Faults, c.Refused)
	}
}

// TestLong runs as many modules as the environment says.
func TestLong(t *testing.T) {
	count, err := strconv.ParseUint(os.Getenv(countEnv), 10, 64)
	if err != nil {
		t.Skipf("%s says how many modules it runs", countEnv)
	}
	first, _ := strconv.ParseUint(os.Getenv(seedEnv), 10, 64)
	length, err := time.ParseDuration(os.Getenv(timeEnv))
	if err != nil {
		length = 100 * time.Hour
	}
	c := run(t, first, count, runtime.GOMAXPROCS(0), perProcess, length)
	var b strings.Builder
	c.Print(&b)
	t.Log(b.String())
}

// TestFound runs the modules that were found to fail, or that are worth running each time.
func TestFound(t *testing.T) {
	files, err := filepath.Glob("testdata/*.tileir")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), fileEnv+"="+name)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%.3000s", err, out)
			}
		})
	}
}

// never are the operations that no module has: what they do is for other devices, or they are tested where they are done.
var never = map[string]bool{"print_tko": true, "gdc_launch_dependents_tko": true, "gdc_wait_tko": true, "memory_fence_alias_tko": true,
	"get_global": true, "alloca": true, "get_num_tile_blocks": true, "int_to_ptr": true, "ptr_to_int": true, "ptr_to_ptr": true}

// TestForms checks that modules have all operations, and all elementwise operations with all element types.
func TestForms(t *testing.T) {
	made, count := map[string]int{}, uint64(16000)
	if testing.Short() {
		count = 3000
	}
	for seed := range count {
		p := nativefuzz.Generate(seed)
		for op := range p.Module.Entries[0].All() {
			made[op.Info.Mnemonic]++
			if len(op.Operands) > 0 {
				made[formOf(op)]++
			}
		}
	}
	for _, in := range tileir.Infos() {
		if in.InBody && !never[in.Mnemonic] && made[in.Mnemonic] == 0 {
			t.Errorf("no module has %s", in.Mnemonic)
		}
	}
	missing := 0
	for _, fs := range nativefuzz.Forms() {
		for _, f := range fs {
			if made[f.String()] == 0 {
				missing++
				t.Logf("no module has %v", f)
			}
		}
	}
	if missing > 0 && !testing.Short() {
		t.Errorf("%d forms are missing", missing)
	}
}

// formOf names the form of an elementwise operation.
func formOf(op *tileir.Op) string {
	f := nativefuzz.Form{Info: op.Info}
	for _, v := range op.Operands {
		if t, ok := v.Type.(*tileir.TileType); ok {
			f.In = append(f.In, t.Elem)
		}
	}
	if len(op.Results) > 0 {
		if t, ok := op.Results[0].Type.(*tileir.TileType); ok {
			f.Out = t.Elem
		}
	}
	return f.String()
}
