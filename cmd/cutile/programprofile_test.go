package main

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const profileProgram = "./cmd/cutile/testdata/profile"

// profileRow is a row of a profile as JSON.
type profileRow struct {
	Name                                string
	Number                              int
	Total, Mean, Least, Greatest, Share float64
	Bytes                               int64
}

// profileReport is a profile as JSON.
type profileReport struct {
	Version, Processes     int
	Total                  float64
	Kernel_Time            float64
	Kernels, Copies, Waits []profileRow
	Device_Copies          []profileRow
	Host                   []profileRow
	Compiled               []struct {
		Name             string
		To_IR, To_Device profileRow
		Failed           int
	}
	Untimed int
}

// TestProfileProgram: launches, copies, compilations and waits are those that the program says it makes, times add up to those of the trace, and
// the report is the same however the program ends.
func TestProfileProgram(t *testing.T) {
	for how, want := range map[string]int{"ends": exitOK, "fails": 7, "killed": exitFailed} {
		t.Run(how, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "trace.json")
			code, out, errs := cutile("profile", "-json", "-o", file, profileProgram, how)
			said := "done [" + how + "]\n"
			if code != want || !strings.HasPrefix(out, said) {
				t.Fatalf("exit code %d, want %d; it prints %s%s", code, want, out, errs)
			}
			var r profileReport
			if err := json.Unmarshal([]byte(strings.TrimPrefix(out, said)), &r); err != nil {
				t.Fatal(err)
			}
			checkProfile(t, &r, map[string]int{"kernel graph of 2": 3})
			checkTimes(t, &r, file)
		})
	}
}

// TestProfileGraphs: with -graphs, the report has the kernels of graphs in place of these.
func TestProfileGraphs(t *testing.T) {
	code, out, errs := cutile("profile", "-json", "-graphs", profileProgram, "ends")
	var r profileReport
	if err := json.Unmarshal([]byte(strings.TrimPrefix(out, "done [ends]\n")), &r); err != nil || code != exitOK {
		t.Fatalf("exit code %d, %v: %s%s", code, err, out, errs)
	}
	checkProfile(t, &r, map[string]int{"kernel main.scale[D64]": 6})
}

// checkProfile checks the numbers that do not depend on time. graphs has those of the replays of graphs.
func checkProfile(t *testing.T, r *profileReport, graphs map[string]int) {
	t.Helper()
	numbers := map[string]int{}
	bytes := map[string]int64{}
	for what, list := range map[string][]profileRow{"kernel ": r.Kernels, "copy ": r.Copies, "device ": r.Device_Copies, "wait ": r.Waits} {
		for _, row := range list {
			numbers[what+row.Name] += row.Number
			bytes[what+row.Name] += row.Bytes
		}
	}
	for _, c := range r.Compiled {
		numbers["ir "+c.Name] += c.To_IR.Number
		numbers["code "+c.Name] += c.To_Device.Number
		numbers["failed "+c.Name] += c.Failed
	}
	want := map[string]int{"kernel main.scale[D64]": 7, "kernel main.add[D128]": 4, "copy write": 1, "copy read": 2, "device copy": 1, "wait Sync": 3, "wait read": 2,
		"ir main.scale[D64]": 1, "code main.scale[D64]": 1, "ir main.add[D128]": 1, "code main.add[D128]": 1, "ir main.bad[D64]": 1, "failed main.bad[D64]": 1}
	for what, n := range graphs {
		want[what] += n
	}
	for what, n := range numbers {
		if n != want[what] {
			t.Errorf("%s: %d, want %d", what, n, want[what])
		}
		delete(want, what)
	}
	if len(want) > 0 || r.Processes != 1 || r.Version != 1 || r.Untimed != 0 {
		t.Errorf("there are no %v in %+v", want, r)
	}
	if bytes["copy write"] != 4*4096 || bytes["copy read"] != 2*4*1000 || bytes["device copy"] != 4*4096 {
		t.Errorf("the copies have %v bytes", bytes)
	}
}

// checkTimes compares the times with those of the trace that was written.
func checkTimes(t *testing.T, r *profileReport, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var events []struct {
		Name, Cat, Ph string
		Ts, Dur       float64
	}
	if err := json.Unmarshal(text, &events); err != nil {
		t.Fatal(err)
	}
	kernels, end := map[string]float64{}, 0.0
	for _, e := range events {
		if e.Ph == "X" {
			end = max(end, (e.Ts+e.Dur)/1e6)
		}
		if e.Cat == "kernel" || e.Cat == "graph" {
			kernels[e.Name] += e.Dur / 1e6
			kernels[""] += e.Dur / 1e6
		}
	}
	same := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 { // a nanosecond
			t.Errorf("%s: %v s, want %v", what, got, want)
		}
	}
	sum, share := 0.0, 0.0
	for _, k := range r.Kernels {
		same(k.Name, k.Total, kernels[k.Name])
		if k.Least > k.Mean || k.Mean > k.Greatest || k.Least <= 0 || math.Abs(k.Mean*float64(k.Number)-k.Total) > 1e-9*float64(k.Number) {
			t.Errorf("%+v does not fit together", k)
		}
		sum, share = sum+k.Total, share+k.Share
	}
	same("the kernels", sum, kernels[""])
	same("the time of kernels", r.Kernel_Time, sum)
	same("the program", r.Total, end)
	same("the shares", share, 1)
	host := 0.0
	for _, h := range r.Host {
		host += h.Total
	}
	same("what the host did", host, r.Total)
	if own := r.Host[len(r.Host)-1]; own.Total < 0.02 { // it sleeps for so long
		t.Errorf("the program's own work is %+v", own)
	}
}

