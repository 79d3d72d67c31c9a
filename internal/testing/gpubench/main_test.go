package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
)

// small has each kind of work, with whole tiles and without, and each of the kernels.
const small = "gemm:96x80x200,gemm:64x64x64,softmax:5x100,softmax:2x9000,attention:1x2x48x32,attention:2x1x70x40,add:1000"

// quick are options that take little time.
func quick(t *testing.T, list string) *options {
	t.Helper()
	work, err := parse(list)
	if err != nil {
		t.Fatal(err)
	}
	return &options{list: list, work: work, timing: timing{rounds: 3, each: time.Microsecond, slow: time.Second}}
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
