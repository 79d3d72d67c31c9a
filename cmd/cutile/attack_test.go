package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/toolbox"
)

// entryText is a module of one entry without parameters.
func entryText(body string) string {
	return "entry @k() optimization_hints=<default = {}> {\n" + body + "  return\n}\n"
}

// eachText repeats a text with its number in the place of #.
func eachText(n int, text string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(text, "#", fmt.Sprint(i+1)))
	}
	return b.String()
}

const (
	bigTile     = "tile<4096x4096xf64>"
	bigConstant = "  %c# = constant <f64: #.0> : " + bigTile + "\n"
	bigPermute  = "  %p# = permute %c# [1, 0] : " + bigTile + " -> " + bigTile + "\n"
)

// attacks are small inputs that ask for much. want is what `cutile run` says, "" where it can do it.
var attacks = []struct{ name, text, want string }{
	{"constants that share room", entryText(eachText(17, bigConstant+bigPermute)), ""},
	{"tiles at a time", entryText(eachText(20, bigConstant+bigPermute) + eachText(19, "  %s# = addf %p#, %p20 rounding<nearest_even> : "+bigTile+"\n")), "Limits.BlockMemory"},
	{"print width", entryText("  %t = make_token : token\n  %n = constant <i32: 1> : tile<i32>\n  %p = print_tko \"%20000000000d\", %n token = %t : tile<i32> -> token\n"), "Limits.Print"},
	{"print precision", entryText("  %t = make_token : token\n  %n = constant <f32: 1.0> : tile<f32>\n  %p = print_tko \"%.999999999f\", %n token = %t : tile<f32> -> token\n"), "Limits.Print"},
	{"print of a large tile", entryText("  %t = make_token : token\n  %n = constant <f64: 1.0> : " + bigTile + "\n  %p = print_tko \"%f\", %n token = %t : " + bigTile + " -> token\n"), "Limits.Print"},
	{"endless loop", entryText("  loop {\n    continue\n  }\n"), "Limits.Run"},
	{"nested loops", entryText(strings.Repeat("loop {\n", 100000)), ":"},
	{"nested types", entryText("  %0 = constant <i32: 1> : " + strings.Repeat("tile<", 1000000) + "\n"), ":"},
	{"nested lists", entryText("  %0 = constant <i32: " + strings.Repeat("[", 1000000) + "\n"), ":"},
	{"zeros", strings.Repeat("\x00", 100000), ""},
	{"bytecode of nothing", toolbox.Mark + strings.Repeat("\xff", 100000), ":"},
}

// TestAttacks gives small hostile inputs to every command that reads modules, in a process with little memory: each ends
// in bounded time, without a panic and without running out of memory.
func TestAttacks(t *testing.T) {
	if os.Getenv("CUTILE_ATTACK") != "" {
		os.Exit(run(strings.Split(os.Getenv("CUTILE_ATTACK"), "\x1f"), os.Stdin, os.Stdout, os.Stderr))
	}
	if runtime.GOOS != "linux" {
		t.Skip("the limit of a process's memory is set by ulimit -v of Linux")
	}
	attackWith := func(t *testing.T, in io.Reader, limit string, args ...string) (failed bool, text string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, "sh", "-c", `ulimit -v 4000000; exec "$0" -test.run='^TestAttacks$'`, os.Args[0])
		cmd.Env = append(os.Environ(), "CUTILE_ATTACK="+strings.Join(args, "\x1f"), "CUTILE_LIMITS=run="+limit, "GOMAXPROCS=2")
		var out bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &out, &out
		err := cmd.Run()
		text = out.String()
		shown := text[:min(len(text), 600)]
		switch {
		case ctx.Err() != nil:
			t.Errorf("%s does not end: %s", args, shown)
		case strings.Contains(text, "BUG") || strings.Contains(text, "goroutine ") || strings.Contains(text, "out of memory"):
			t.Errorf("%s: %s", args, shown)
		}
		return err != nil, text
	}
	attack := func(t *testing.T, limit string, args ...string) (bool, string) {
		return attackWith(t, nil, limit, args...)
	}
	dir := t.TempDir()
	for i, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			file := filepath.Join(dir, fmt.Sprintf("%d.tileir", i))
			if err := os.WriteFile(file, []byte(a.text), 0o666); err != nil {
				t.Fatal(err)
			}
			failed, text := attack(t, map[bool]string{true: "60s", false: "300ms"}[a.want == ""], "run", "-grid", "1", file)
			if whole := a.want == "" && a.name != "zeros"; failed == whole || !strings.Contains(text, a.want) {
				t.Errorf("run: failed %t, with %q; want %q", failed, text[:min(len(text), 600)], a.want)
			}
			if testing.Short() {
				return
			}
			for _, args := range [][]string{{"verify", file}, {"disasm", file}, {"cost", file}, {"diff", file, file}, {"asm", "-o", filepath.Join(dir, "out"), file}} {
				attack(t, "1s", args...)
			}
		})
	}
	for _, cmd := range []string{"verify", "disasm", "asm", "cost", "run"} {
		t.Run(cmd+" of a device", func(t *testing.T) {
			if failed, text := attack(t, "1s", cmd, "/dev/zero"); !failed || !strings.Contains(text, "/dev/zero") {
				t.Errorf("failed %t, with %q", failed, text)
			}
		})
	}
	for name, start := range map[string]string{"text": "", "bytecode": toolbox.Mark} {
		t.Run("endless "+name, func(t *testing.T) {
			if underRace {
				t.Skip("the race detector finds no room for so large texts in so little memory")
			}
			in := io.MultiReader(strings.NewReader(start), endless{})
			if failed, text := attackWith(t, in, "1s", "verify", "-"); !failed || !strings.Contains(text, "more than 256 MiB") {
				t.Errorf("failed %t, with %q", failed, text)
			}
		})
	}
}

// endless is a text without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