// TestProfileCommand: files of Go, commands that start others, traces of before, and the table.
func TestProfileCommand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace.json")
	out := must(t, "profile", "-o", file, "-sort", "launches", profileProgram+"/main.go", "two", "words")
	said, report, _ := strings.Cut(out, "\n")
	if said != "done [two words]" || !strings.Contains(report, "\nkernels\n  kernel           launches ") || !strings.Contains(report, "\n  main.scale[D64]         7 ") {
		t.Errorf("it prints\n%s", out)
	}
	if again := must(t, "profile", "-from", file, "-sort", "launches"); again != report {
		t.Errorf("its trace gives\n%s\nwhere the run gave\n%s", again, report)
	}
	short := must(t, "profile", "-from", file, "-sort", "launches", "-top", "1")
	if kernels, _, _ := strings.Cut(short, "\ncopies"); !strings.Contains(kernels, "\n  (2 more)                7 ") || strings.Contains(kernels, "main.add") {
		t.Errorf("one row of each table is\n%s", short)
	}
	// Each process has a trace of its own.
	program := buildProfiled(t)
	if out := must(t, "profile", "-json", "sh", "-c", "'"+program+"' one >/dev/null; '"+program+"' two >/dev/null"); !strings.Contains(out, `"processes": 2,`) || !strings.Contains(out, `"number": 14,`) {
		t.Errorf("two processes have\n%s", out)
	}
}

func buildProfiled(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	if out, err := exec.Command("go", "build", "-o", program, profileProgram).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// TestProfileInterrupted: a program that does not end is reported as far as it came.
func TestProfileInterrupted(t *testing.T) {
	program := buildProfiled(t)
	cmd := process(t, t.TempDir(), "profile", program, "hangs")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	said := make([]byte, len("done [hangs]\n"))
	if _, err := io.ReadFull(out, said); err != nil || string(said) != "done [hangs]\n" {
		t.Fatalf("%q, %v, %s", said, err, &errs)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	watchdog := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
	defer watchdog.Stop()
	text, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitFailed || !strings.Contains(string(text), "\n  main.scale[D64]         7 ") || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("exit code %d, %s\n%s", code, text, &errs)
	}
}

// TestProfileCommandErrors: command lines that are wrong, programs that fail or open no device, and files that are no traces.
func TestProfileCommandErrors(t *testing.T) {
	damaged := filepath.Join(t.TempDir(), "damaged.json")
	if err := os.WriteFile(damaged, []byte("[{}, []]"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"profile"}, exitUsage, "want a program, such as ./examples/softmax, or a trace (-from)"},
		{[]string{"profile", "-from", damaged, "go"}, exitUsage, `-from reports a trace and runs nothing, but there is also "go"`},
		{[]string{"profile", "-from", damaged, "-graphs"}, exitUsage, "-graphs is for a program that is run, and -from reports a trace as it is"},
		{[]string{"profile", "-sort", "size", "go"}, exitUsage, `-sort: "size" is not one of greatest, launches, `},
		{[]string{"profile", "-top", "-1", "go"}, exitUsage, "-top: -1 is less than 0"},
		{[]string{"profile", "-grid", "2", "go"}, exitUsage, "-grid is for a kernel: -emulate is missing"},
		{[]string{"profile", "-emulate", "-top", "3", data + "transpose.ptx"}, exitUsage, "-top is for a program, and not for a kernel with -emulate"},
		{[]string{"profile", "-emulate", data + "transpose.ptx", "-o", "x"}, exitUsage, "-o is for a program, and not for a kernel with -emulate"},
		{[]string{"profile", data + "transpose.ptx", "-emulate"}, exitUsage, "transpose.ptx is no program: to run a kernel on the emulator, give -emulate in front of it"},
		{[]string{"profile", "no-such-command"}, exitFailed, "no-such-command"},
		{[]string{"profile", "./cmd"}, exitFailed, "no Go files in"},
		{[]string{"profile", "-from", damaged}, exitFailed, "damaged.json: event 2: "},
		{[]string{"profile", "-from", damaged + "x"}, exitFailed, "no such file"},
		{[]string{"profile", "-o", filepath.Join(damaged, "x"), "sh", "-c", "exit 9"}, 9, "not a directory"},
		{[]string{"profile", "go", "version"}, exitOK, "no device was opened"},
		{[]string{"profile", "sh", "-c", "exit 9"}, 9, "no device was opened"},
	} {
		if code, out, errs := cutile(c.args...); code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit code %d, want %d; %s%s, want %q", c.args, code, c.code, out, errs, c.want)
		}
	}
}
