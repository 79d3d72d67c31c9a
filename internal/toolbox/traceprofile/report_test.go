package traceprofile_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/toolbox/traceprofile"
	"github.com/cutile-go/cutile/internal/trace"
)

// first and second are traces of two processes, with round times in microseconds: the second one begins 1 ms later, and was killed.
const first = `[
{"name":"cutile_trace","ph":"M","ts":0,"pid":0,"tid":0,"args":{"process":10,"start":"2026-01-02T03:04:05.000Z"}},
{"name":"process_name","ph":"M","ts":0,"pid":1,"tid":0,"args":{"name":"cpu: a device"}},
{"name":"process_name","ph":"M","ts":0,"pid":2,"tid":0,"args":{"name":"cuda:0: another"}},
{"name":"k to Tile IR","cat":"compile","ph":"X","ts":100,"dur":100,"pid":1,"tid":1},
{"name":"k for the device","cat":"compile","ph":"X","ts":150,"dur":150,"pid":1,"tid":1,"args":{"code":"assembled"}},
{"name":"k","cat":"kernel","ph":"X","ts":400,"dur":100,"pid":1,"tid":2},
{"name":"k","cat":"kernel","ph":"X","ts":450,"dur":300,"pid":1,"tid":3},
{"name":"k","cat":"kernel","ph":"X","ts":400,"dur":600,"pid":2,"tid":2},
{"name":"write","cat":"copy","ph":"X","ts":250,"dur":100,"pid":1,"tid":1,"args":{"bytes":200000}},
{"name":"Sync","cat":"wait","ph":"X","ts":300,"dur":200,"pid":1,"tid":1},
{"name":"work without times","ph":"i","ts":1000,"pid":1,"tid":2,"args":{"count":3}}
]
`

const second = `[
{"name":"cutile_trace","ph":"M","ts":0,"pid":0,"tid":0,"args":{"process":11,"start":"2026-01-02T03:04:05.001Z"}},
{"name":"process_name","ph":"M","ts":0,"pid":1,"tid":0,"args":{"name":"cpu: a device"}},
{"name":"l","cat":"kernel","ph":"X","ts":0,"dur":0.5,"pid":1,"tid":2},
{"name":"copy","cat":"copy","ph":"X","ts":500,"dur":500,"pid":1,"tid":2,"args":{"bytes":100}},
{"name":"k for the device","cat":"compile","ph":"X","ts":10,"dur":10,"pid":1,"tid":1,"args":{"error":"no"}},
{"name":"k","cat":"kern`

func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"trace-2.json": first, "trace-1.json": second, "other.json": "x", "trace-3.json": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const want = `2 processes, 2.00 ms in all of them together, from opening a device to the last event in each
cpu: a device: busy for 851 µs, 42.5% of it
cuda:0: another: busy for 600 µs, 60.0% of it

kernels
  kernel  device  launches    total   share    mean   least  greatest
  k       cuda:0         1   600 µs   60.0%  600 µs  600 µs    600 µs
  k          cpu         2   400 µs   40.0%  200 µs  100 µs    300 µs
  l          cpu         1   500 ns    0.0%  500 ns  500 ns    500 ns
  all                    4  1.00 ms  100.0%

copies by the host
  copy   device  number   total    bytes  GB/s    mean   least  greatest
  write     cpu       1  100 µs  200,000  2.00  100 µs  100 µs    100 µs

copies on devices
  copy  device  number   total  bytes  GB/s    mean   least  greatest
  copy     cpu       1  500 µs    100  0.00  500 µs  500 µs    500 µs

compilations
  kernel  device  to Tile IR    time  for the device    time         code  failed
  k          cpu           1  100 µs               2  160 µs  1 assembled       1

waits of the host
  wait  device  number   total    mean   least  greatest
  Sync     cpu       1  200 µs  200 µs  200 µs    200 µs

what the host did
  the host                                 time  share
  compiles                               210 µs  10.5%
  copies                                50.0 µs   2.5%
  waits                                  150 µs   7.5%
  the program's own work, and launches  1.59 ms  79.5%

3 pieces of work for devices: no times are known, as it failed, nobody waited for it, or too much was queued
`

// TestReport: every number of two traces, of which one has no end.
func TestReport(t *testing.T) {
	list, err := traceprofile.Read(folder(t))
	if err != nil {
		t.Fatal(err)
	}
	r := traceprofile.Make(list)
	r.Sort("total")
	var out strings.Builder
	if err := r.Print(&out, 0); err != nil || out.String() != want {
		t.Errorf("%v: it prints\n%s\nwant\n%s", err, &out, want)
	}
	var short strings.Builder
	if err := r.Print(&short, 1); err != nil || !strings.Contains(short.String(), "  k         cuda:0         1   600 µs   60.0%  600 µs  600 µs    600 µs\n  (2 more)                 3   400 µs   40.0%\n  all ") {
		t.Errorf("%v: one row is\n%s", err, &short)
	}
	// What is merged has the same report, but for the names of devices.
	events := traceprofile.Merge(list)
	for _, e := range events {
		if e.Name == "copy" && (e.Time != 1500 || e.PID != 3) {
			t.Errorf("the copy of the second process is %+v", e)
		}
	}
	var merged bytes.Buffer
	if err := trace.Write(&merged, events); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "all.json")
	if err := os.WriteFile(file, merged.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if list, err = traceprofile.Read(file); err != nil {
		t.Fatal(err)
	}
	again := traceprofile.Make(list)
	if again.Processes != 2 || again.Total != r.Total || again.KernelTime != r.KernelTime || len(again.Devices) != 3 || again.Devices[2].Name != "cpu: a device (process 11)" {
		t.Errorf("what is merged has the report %+v", again)
	}
}

// TestOrders: rows are in the order that was asked for, and JSON has them in seconds.
func TestOrders(t *testing.T) {
	var events []trace.Event
	for _, k := range []struct {
		name  string
		times []float64
	}{{"z", []float64{1, 1, 1, 1, 1}}, {"b", []float64{4, 2}}, {"c", []float64{0.5, 6.5}}, {"d", []float64{4.5}}} {
		for _, took := range k.times {
			events = append(events, trace.Event{Name: k.name, Cat: trace.Kernel, Phase: "X", Time: float64(len(events)), Took: took, PID: 1, TID: 2})
		}
	}
	want := map[string]string{"total": "cbzd", "mean": "dcbz", "least": "dbzc", "greatest": "cdbz", "launches": "zbcd", "name": "bcdz"}
	for _, order := range traceprofile.Orders() {
		r := traceprofile.Make([]traceprofile.Process{{Events: events}})
		r.Sort(order)
		names := ""
		for _, k := range r.Kernels {
			names += k.Name
		}
		if names != want[order] {
			t.Errorf("by %s: %s, want %s", order, names, want[order])
		}
		delete(want, order)
		text, err := json.Marshal(r)
		for _, words := range []string{`"name":"b","device":"","number":2,"total":0.000006,"mean":0.000003,"least":0.000002,"greatest":0.000004,"share":0.26`, `"kernel_time":0.0000225,`} {
			if err != nil || !strings.Contains(string(text), words) {
				t.Errorf("%v: JSON lacks %s: %s", err, words, text)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("there are no orders %v", want)
	}
}
