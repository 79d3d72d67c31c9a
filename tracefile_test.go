package cutile_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// TestTraceFileShared: two processes with one name for their traces write two files, which can both be read; the next one replaces the first file.
func TestTraceFileShared(t *testing.T) {
	const role = "TRACE_SHARED"
	dir := t.TempDir()
	if child := os.Getenv(role); child != "" {
		dir = child
	}
	file := filepath.Join(dir, "trace.json")
	t.Setenv("CUTILE_TRACE", file)
	launch := func() {
		dev := open(t)
		x, z := ramp(t, dev, 64), zeros[float32](t, dev, 64)
		for range 50 {
			must(t, cutile.Launch(t.Context(), dev, scale[tile.D16], x, 2, z))
			must(t, dev.Sync(t.Context()))
		}
	}
	run := func() {
		cmd := exec.Command(os.Args[0], "-test.run=^TestTraceFileShared$")
		cmd.Env = append(os.Environ(), role+"="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	processes := func(name string) (id float64) {
		text, err := os.ReadFile(name)
		must(t, err)
		var list []struct {
			Name string
			Args map[string]any
		}
		must(t, json.Unmarshal([]byte(strings.TrimSuffix(string(text), "\n")+"]"), &list))
		launches := 0
		for _, e := range list {
			if e.Name == "cutile_trace" {
				id += e.Args["process"].(float64)
			}
			if e.Name == "cutile_test.scale[D16]" {
				launches++
			}
		}
		if launches%50 != 0 || launches == 0 {
			t.Errorf("%s has %d launches", name, launches)
		}
		return id
	}
	if os.Getenv(role) != "" {
		launch()
		return
	}
	run()
	first := processes(file)
	launch() // replaces the file of a process that has ended
	run()    // writes beside that of this process
	launch()
	if id := processes(file); id != float64(os.Getpid()) || id == first {
		t.Errorf("the file is of process %v", id)
	}
	others, err := filepath.Glob(filepath.Join(dir, "trace-*.json"))
	must(t, err)
	if len(others) != 1 || processes(others[0]) == float64(os.Getpid()) {
		t.Errorf("beside it there are %v", others)
	}
}
