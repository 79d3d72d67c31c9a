package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// commandEnv makes the test binary a command: its arguments, with a separator between.
const commandEnv = "CUTILE_COMMAND"

// TestCommand is no test: it is the command that other tests start.
func TestCommand(t *testing.T) {
	if args, ok := os.LookupEnv(commandEnv); ok {
		os.Exit(run(strings.Split(args, "\x1f"), os.Stdin, os.Stdout, os.Stderr))
	}
}

// process is this program as a process of its own, with its temporary files in a folder.
func process(t *testing.T, temp string, args ...string) *exec.Cmd {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the signals and files of this test are Linux's")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestCommand$")
	cmd.Dir = filepath.Join("cmd", "cutile") // which TestMain leaves
	cmd.Env = append(os.Environ(), commandEnv+"="+strings.Join(args, "\x1f"), "TMPDIR="+temp)
	return cmd
}

// sleeper stands for any tool: it starts a child, notes the numbers of both, and does not end.
const sleeper = `#!/bin/sh
[ "$STUCK" = gen ] && trap 'kill $!; exit 1' INT # as the go command does, which package packages interrupts
sleep 300 &
echo $! >>"$PIDS"
echo $$ >>"$PIDS"
wait
`

// interrupted are commands that would not end for minutes, each with how it gets there.
var interrupted = map[string]struct {
	args  []string
	tools bool // it is stuck in a tool: go, python3 or one of NVIDIA's
}{
	"run":               {args: []string{"run", "-grid", "1", "endless.tileir"}},
	"reduce":            {args: []string{"reduce", "-differs", "interpreter,cpu", "-timeout", "0", "endless.tileir"}},
	"reduce a crash":    {args: []string{"reduce", "-crashes", "endless.tileir"}, tools: true},
	"run of a pipe":     {args: []string{"run", "-grid", "1", "pipe"}},
	"run of the input":  {args: []string{"run", "-grid", "1", "-"}},
	"verify of a pipe":  {args: []string{"verify", "pipe"}},
	"asm of a pipe":     {args: []string{"asm", "-o", "out", "pipe"}},
	"disasm of a pipe":  {args: []string{"disasm", "pipe"}},
	"diff of a pipe":    {args: []string{"diff", "pipe", "pipe"}},
	"cost of a pipe":    {args: []string{"cost", "pipe"}},
	"profile":           {args: []string{"profile", "sleep", "60"}},
	"profile of a pipe": {args: []string{"profile", "-emulate", "pipe"}},
	"bench":             {args: []string{"bench", "-device", "cpu", "endless.tileir"}},
	"bench unchecked":   {args: []string{"bench", "-device", "cpu", "-unchecked", "endless.tileir"}},
	"bench of a pipe":   {args: []string{"bench", "pipe"}},
	"bench of two":      {args: []string{"bench", "-diff", "pipe", "pipe"}},
	"cover":             {args: []string{"cover", "sleep", "60"}},
	"serve":             {args: []string{"serve"}},
	"vet":               {args: []string{"vet"}, tools: true},
	"gen":               {args: []string{"gen"}, tools: true},
	"dump":              {args: []string{"dump", "-target", "sm_90", "-stage", "sass", kernelsDir, gemm, "-func", "epilogue=leak"}, tools: true},
	"doctor":            {args: []string{"doctor"}, tools: true},
	"toolchain install": {args: []string{"toolchain", "install"}, tools: true},
}

// TestInterrupt interrupts commands: each ends within a second, with a message and a failure, no process of its own is
// left, and no temporary file.
func TestInterrupt(t *testing.T) {
	for name, c := range interrupted {
		t.Run(name, func(t *testing.T) {
			took := time.Hour
			for _, beginning := range []time.Duration{300 * time.Millisecond, time.Second, 5 * time.Second} { // the machine may be busy: once is enough
				if took = min(took, interrupt(t, c.args, c.tools, beginning)); took < time.Second || t.Failed() {
					return
				}
			}
			t.Errorf("it ends after %v", took)
		})
	}
}

