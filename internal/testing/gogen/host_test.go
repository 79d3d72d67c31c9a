package gogen_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/cutile-go/cutile/internal/testing/gogen"
)

// hostMain runs every program for every row: it writes a byte that is 1 for a program that ended well, and its results.
// One that takes too long is left behind.
const hostMain = `package main

import (
	"math"
	"os"
	"time"
)

type out struct{ b []byte }

func (o *out) put(x uint64) {
	for i := 0; i < 64; i += 8 {
		o.b = append(o.b, byte(x>>i))
	}
}

func (o *out) f32(x float32) {
	if x != x {
		o.put(0x7fc00000)
		return
	}
	o.put(uint64(math.Float32bits(x)))
}

func (o *out) f64(x float64) {
	if x != x {
		o.put(0x7ff8000000000000)
		return
	}
	o.put(math.Float64bits(x))
}

func run(f func(o *out), size int) {
	done := make(chan []byte, 1)
	go func() {
		o := &out{}
		defer func() {
			if recover() != nil {
				o.b = nil
			}
			done <- o.b
		}()
		f(o)
	}()
	var b []byte
	select {
	case b = <-done:
	case <-time.After(2 * time.Second):
	}
	ok := []byte{0}
	if len(b) == size {
		ok[0] = 1
	} else {
		b = make([]byte, size)
	}
	os.Stdout.Write(append(ok, b...))
}

func main() {
`

// hostText is the file of a program: it calls the entry for each row.
func hostText(u unit) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\n%s\n", plain(u.p.Text(u.n)))
	var fields []string
	for i, typ := range u.p.Params[1:] {
		fields = append(fields, fmt.Sprintf("a%d %s", i, typ))
	}
	fmt.Fprintf(&b, "func run%d(o *out) {\n\tfor _, t := range []struct{ %s }{\n", u.n, strings.Join(fields, "; "))
	for _, tuple := range u.p.Tuples {
		fmt.Fprintf(&b, "\t\t{%s},\n", names(len(tuple), func(i int) string { return literal(u.p.Params[i+1], tuple[i]) }))
	}
	fmt.Fprintf(&b, "\t} {\n\t\tfor lane := range %d {\n\t\t\t%s := %s(lane, %s)\n", gogen.Lanes,
		names(len(u.p.Results), func(i int) string { return fmt.Sprintf("r%d", i) }), gogen.Entry(u.n),
		names(len(u.p.Params)-1, func(i int) string { return fmt.Sprintf("t.a%d", i) }))
	for i, typ := range u.p.Results {
		switch typ {
		case "float32":
			fmt.Fprintf(&b, "\t\t\to.f32(r%d)\n", i)
		case "float64":
			fmt.Fprintf(&b, "\t\t\to.f64(r%d)\n", i)
		default:
			fmt.Fprintf(&b, "\t\t\to.put(uint64(%s(r%d)))\n", "u"+strings.TrimPrefix(typ, "u"), i)
		}
	}
	b.WriteString("\t\t}\n\t}\n}\n")
	return b.String()
}

// onHost builds the programs with the Go compiler and runs them: nil for one that panics or does not end.
func onHost(dir string, units []unit) ([]results, error) {
	files := map[string]string{"go.mod": "module judged\n\ngo 1.25\n", "prelude.go": "package main\n\n" + gogen.Prelude(true)}
	var main strings.Builder
	main.WriteString(hostMain)
	for _, u := range units {
		files[fmt.Sprintf("p%d.go", u.n)] = hostText(u)
		fmt.Fprintf(&main, "\trun(run%d, %d)\n", u.n, 8*rows*len(u.p.Results))
	}
	main.WriteString("}\n")
	files["main.go"] = main.String()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	// Go may fuse a product and a sum on some machines: not here.
	args := []string{"build", "-ldflags=-s -w", "-o", "judged.exe"}
	if runtime.GOARCH != "amd64" {
		args = append(args, "-gcflags=all=-d=fmahash=n")
	}
	build := exec.Command("go", append(args, ".")...)
	build.Dir = dir
	build.Env = append(os.Environ(), "GOAMD64=v1", "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %v\n%s", err, text)
	}
	var out, stderr bytes.Buffer
	run := exec.Command(filepath.Join(dir, "judged.exe"))
	run.Stdout, run.Stderr = &out, &stderr
	run.WaitDelay = 10 * time.Minute
	if err := run.Run(); err != nil {
		return nil, fmt.Errorf("the programs on the host: %v\n%s", err, stderr.String())
	}
	data := out.Bytes()
	all := make([]results, len(units))
	for i, u := range units {
		ok := data[0] == 1
		data = data[1:]
		var r results
		for range rows {
			row := make([]uint64, len(u.p.Results))
			for k := range row {
				row[k] = binary.LittleEndian.Uint64(data)
				data = data[8:]
			}
			r = append(r, row)
		}
		if ok {
			all[i] = r
		}
	}
	return all, nil
}
