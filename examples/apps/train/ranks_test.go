package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/examples/apps/internal/needs"
)

// programEnv makes the test binary the program. victimEnv names a file; when it is there, rank 1 kills itself. apartEnv names a folder into which
// rank 1 goes.
const programEnv, victimEnv, apartEnv = "CUTILE_APP", "CUTILE_APP_VICTIM", "CUTILE_APP_APART"

func TestMain(m *testing.M) {
	if os.Getenv(programEnv) == "" {
		os.Exit(m.Run())
	}
	rank1 := os.Getenv("OMPI_COMM_WORLD_RANK") == "1" || os.Getenv("PMI_RANK") == "1"
	if folder := os.Getenv(apartEnv); folder != "" && rank1 {
		if err := os.Chdir(folder); err != nil {
			log.Fatal(err)
		}
	}
	if file := os.Getenv(victimEnv); file != "" && rank1 {
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

// alone runs the program in this process.
func alone(t *testing.T, args []string) {
	t.Helper()
	var out bytes.Buffer
	if err := run(context.Background(), args, &out); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
}

// same compares checkpoints, file by file.
func same(t *testing.T, got, want string) {
	t.Helper()
	for _, name := range []string{"model.safetensors", "adam.safetensors", "train.json", "tokenizer.json", "config.json"} {
		if !bytes.Equal(read(t, filepath.Join(got, name)), read(t, filepath.Join(want, name))) {
			t.Errorf("%s of %s differs from that of %s", name, got, want)
		}
	}
}

// step is the folder of a checkpoint.
func step(out string, n int) string { return filepath.Join(out, fmt.Sprintf("step-%07d", n)) }

func history(t *testing.T, folder string) []point {
	t.Helper()
	s, err := readState(folder)
	if err != nil {
		t.Fatal(err)
	}
	return s.History
}

// TestRanks: two processes have the losses of one, nearly with sums in any order, and bit by bit with -order and the same -parts.
func TestRanks(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	whole, parts := filepath.Join(dir, "whole"), filepath.Join(dir, "parts")
	flags := []string{"-steps", "6", "-every", "6", "-sample", "6"}
	alone(t, small(t, whole, flags...))
	alone(t, small(t, parts, append(flags, "-order", "-parts", "4")...))
	want := history(t, step(whole, 6))
	if slices.Equal(want, history(t, step(parts, 6))) {
		t.Error("parts have the bits of a whole batch: the test shows nothing")
	}
	needs.MPI(t, func(t *testing.T, family string, job func(env []string, program string, args ...string) (string, int)) {
		near, exact := filepath.Join(dir, family+"-near"), filepath.Join(dir, family)
		for out, more := range map[string][]string{near: nil, exact: {"-order", "-parts", "4"}} {
			args := small(t, out, append(append([]string{"-ranks", "2"}, flags...), more...)...)
			if text, code := job([]string{programEnv + "=1"}, program, args...); code != 0 || strings.Count(text, "tokens to learn") != 1 || strings.Count(text, "--- And God said") != 1 {
				t.Fatalf("code %d\n%s", code, text)
			}
		}
		got := history(t, step(near, 6))
		for i, p := range want {
			if i >= len(got) || math.Abs(got[i].Loss-p.Loss) > 1e-3 || math.Abs(got[i].Held-p.Held) > 1e-3 {
				t.Fatalf("the losses are %v, in one process %v", got, want)
			}
		}
		same(t, step(exact, 6), step(parts, 6))
	})
}

// TestKilled: a job of which a process is killed ends with a code and a message, and a restart gives the same bits as training that was not
// interrupted: in two processes again, and in one.
func TestKilled(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	needs.MPI(t, func(t *testing.T, family string, job func(env []string, program string, args ...string) (string, int)) {
		killed, whole, copied := filepath.Join(dir, family), filepath.Join(dir, family+"-whole"), filepath.Join(dir, family+"-copied")
		flags := []string{"-steps", "100000", "-every", "2", "-sample", "0", "-order", "-parts", "2"}
		args := small(t, killed, append([]string{"-ranks", "2"}, flags...)...)
		text, code := job([]string{programEnv + "=1", victimEnv + "=" + step(killed, 2)}, program, args...)
		want, advice := "train: dist: the job of 2 processes ended with code ", "; -resume goes on from the last checkpoint in "+killed
		if code != 1 || !strings.Contains(text, want) || !strings.Contains(text, advice) {
			t.Fatalf("code %d, want %q and %q\n%s", code, want, advice, text)
		}
		list, err := checkpoints(killed)
		if err != nil || len(list) == 0 {
			t.Fatal(list, err)
		}
		s, err := readState(list[len(list)-1])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(copied, os.DirFS(killed)); err != nil {
			t.Fatal(err)
		}
		until := fmt.Sprint(s.Done + 4)
		alone(t, small(t, whole, append(flags, "-until", until)...))
		resume := []string{"-resume", "-order", "-steps", "100000", "-until", until}
		text, code = job([]string{programEnv + "=1"}, program, small(t, killed, append([]string{"-ranks", "2"}, resume...)...)...)
		if want := fmt.Sprintf("going on from step %d of 100000", s.Done); code != 0 || !strings.Contains(text, want) {
			t.Fatalf("code %d, want %q\n%s", code, want, text)
		}
		alone(t, small(t, copied, resume...))
		for _, out := range []string{killed, copied} {
			same(t, step(out, s.Done+4), step(whole, s.Done+4))
		}
	})
}

// TestWrongJobs: mistakes of jobs say what is wrong.
func TestWrongJobs(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	needs.MPI(t, func(t *testing.T, family string, job func(env []string, program string, args ...string) (string, int)) {
		out := filepath.Join(t.TempDir(), "out")
		text, code := job([]string{programEnv + "=1"}, program, small(t, out, "-ranks", "2", "-parts", "1")...)
		if want := "with -parts 1: parallel: NewGradients: WithParts(1): 2 processes need a number of parts that is 2 times a power of two"; code != 1 || !strings.Contains(text, want) {
			t.Errorf("code %d, want %q\n%s", code, want, text)
		}
	})
	// Rank 1 sees another folder.
	dir := t.TempDir()
	t.Chdir(dir)
	flags := []string{"-steps", "4", "-every", "2", "-sample", "0", "-parts", "2"}
	alone(t, small(t, "out", append(flags, "-until", "2")...))
	if err := os.CopyFS("apart/out", os.DirFS("out")); err != nil {
		t.Fatal(err)
	}
	alone(t, small(t, "out", "-resume", "-until", "3", "-steps", "4"))
	needs.MPI(t, func(t *testing.T, family string, job func(env []string, program string, args ...string) (string, int)) {
		text, code := job([]string{programEnv + "=1", apartEnv + "=" + filepath.Join(dir, "apart")}, program, small(t, "out", "-ranks", "2", "-resume")...)
		want := "train: rank 1 of 2: this process goes on from step 2, but that of rank 0 from 3: all need to see the folder -out"
		if code != 1 || !strings.Contains(text, want) {
			t.Errorf("code %d, want %q\n%s", code, want, text)
		}
	})
}
