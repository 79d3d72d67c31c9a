package dialecttest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// suite lists the files of the suite.
func suite(t *testing.T, root string) (files []string) {
	for _, dir := range []string{"test/Dialect", "test/Bytecode"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".mlir") {
				rel, _ := filepath.Rel(filepath.Join(root, "test"), path)
				files = append(files, filepath.ToSlash(rel))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestDialect runs the suite that CUTILE_DIALECT names, a checkout of NVIDIA/cuda-tile, and prints how many of its parts
// passed, failed and were left out (excluded.txt says why).
func TestDialect(t *testing.T) {
	root := os.Getenv("CUTILE_DIALECT")
	if root == "" {
		t.Skip("CUTILE_DIALECT names no checkout of NVIDIA/cuda-tile")
	}
	rs, err := readReasons()
	if err != nil {
		t.Fatal(err)
	}
	excluded, err := readExcluded()
	if err != nil {
		t.Fatal(err)
	}
	passed, failed, left, wrong := 0, 0, 0, 0
	count := func(name string, judge func() string) {
		if excluded[name] != "" {
			delete(excluded, name)
			left++
		} else if what := judge(); what != "" {
			failed++
			t.Errorf("%s: %s", name, what)
		} else {
			passed++
		}
	}
	for _, file := range suite(t, root) {
		ps, err := parts(filepath.Join(root, "test"), file)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range ps {
			for _, f := range fixtures(p) {
				count(f.name(), func() string { return f.judge(filepath.Join(root, "test"), rs) })
			}
			if p.empty() {
				continue
			}
			if len(p.expects) > 0 {
				wrong++
			}
			count(p.name(), func() string { return p.judge(rs) })
		}
	}
	for name := range excluded {
		t.Errorf("excluded.txt: there is no part %s", name)
	}
	for _, r := range rs.rows {
		if !r.used {
			t.Errorf("reasons.txt: nothing in the suite has the reason %s", r.theirs)
		}
	}
	t.Logf("%d passed, %d failed, %d excluded; %d of them expect a fault", passed, failed, left, wrong)
}
