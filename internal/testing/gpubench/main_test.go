package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
)

// small has each kind of work, with whole tiles and without, and each of the kernels.
const small = "gemm:96x80x200,gemm:64x64x64,softmax:5x100,softmax:2x9000,attention:1x2x48x32,attention:2x1x70x40,add:1000"

// TestMain makes this program the processes that the command starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-way" {
		os.Exit(run(context.Background(), os.Args[1:], os.Stdout))
	}
	os.Exit(m.Run())
}

// quick are options that take little time.
func quick(t *testing.T, list string) *options {
	t.Helper()
	work, err := parse(list)
	if err != nil {
		t.Fatal(err)
	}
	return &options{list: list, work: work, limit: time.Minute, interpreter: "no-python", timing: timing{rounds: 3, each: time.Microsecond, slow: time.Second}}
}

// served are the rows of a way that is measured in this process.
func served(t *testing.T, o *options, name string) (rows []row) {
	t.Helper()
	var out bytes.Buffer
	if err := o.serve(t.Context(), name, &out); err != nil {
		t.Fatal(err)
	}
	for decode := json.NewDecoder(&out); decode.More(); {
		var r row
		if err := decode.Decode(&r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// complete checks that a way measured all of its workloads.
func complete(t *testing.T, o *options, rows []row, name string) {
	t.Helper()
	if len(rows) != len(o.work)+1 || rows[0].Way != name || rows[0].Device == "" {
		t.Fatalf("the rows are %+v", rows)
	}
	for i, r := range rows[1:] {
		if r.Way != name || r.Work != o.work[i].name || r.Error != "" || !(0 < r.Low && r.Low <= r.Seconds && r.Seconds <= r.High) {
			t.Errorf("%+v", r)
		}
	}
}

// TestCommand measures the CPU engine in a process of its own and prints a table; what the machine lacks is said, and is a failure where a
// machine with a GPU has it.
func TestCommand(t *testing.T) {
	t.Setenv("CUTILE_LIBCUDA", "/none")
	t.Setenv(blasEnv, "/none")
	args := []string{"-work", small, "-rounds", "3", "-each", "1us", "-slow", "1s", "-python", "no-python"}
	for _, c := range []struct {
		ways   string
		status int
		want   []string
	}{
		{"cpu", 0, []string{"cpu: ", "| workload | way | time |", "| gemm:96x80x200 | cpu | ", "| add:1000 | cpu | ", " GB/s |", " TFLOP/s |"}},
		{"cpu,cublas,triton,torch", 0, []string{"cublas: not measured: no cuBLAS (tried /none)", "triton: not measured: no-python -c", "torch: not measured"}},
		{"own", 1, []string{"own: not measured: ", "no CUDA driver"}},
		{"cpu,other", 2, nil},
	} {
		var out bytes.Buffer
		if status := run(t.Context(), append([]string{"-ways", c.ways}, args...), &out); status != c.status {
			t.Errorf("%s: status %d, want %d\n%s", c.ways, status, c.status, &out)
		}
		for _, w := range c.want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("%s: the output lacks %q:\n%s", c.ways, w, &out)
			}
		}
		if rows := strings.Count(out.String(), " | cpu | "); c.status == 0 && rows != len(quick(t, small).work) {
			t.Errorf("%s: %d rows\n%s", c.ways, rows, &out)
		}
	}
}

// TestVulkan measures a Vulkan device.
func TestVulkan(t *testing.T) {
	testenv.Elsewhere(t)
	threadtest.NeedsVulkan(t)
	o := quick(t, "gemm:33x100x7,gemm:64x64x64,softmax:5x100,softmax:2x9000,attention:1x2x48x32,add:1000")
	o.software = true
	complete(t, o, served(t, o, "vulkan"), "vulkan")
}

// TestParse: lists of workloads, and mistakes.
func TestParse(t *testing.T) {
	work, err := parse(usual)
	if err != nil || len(work) != strings.Count(usual, ",")+1 || work[0].kind.name != "gemm" || work[3].dims[2] != 2048 {
		t.Errorf("%+v, %v", work, err)
	}
	for list, want := range map[string]string{
		"": "is no workload", "gem:1x1x1": `"gem:1x1x1" is no workload`, "gemm:1x2": "has 2 extents, expected those of m, n, k", "add:": `"" is no extent`,
		"add:0": `"0" is no extent`, "add:8,softmax:1xy": `"y" is no extent`, "add:9999999999999": "is no extent",
	} {
		if _, err := parse(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", list, err, want)
		}
	}
}
