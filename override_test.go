package cutile_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// TestKey: a key names the Tile IR that a launch runs.
func TestKey(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	dev, other := open(t), open(t)
	key := func(on cutile.Target, kernel any, args ...any) string {
		t.Helper()
		p, err := cutile.Prepare(t.Context(), on, kernel, args...)
		must(t, err)
		k, err := p.Key()
		must(t, err)
		if len(k) != 32 || strings.Trim(k, "0123456789abcdef") != "" {
			t.Errorf("the key is %q", k)
		}
		return k
	}
	x, z := ramp(t, dev, 64), zeros[float32](t, dev, 64)
	first := key(dev, scale[tile.D16], x, 2, z)
	for what, again := range map[string]string{
		"another time": key(dev, scale[tile.D16], x, 2, z), "another number": key(dev, scale[tile.D16], x, 3, z),
		"another device": key(other, scale[tile.D16], ramp(t, other, 64), 2, zeros[float32](t, other, 64)),
	} {
		if again != first {
			t.Errorf("%s: the key is %s, not %s", what, again, first)
		}
	}
	for what, again := range map[string]string{
		"another tile": key(dev, scale[tile.D32], x, 2, z), "another kernel": key(dev, add[tile.D16], x, x, z),
		"other facts": key(dev, scale[tile.D16], x.Narrow(0, 1, 50), 2, z.Narrow(0, 1, 50)),
	} {
		if again == first {
			t.Errorf("%s: the key is the same", what)
		}
	}
	p, err := cutile.Prepare(t.Context(), dev, scale[tile.D16], x, 2, z)
	must(t, err)
	must(t, p.Launch(t.Context(), x.Narrow(0, 1, 50), 2, z.Narrow(0, 1, 50)))
	if k, err := p.Key(); err != nil || k == first {
		t.Errorf("after a launch with other facts: %s, %v", k, err)
	}
	if err := p.Launch(t.Context(), x, 2, x); err == nil {
		t.Error("a launch that reads what it writes is none")
	}
	_, err = p.Key()
	fails(t, err, "has no code: its last arguments did not fit")
	var none *cutile.Prepared
	if _, err := none.Key(); err == nil {
		t.Error("a Prepared that is nil has a key")
	}
}

// TestOverride: texts that were changed by hand run in place of kernels, and what is wrong with them is said with their lines.
func TestOverride(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	dir := filepath.Join(t.TempDir(), "texts") // which the first launch makes
	t.Setenv("CUTILE_OVERRIDE", dir)
	var log strings.Builder
	launch := func() (string, error) {
		log.Reset()
		dev, err := cutile.Open("cpu", cutile.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		must(t, err)
		defer dev.Close()
		x, z := ramp(t, dev, 64), zeros[float32](t, dev, 64)
		if err := cutile.Launch(t.Context(), dev, scale[tile.D16], x, 2, z); err != nil {
			return "", err
		}
		out, err := z.Narrow(0, 0, 4).Slice()
		return fmt.Sprint(out), err
	}
	for range 2 { // written, and then not changed
		got, err := launch()
		must(t, err)
		if got != "[2 4 6 8]" || strings.Contains(log.String(), "replaced") {
			t.Fatalf("a text that nobody has changed gives %s; the log is\n%s", got, log.String())
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "cutile_test_scale_D16.*.tileir"))
	must(t, err)
	if len(files) != 1 {
		t.Fatalf("the folder has %q", files)
	}
	data, err := os.ReadFile(files[0])
	must(t, err)
	text := string(data)
	if !strings.HasPrefix(text, "// kernel cutile_test.scale[D16]\n") {
		t.Errorf("the text has no facts:\n%s", text)
	}
	for _, c := range []struct{ name, old, new, want, wrong string }{
		{"another operation", "mulf", "addf", "[3 4 5 6]", ""},
		{"a mistake in the text", "mulf", "mulx", "", "expected the name of an operation, but found \"mulx\""},
		{"a wrong operation", "mulf", "muli", "", "muli"},
		{"a tensor that is read", "assume div_by<16>, %arg4 :", "assume div_by<16>, %arg0 :", "", "the entry writes memory through its parameter #0, which the kernel only reads"},
		{"another parameter", "%arg6: tile<i32>)", "%arg6: tile<i64>)", "", "tile<ptr<f32>>, tile<i32>, tile<i64>): want (tile<ptr<f32>>,"},
		{"another entry", "entry @cutile_test_scale_D16", "entry @other", "", "want one entry with the name cutile_test_scale_D16"},
	} {
		if strings.Count(text, c.old) < 1 {
			t.Fatalf("%s: the text has no %q:\n%s", c.name, c.old, text)
		}
		must(t, os.WriteFile(files[0], []byte(strings.Replace(text, c.old, c.new, 1)), 0o644))
		got, err := launch()
		switch {
		case c.wrong == "" && (err != nil || got != c.want || !strings.Contains(log.String(), "level=WARN msg=\"kernel is replaced\" device=cpu kernel=cutile_test.scale[D16] file="+files[0])):
			t.Errorf("%s: %s, %v, want %s; the log is\n%s", c.name, got, err, c.want, log.String())
		case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong) || !strings.Contains(err.Error(), files[0]) || !strings.Contains(err.Error(), "CUTILE_OVERRIDE: kernel cutile_test.scale[D16]")):
			t.Errorf("%s: %v, want %q", c.name, err, c.wrong)
		}
		t.Logf("%s: %v", c.name, err)
	}
}

// TestCoverSettings: a device does not open where coverage could not be recorded, or would be in what is kept.
func TestCoverSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o644))
	for _, c := range []struct{ dir, other, want string }{
		{file, "", "CUTILE_COVER: mkdir "}, {t.TempDir(), "CUTILE_OVERRIDE", "CUTILE_COVER and CUTILE_OVERRIDE are both set"}, {t.TempDir(), "CUTILE_RECORD", "CUTILE_COVER and CUTILE_RECORD are both set"},
	} {
		t.Setenv("CUTILE_COVER", c.dir)
		if c.other != "" {
			t.Setenv(c.other, t.TempDir())
		}
		_, err := cutile.Open("cpu")
		fails(t, err, c.want)
		if c.other != "" {
			t.Setenv(c.other, "")
		}
	}
}
