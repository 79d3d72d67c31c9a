package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const coverProgram = "./cmd/cutile/testdata/cover"

// TestCover: the lines that the program says do not run are those that the report has, and no others.
func TestCover(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(coverProgram, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for i, line := range strings.Split(string(data), "\n") {
		if strings.HasSuffix(line, "// not run") {
			want[fmt.Sprint(i+1)] = true
		}
	}
	dir := t.TempDir()
	profile, page, records := filepath.Join(dir, "kernels.out"), filepath.Join(dir, "kernels.html"), filepath.Join(dir, "records")
	out := must(t, "cover", "-profile", profile, "-html", page, "-dir", records, "go", "run", coverProgram)
	got := map[string]bool{}
	for _, m := range regexp.MustCompile(`not run: (.*)`).FindAllStringSubmatch(out, -1) {
		for _, n := range strings.Split(m[1], ", ") {
			got[n] = true
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("not run are %v, want %v; the report is\n%s", got, want, out)
	}
	for _, line := range []string{`main\.go:20: +shapes +71\.4% `, `main\.go:83: +never +0\.0% `, `(?m)^68\.6% of 35 statements of kernels ran$`} {
		if !regexp.MustCompile(line).MatchString(out) {
			t.Errorf("the report has no %q:\n%s", line, out)
		}
	}
	if strings.Contains(out, "host") {
		t.Errorf("the report has functions of the host:\n%s", out)
	}
	text, err := os.ReadFile(profile)
	if lines := strings.Split(string(text), "\n"); err != nil || lines[0] != "mode: set" || strings.Count(string(text), " 1 0\n") != 11 || strings.Count(string(text), " 1 1\n") != 24 {
		t.Errorf("%v: the profile is\n%s", err, text)
	}
	text, err = os.ReadFile(page)
	if err != nil || !strings.Contains(string(text), "// not run") {
		t.Errorf("%v: the page has no source: %.300s", err, text)
	}
	if err := os.WriteFile(filepath.Join(records, "kernels-2.txt"), []byte("f example.com/other/k.go:1.2,3.4 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if all := must(t, "cover", "-all", "-dir", records); !strings.Contains(all, "example.com/other/k.go:1: ") {
		t.Errorf("with -all, there are no kernels of other modules:\n%s", all)
	}
	if again := must(t, "cover", "-dir", records); again != out {
		t.Errorf("the records give\n%s\nwhere the run gave\n%s", again, out)
	}
}

// TestCoverCute: functions of package cute do not count, nor do those that only they call.
func TestCoverCute(t *testing.T) {
	out := must(t, "cover", "go", "run", "./cmd/cutile/testdata/covercute/both")
	want := regexp.MustCompile(`^\S+main\.go:20: +double +100\.0%\n\S+main\.go:24: +shared +100\.0%\n100\.0% of 2 statements of kernels ran\n$`)
	if !want.MatchString(out) {
		t.Errorf("the report of a program with both is\n%s", out)
	}
	code, out, errs := cutile("cover", "go", "run", "./cmd/cutile/testdata/covercute/only")
	if code != exitOK || out != "" || errs != "no kernel of package tile was compiled for the CPU; functions of package cute do not count\n" {
		t.Errorf("the report of a program without kernels of package tile: exit code %d, %s%s", code, out, errs)
	}
}

// TestCoverErrors: commands that fail, and what has no records.
func TestCoverErrors(t *testing.T) {
	damaged := t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, "kernels-1.txt"), []byte("f a/b.go:1.2,3.4 1\nf a/b.go:1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	empty, missing := t.TempDir(), filepath.Join(t.TempDir(), "none", "x")
	file, made := filepath.Join(damaged, "kernels-1.txt"), filepath.Join(t.TempDir(), "none", "x")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"cover"}, exitUsage, "want a command, such as go test, or a folder of records (-dir)"},
		{[]string{"cover", "-html", "x.html"}, exitUsage, "want a command"},
		{[]string{"cover", "go", "run", "-x=maybe", coverProgram}, 2, "invalid boolean value"},
		{[]string{"cover", "no-such-command"}, exitFailed, "no-such-command"},
		{[]string{"cover", "-dir", damaged}, exitFailed, `kernels-1.txt:2: "f a/b.go:1" is no line of a record of coverage`},
		{[]string{"cover", "-dir", empty}, exitOK, "no kernel of package tile was compiled for the CPU"},
		{[]string{"cover", "-dir", missing}, exitFailed, "the folder of records (-dir): "},
		{[]string{"cover", "-dir", missing}, exitFailed, missing + ": no such file"},
		{[]string{"cover", "-dir", file}, exitFailed, "the folder of records (-dir): read " + file + ": it is not a folder"},
		{[]string{"cover", "-dir", filepath.Join(file, "x"), "go", "version"}, exitFailed, "the folder of records (-dir): mkdir " + file},
		{[]string{"cover", "-dir", made, "go", "version"}, exitOK, "no kernel of package tile was compiled for the CPU"},
		{[]string{"cover", "-dir", made}, exitOK, "no kernel of package tile was compiled for the CPU"},
		{[]string{"cover", "go", "version"}, exitOK, "no kernel of package tile was compiled for the CPU"},
	} {
		if code, out, errs := cutile(c.args...); code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit code %d, want %d; %s%s, want %q", c.args, code, c.code, out, errs, c.want)
		}
	}
}
