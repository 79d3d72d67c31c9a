package cutile_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
)

// damaged writes the records of a search, changed by a function that gets the JSON of the only one.
func damaged(t *testing.T, s cutile.Search[way], change func(record map[string]any)) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "tuned.json")
	r, err := cutile.OpenRecords(file)
	must(t, err)
	s.Records = r
	_, err = cutile.Tune(t.Context(), s)
	must(t, err)
	var all map[string]any
	must(t, json.Unmarshal([]byte(content(t, file)), &all))
	record := all["records"].([]any)[0].(map[string]any)
	keys := map[string]any{}
	for _, x := range record["trials"].([]any) {
		keys[inJSON(t, x.(map[string]any)["config"])] = x.(map[string]any)["key"]
	}
	change(record)
	for _, x := range record["trials"].([]any) {
		if x, ok := x.(map[string]any); ok { // nobody changes what it stands for
			x["key"] = keys[inJSON(t, x["config"])]
		}
	}
	text, err := json.Marshal(all)
	must(t, err)
	must(t, os.WriteFile(file, text, 0o644))
	return file
}

// inJSON is a value in JSON, with the fields of structs in the order of their names.
func inJSON(t *testing.T, x any) string {
	t.Helper()
	text, err := json.Marshal(x)
	must(t, err)
	var any any
	must(t, json.Unmarshal(text, &any))
	text, err = json.Marshal(any)
	must(t, err)
	return string(text)
}

// entry is a trial in JSON.
func entry(w way, field string, value any) map[string]any {
	return map[string]any{"config": w, field: value}
}

// TestTuneRecordMistakes: what no search writes is an error where the file is read, with the record, the trial and what is wrong.
func TestTuneRecordMistakes(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	a, b := way{"triple", 16}, way{"triple", 256}
	s, _ := triples(t, open(t), a, b)
	for _, c := range []struct {
		best   any
		trials []any
		want   string
	}{
		{a, []any{entry(a, "ns", 5), entry(b, "ns", -3)}, `trial #1 (of {"Kernel":"triple","Tile":256}) has -3 ns: a time is 1 ns or more`},
		{b, []any{entry(a, "ns", 5), entry(b, "error", "wrong")}, `best is {"Kernel":"triple","Tile":256}, whose trial has no ns`},
		{b, []any{entry(a, "ns", 5)}, `best is {"Kernel":"triple","Tile":256}, of which there is no trial`},
		{a, []any{entry(a, "ns", 5), entry(a, "ns", 6)}, `trial #1 (of {"Kernel":"triple","Tile":16}) is there twice`},
		{a, []any{entry(a, "ns", 5), entry(b, "ns", 0)}, `has 0 of ns, error and tries, where one is expected`},
		{a, []any{entry(a, "ns", 5), nil}, "trial #1 has no config"},
	} {
		file := damaged(t, s, func(r map[string]any) { r["best"], r["trials"] = c.best, c.trials })
		_, err := cutile.OpenRecords(file)
		fails(t, err, "cutile: records: "+file+": record #0 (of cutile_test.triple[D16](", c.want, "correct or delete the record")
		_, err = cutile.ReadRecords(os.DirFS(filepath.Dir(file)), "tuned.json")
		fails(t, err, "tuned.json: record #0", c.want)
	}
	file := damaged(t, s, func(r map[string]any) {})
	text := content(t, file)
	from, to := strings.Index(text, "[")+1, strings.LastIndex(text, "]")
	must(t, os.WriteFile(file, []byte(text[:to]+","+text[from:to]+text[to:]), 0o644))
	_, err := cutile.OpenRecords(file)
	fails(t, err, "records #0 and #1 are both of cutile_test.triple[D16](")
}

// TestTuneRecordLies: times that are possible but wrong neither choose nor make a search long, and neither does one of a configuration that is wrong.
func TestTuneRecordLies(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	slow, fast, wrong := way{"slowly", 64}, way{"triple", 1024}, way{"wrong", 1024}
	s, _ := triples(t, open(t), slow, fast, wrong)
	for _, budget := range []time.Duration{0, time.Minute} {
		file := damaged(t, s, func(r map[string]any) {
			delete(r, "best")
			r["trials"] = []any{entry(slow, "ns", 1), entry(wrong, "ns", 1), entry(fast, "ns", 300)}
		})
		r, err := cutile.OpenRecords(file)
		must(t, err)
		s.Records, s.Budget = r, budget
		found, err := cutile.Tune(t.Context(), s)
		must(t, err)
		if x := trial(t, found, slow); found.Best != fast || x.Time < 100 {
			t.Errorf("with a budget of %v: %+v", budget, found)
		}
		if x := trial(t, found, wrong); x.Err == nil || !strings.Contains(x.Err.Error(), "it runs, but output #0 differs") {
			t.Errorf("what is wrong has %+v", x)
		}
		s.Records, s.Budget = nil, 0
	}
}

// TestTuneRecordLaunches: a time of a nanosecond does not become millions of launches.
func TestTuneRecordLaunches(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	dev := open(t)
	space := []way{{"slowly", 64}, {"slowly", 128}, {"slowly", 256}, {"slowly", 512}}
	s, _ := triples(t, dev, space...)
	file := damaged(t, s, func(r map[string]any) {
		delete(r, "best")
		r["trials"] = []any{entry(space[0], "ns", 1), entry(space[1], "ns", 1)}
	})
	r, err := cutile.OpenRecords(file)
	must(t, err)
	s.Records, s.Budget = r, 1
	before := dev.Stats().Launches
	found, err := cutile.Tune(t.Context(), s)
	must(t, err)
	if n := dev.Stats().Launches - before; n > 100_000 || len(found.Trials) != 2 {
		t.Errorf("%d launches, %+v", n, found)
	}
}

// TestTuneRecordsLinked: a file of records that is a symlink stays one, and the file that it leads to has the records, also where there was none. Who
// opens that file by its own name finds the same.
func TestTuneRecordsLinked(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	dir := t.TempDir()
	link, file := filepath.Join(dir, "link.json"), filepath.Join(dir, "tuned.json")
	must(t, os.Symlink("tuned.json", link))
	dev := open(t)
	for _, name := range []string{link, file, link} { // first there is no file
		s, _ := triples(t, dev, way{"triple", 16}, way{"triple", 256})
		r, err := cutile.OpenRecords(name)
		must(t, err)
		s.Records = r
		_, err = cutile.Tune(t.Context(), s)
		must(t, err)
		if to, err := os.Readlink(link); err != nil || to != "tuned.json" {
			t.Errorf("the link leads to %q, %v", to, err)
		}
		if text := content(t, file); strings.Count(text, `"best"`) != 1 {
			t.Errorf("the file has\n%s", text)
		}
	}
}

// TestTuneRecordsNowhere: records that could not be written are an error before anything is searched.
func TestTuneRecordsNowhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "none", "tuned.json")
	_, err := cutile.OpenRecords(file)
	fails(t, err, "cutile: records: "+file+" cannot be made: ", "none: no such file or directory")
}
