package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/testing/mpitest"
)

// programEnv makes the test binary the program. victimEnv names a file; when it is there, rank 1 kills itself.
const programEnv, victimEnv = "CUTILE_EXAMPLE", "CUTILE_EXAMPLE_VICTIM"

func TestMain(m *testing.M) {
	if os.Getenv(programEnv) == "" {
		os.Exit(m.Run())
	}
	cpu.Adjust = nil // as users run it: the tests of kernels compare levels of machine code
	if file := os.Getenv(victimEnv); file != "" && (os.Getenv("OMPI_COMM_WORLD_RANK") == "1" || os.Getenv("PMI_RANK") == "1") {
		go func() {
			self, err := os.FindProcess(os.Getpid())
			for err == nil {
				if _, missing := os.Stat(file); missing == nil {
					err = self.Kill() // SIGKILL
				}
				time.Sleep(time.Millisecond)
			}
		}()
	}
	main()
}

// job runs the program in two processes, which it starts itself.
func job(t *testing.T, l *mpitest.Launcher, env []string, args ...string) (out string, code int) {
	t.Helper()
	program, err := os.Executable()
	check(t, err)
	return l.Alone(t, append(env, programEnv+"=1", "CUTILE_CHECKS=off"), program, append([]string{"-device", "cpu", "-hidden", "40", "-ranks", "2"}, args...)...)
}

// alone runs the program in one process.
func alone(t *testing.T, args ...string) string {
	t.Helper()
	program, err := os.Executable()
	check(t, err)
	cmd := exec.CommandContext(t.Context(), program, append([]string{"-device", "cpu", "-hidden", "40"}, args...)...)
	cmd.Env = append(os.Environ(), programEnv+"=1", "CUTILE_CHECKS=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// losses are those that a program printed.
func losses(t *testing.T, out string) (all []float64) {
	t.Helper()
	for _, m := range regexp.MustCompile(`loss (\d+\.\d+)`).FindAllStringSubmatch(out, -1) {
		x, err := strconv.ParseFloat(m[1], 64)
		check(t, err)
		all = append(all, x)
	}
	return all
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	check(t, err)
	return b
}

// TestRanks: two processes learn the same network as one: nearly with sums in any order, and bit by bit with -order and the same -parts.
func TestRanks(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	whole := alone(t, "-epochs", "4", "-checkpoint", file("whole"))
	alone(t, "-epochs", "4", "-order", "-parts", "4", "-checkpoint", file("parts"))
	if bytes.Equal(contents(t, file("whole")), contents(t, file("parts"))) {
		t.Error("parts have the bits of a whole batch: the test shows nothing")
	}
	mpitest.Each(t, func(t *testing.T, l *mpitest.Launcher) {
		out, code := job(t, l, nil, "-epochs", "4")
		got, want := losses(t, out), losses(t, whole)
		if code != 0 || len(want) != 4 || len(got) != len(want) || strings.Count(out, "in 2 processes") != 1 {
			t.Fatalf("code %d, want the losses %v\n%s", code, want, out)
		}
		for i, x := range want {
			if math.Abs(got[i]-x) > 0.001*(1+x) {
				t.Errorf("epoch %d: loss %v, alone it is %v", i+1, got[i], x)
			}
		}
		name := file(l.Name)
		if out, code := job(t, l, nil, "-epochs", "4", "-order", "-parts", "4", "-checkpoint", name); code != 0 || !bytes.Equal(contents(t, name), contents(t, file("parts"))) {
			t.Errorf("code %d; four parts in two processes have other bits than in one:\n%s", code, out)
		}
	})
}

// TestKilled: a job of which a process is killed ends with a code and a message, and a restart gives the same bits as training that was not
// interrupted: in two processes again, and in one.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	mpitest.Each(t, func(t *testing.T, l *mpitest.Launcher) {
		name := filepath.Join(dir, l.Name)
		// The first checkpoint is written while there is much to do.
		start := time.Now()
		out, code := job(t, l, []string{victimEnv + "=" + name}, "-epochs", "100000", "-order", "-checkpoint", name, "-every", "2")
		t.Logf("code %d after %v\n%s", code, time.Since(start).Round(10*time.Millisecond), out)
		want, advice := "digits: dist: the job of 2 processes ended with code ", " ended the others; -resume goes on from "+name
		if code != 1 || !strings.Contains(out, want) || !strings.Contains(out, advice) || strings.Contains(out, "trained in") {
			t.Fatalf("code %d, want %q and %q\n%s", code, want, advice, out)
		}
		c, err := openCheckpoint(name)
		check(t, err)
		few, whole, copied := strconv.Itoa(c.Epochs+4), name+".whole", name+".copy"
		alone(t, "-epochs", few, "-order", "-parts", "2", "-checkpoint", whole)
		check(t, os.WriteFile(copied, contents(t, name), 0o666))
		out, code = job(t, l, nil, "-epochs", few, "-order", "-checkpoint", name, "-resume")
		if want := fmt.Sprintf("going on after epoch %d of ", c.Epochs); code != 0 || !strings.Contains(out, want) || !bytes.Equal(contents(t, name), contents(t, whole)) {
			t.Errorf("code %d; want %q, and the bits of an uninterrupted training\n%s", code, want, out)
		}
		alone(t, "-epochs", few, "-order", "-checkpoint", copied, "-resume")
		if !bytes.Equal(contents(t, copied), contents(t, whole)) {
			t.Error("one process went on with other bits")
		}
	})
}

