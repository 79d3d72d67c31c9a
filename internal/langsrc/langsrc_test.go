package langsrc_test

import (
	"io/fs"
	"slices"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/cutile-go/cutile/internal/langsrc"
)

// TestRegister: a second registration adds files, and neither changes what somebody looked up before.
func TestRegister(t *testing.T) {
	if langsrc.Lookup("test/a") != nil {
		t.Error("a package is there before it is registered")
	}
	one, two := fstest.MapFS{"one.go": {}}, fstest.MapFS{"two.go": {}}
	first := []fs.FS{one}
	langsrc.Register(&langsrc.Source{Path: "test/a", Dir: "/src/a", FS: first, Lang: true})
	before := langsrc.Lookup("test/a")
	langsrc.Register(&langsrc.Source{Path: "test/a", Dir: "/elsewhere", FS: []fs.FS{two}})
	s := langsrc.Lookup("test/a")
	if s.Dir != "/src/a" || !s.Lang || len(s.FS) != 2 {
		t.Fatalf("%+v", s)
	}
	for i, name := range []string{"one.go", "two.go"} {
		if _, err := fs.Stat(s.FS[i], name); err != nil {
			t.Error(err)
		}
	}
	if len(before.FS) != 1 || len(first) != 1 {
		t.Error("the first registration has changed")
	}
}

// TestAll: every package once, in the order of the paths.
func TestAll(t *testing.T) {
	for _, path := range []string{"order/c", "order/a", "order/b", "order/a"} {
		langsrc.Register(&langsrc.Source{Path: path})
	}
	var got []string
	for _, s := range langsrc.All() {
		got = append(got, s.Path)
	}
	if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
		t.Errorf("%q", got)
	}
	for _, path := range []string{"order/a", "order/b", "order/c"} {
		if !slices.Contains(got, path) {
			t.Errorf("%s is not in %q", path, got)
		}
	}
}

// TestTarget: chains of aliases end at a package with source, or that is no alias; a circle ends where it began.
func TestTarget(t *testing.T) {
	langsrc.Register(&langsrc.Source{Path: "alias/source"})
	for path, of := range map[string]string{
		"alias/1": "alias/source", "alias/2": "alias/1", "alias/3": "alias/2",
		"alias/open": "alias/nowhere", "alias/x": "alias/y", "alias/y": "alias/z", "alias/z": "alias/x", "alias/self": "alias/self",
		"alias/source": "alias/other", // has source, so that the alias does not count
	} {
		langsrc.Alias(path, of)
	}
	for path, want := range map[string]string{
		"alias/source": "alias/source", "alias/1": "alias/source", "alias/2": "alias/source", "alias/3": "alias/source",
		"alias/open": "alias/nowhere", "alias/none": "alias/none",
		"alias/x": "alias/x", "alias/y": "alias/y", "alias/z": "alias/z", "alias/self": "alias/self",
	} {
		if got := langsrc.Target(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	langsrc.Alias("alias/1", "alias/late") // the last one counts
	if got := langsrc.Target("alias/3"); got != "alias/late" {
		t.Errorf("after another alias: %s", got)
	}
}

// TestTogether: packages may register while others look up. The race detector sees what is not locked; without it,
// concurrent writes to a map end the test.
func TestTogether(t *testing.T) {
	var all sync.WaitGroup
	for i := range 4 {
		for range 200 {
			path := "together/" + string(rune('a'+i))
			all.Go(func() { langsrc.Register(&langsrc.Source{Path: path, FS: []fs.FS{fstest.MapFS{}}}) })
			all.Go(func() { langsrc.Alias(path+"/alias", path) })
			all.Go(func() { langsrc.Lookup(path); langsrc.Target(path + "/alias"); langsrc.All() })
		}
	}
	all.Wait()
	for i := range 4 {
		if n := len(langsrc.Lookup("together/" + string(rune('a'+i))).FS); n != 200 {
			t.Errorf("package %d has %d file systems, want 200", i, n)
		}
	}
}
