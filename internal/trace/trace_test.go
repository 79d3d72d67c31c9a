package trace_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/trace"
)

// written is a trace of some events.
func written() string {
	var out strings.Builder
	t := trace.New(&out)
	on := trace.Track{Process: 1, Thread: 2}
	t.Name(on, trace.Device, "cpu: a device")
	t.Span(on, trace.Kernel, "k", time.Now(), 1500*time.Nanosecond, map[string]any{"grid": []int{1, 2, 3}})
	t.Note(on, trace.Untimed, map[string]any{"count": 3})
	t.Flush()
	return out.String()
}

// TestRead reads what was written, wherever it was cut off: all events that are there as a whole.
func TestRead(t *testing.T) {
	text := written()
	all, err := trace.Read(strings.NewReader(text))
	if err != nil || len(all) != 4 {
		t.Fatalf("%d events, %v", len(all), err)
	}
	begin, ok := all[0].Begin()
	if !ok || begin.Process != os.Getpid() || time.Since(begin.Start).Abs() > time.Minute {
		t.Errorf("it begins with %+v, %v", begin, ok)
	}
	if k := all[2]; k.Name != "k" || k.Cat != trace.Kernel || k.Took != 1.5 || k.PID != 1 || k.TID != 2 {
		t.Errorf("the kernel is %+v", k)
	}
	for n := range text {
		list, err := trace.Read(strings.NewReader(text[:n]))
		if whole := strings.Count(text[:n], "}\n") + strings.Count(text[:n], "},\n"); err != nil || len(list) < whole || len(list) > whole+1 || len(list) > 0 && !reflect.DeepEqual(list, all[:len(list)]) {
			t.Fatalf("of %d bytes, it has %d events, %v, want about %d", n, len(list), err, whole)
		}
	}
	var again bytes.Buffer
	if err := trace.Write(&again, all); err != nil || !json.Valid(again.Bytes()) {
		t.Errorf("%v: it is written again as\n%s", err, &again)
	}
	if list, err := trace.Read(&again); err != nil || !reflect.DeepEqual(list, all) {
		t.Errorf("what was written again is %+v, %v", list, err)
	}
	var none bytes.Buffer
	if err := trace.Write(&none, nil); err != nil || none.String() != "[]\n" {
		t.Errorf("no events are %q, %v", &none, err)
	}
}

// TestReadMistakes: what is no trace is an error that says what was found.
func TestReadMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"{}": "it begins with {", "x": "invalid character 'x'", `[{"name": 1}]`: "event 1: ", `[{}, []]`: "event 2: ", "[{}, }": "event 2: ",
	} {
		if list, err := trace.Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %q", text, list, err, want)
		}
	}
}