// quick are commands that wait for nothing.
var quick = []string{"ops", "version", "help", "toolchain list", "toolchain path"}

// TestInterruptCoversCommands: every command is interrupted, or said to be quick.
func TestInterruptCoversCommands(t *testing.T) {
	eachCommand(root, "", func(name string) {
		covered := slices.Contains(quick, name)
		for _, c := range interrupted {
			covered = covered || strings.HasPrefix(strings.Join(c.args, " ")+" ", name+" ")
		}
		if !covered {
			t.Errorf("%s: give it a row of interrupted", name)
		}
	})
}

// eachCommand visits the commands that do something, by their names.
func eachCommand(cmd *command, path string, visit func(name string)) {
	for _, sub := range cmd.sub {
		if name := strings.TrimSpace(path + " " + sub.name); sub.sub == nil {
			visit(name)
		} else {
			eachCommand(sub, name, visit)
		}
	}
}

// interrupt starts a command, interrupts it and gives how long it took to end: an hour if it was not ready for a signal at the end of
// its beginning.
func interrupt(t *testing.T, args []string, tools bool, beginning time.Duration) time.Duration {
	t.Helper()
	dir, temp, bin := t.TempDir(), t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "endless.tileir"), []byte(entryText("  loop {\n    continue\n  }\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	args = append([]string(nil), args...)
	for i, a := range args {
		if a == "pipe" || a == "out" || strings.HasSuffix(a, ".tileir") {
			args[i] = filepath.Join(dir, a)
		}
	}
	if out, err := exec.Command("mkfifo", filepath.Join(dir, "pipe")).CombinedOutput(); err != nil {
		t.Fatalf("mkfifo: %v: %s", err, out)
	}
	cmd := process(t, temp, args...)
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &errs, &errs
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	pids := filepath.Join(dir, "pids")
	if tools {
		for _, tool := range append(toolchain.Names(), "go", "python3") {
			if err := os.WriteFile(filepath.Join(bin, tool), []byte(sleeper), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		cache := filepath.Join(dir, "cache")
		cmd.Env = append(cmd.Env, "PIDS="+pids, "STUCK="+args[0], "PATH="+bin+":"+os.Getenv("PATH"), toolchain.ToolsEnv+"="+bin, toolchain.PythonEnv+"="+filepath.Join(bin, "python3"), toolchain.CacheEnv+"="+cache)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	arrive(t, pids, tools, beginning)
	start := time.Now()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	watchdog := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
	defer watchdog.Stop()
	err = cmd.Wait()
	took := time.Since(start)
	code := cmd.ProcessState.ExitCode()
	if code == -1 { // a signal has ended it
		return time.Hour
	}
	if err == nil || code == exitOK || code != max(exitFailed, root.find(args[0]).failed) || !strings.Contains(errs.String(), errInterrupted.Error()) {
		t.Errorf("exit code %d, with %q", code, errs.String())
	}
	for _, pid := range lines(pids) {
		waitEnd(t, pid)
	}
	leftovers(t, temp)
	return took
}

// arrive waits until a command is where it does not end.
func arrive(t *testing.T, pids string, tools bool, beginning time.Duration) {
	t.Helper()
	if !tools {
		time.Sleep(beginning)
		return
	}
	for range 2000 {
		if len(lines(pids)) >= 2 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("it starts no tool")
}

// lines are the lines of a file, none where it is missing.
func lines(file string) []string {
	b, _ := os.ReadFile(file)
	return strings.Fields(string(b))
}

// waitEnd waits for the end of a process that is not ours to wait for.
func waitEnd(t *testing.T, pid string) {
	t.Helper()
	if _, err := strconv.Atoi(pid); err != nil {
		t.Fatalf("%q is no process", pid)
	}
	for range 200 {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%s/stat", pid))
		if err != nil || strings.Contains(string(b), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %s goes on", pid)
}

// leftovers reports what a command has left in its folder for temporary files.
func leftovers(t *testing.T, dir string) {
	t.Helper()
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() || path != dir {
			t.Errorf("it leaves %s behind", path)
		}
		return nil
	})
}