// TestGPUs: without -device each process takes a GPU of its own. The stand-in for its driver has no kernel of the program, and an error names the GPU.
func TestGPUs(t *testing.T) {
	_, ccl := mpitest.StandIns(t, "../..")
	mpitest.Each(t, func(t *testing.T, l *mpitest.Launcher) {
		program, err := os.Executable()
		check(t, err)
		for args, want := range map[string]string{"": "device cuda:1: ", "-device cuda": "device cuda:1: ", "-device cuda:3": "two processes use one GPU"} {
			out, code := l.Run(t, 2, append(ccl, programEnv+"=1", "CUTILE_ASSEMBLER=own", "CUTILE_DEVICE="), program, strings.Fields(args)...)
			if code == 0 || !strings.Contains(out, want) {
				t.Errorf("%q: code %d, want %q\n%s", args, code, want, out)
			}
		}
	})
}

// TestWrongJobs: mistakes of jobs say what is wrong.
func TestWrongJobs(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad")
	check(t, os.WriteFile(bad, []byte("{\"hidden\": 5000}\n"), 0o666))
	missing := filepath.Join(t.TempDir(), "missing")
	short := filepath.Join(t.TempDir(), "short")
	check(t, os.WriteFile(short, []byte(`{"epochs": 1, "hidden": 4, "parts": 1, "seed": 1}`+"\n"), 0o666))
	for _, c := range []struct{ args, want string }{
		{"-ranks 1 -parts 30", "-parts is 30, but the last batch of an epoch has only 29 images"},
		{"-checkpoint " + missing + " -resume", "open " + missing + ": "},
		{"-checkpoint " + filepath.Dir(bad), "-checkpoint " + filepath.Dir(bad) + " is a folder: name a file in it"},
		{"-checkpoint " + bad + " -resume", bad + " is no checkpoint: 0 epochs of 0 parts with 5000 units make no sense"},
		{"-checkpoint " + short + " -resume", short + " is damaged: "},
		{"-checkpoint /nonexistent/folder/file ", "-checkpoint cannot be written: open /nonexistent/folder/file.part: "},
	} {
		var out bytes.Buffer
		err := run(context.Background(), append(strings.Fields(c.args), "-device", "cpu"), &out)
		if strings.Contains(out.String(), "epoch 1") {
			t.Errorf("%s: it trained before it found the mistake", c.args)
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.args, err, c.want)
		}
	}
	mpitest.Each(t, func(t *testing.T, l *mpitest.Launcher) {
		program, err := os.Executable()
		check(t, err)
		for _, c := range []struct{ args, want string }{
			{"-ranks 3", "digits: -ranks is 3, but "},
			{"-parts 3", "with -parts 3: parallel: NewGradients: WithParts(3): 2 processes need a number of parts that is 2 times a power of two"},
		} {
			out, code := l.Run(t, 2, []string{programEnv + "=1"}, program, strings.Fields(c.args+" -device cpu")...)
			if code == 0 || !strings.Contains(out, c.want) {
				t.Errorf("%s: code %d, want %s\n%s", c.args, code, c.want, out)
			}
		}
	})
}
