// Command peers compares package onnx with ONNX Runtime and with GoMLX's back end in Go, on models that pip installs: how much each
// handles in a second, how long it takes to the first result, and how much memory it needs. See docs/benchmarks.md.
//
//	go run . -python PYTHON [-rounds N] [-only REGEXP] FOLDER
//
// FOLDER has what ../testdata/reference.py writes. Each peer is a process of its own; they run in turn, for about a fifth of a
// second each, in every round, and each line gives the medians.
package main

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/onnx"
	"github.com/cutile-go/cutile/onnx/peers/cases"
)

func main() {
	if len(os.Args) == 5 && os.Args[1] == "serve" {
		exit(serve(os.Args[2], os.Args[3], os.Args[4]))
	}
	python := flag.String("python", "python3", "a Python with onnxruntime and numpy")
	rounds := flag.Int("rounds", 5, "how often each peer runs")
	only := flag.String("only", "", "a regular expression for the names of models")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	exit(compare(flag.Arg(0), *python, *rounds, *only))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// compare prints a table.
func compare(folder, python string, rounds int, only string) error {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	all, err := cases.Read(folder)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	gomlx := filepath.Join(filepath.Dir(self), "gomlx-peer")
	if out, err := exec.Command("go", "build", "-o", gomlx, "./gomlx").CombinedOutput(); err != nil {
		return fmt.Errorf("building the peer of GoMLX: %w\n%s", err, out)
	}
	defer os.Remove(gomlx)
	fmt.Printf("%-24s %-17s %31s %31s %10s %21s %21s\n", "", "", "1 thread, a second", "2 threads, a second", "GoMLX", "first result, s", "memory, MB")
	fmt.Printf("%-24s %-17s %9s %9s %11s %9s %9s %11s %10s %10s %10s %10s %10s\n", "model", "unit", "cutile", "ORT", "ratio", "cutile", "ORT", "ratio", "ratio", "cutile", "ORT", "cutile", "ORT")
	var refused []string
	for i, c := range all {
		if !wanted.MatchString(c.Model) {
			continue
		}
		n := strconv.Itoa(i)
		peers := []*peer{
			{args: []string{self, "serve", folder, n, "1"}}, {args: []string{python, "serve.py", folder, n, "1"}},
			{args: []string{self, "serve", folder, n, "2"}}, {args: []string{python, "serve.py", folder, n, "2"}},
			{args: []string{gomlx, folder, n}},
		}
		if err := measure(peers, rounds); err != nil {
			return fmt.Errorf("%s: %w", c.Model, err)
		}
		ours1, ort1, ours2, ort2, go2 := peers[0], peers[1], peers[2], peers[3], peers[4]
		beside := "-"
		if go2.failed == nil {
			beside = fmt.Sprintf("%.0f", go2.median()/ours2.median())
		} else {
			refused = append(refused, fmt.Sprintf("GoMLX refuses %s: %s", c.Model, cause(go2.failed)))
		}
		fmt.Printf("%-24s %-17s %9.4g %9.4g %11.2f %9.4g %9.4g %11.2f %10s %10.2f %10.2f %10d %10d\n", c.Model, c.Unit,
			c.Amount/ours1.median(), c.Amount/ort1.median(), ort1.median()/ours1.median(),
			c.Amount/ours2.median(), c.Amount/ort2.median(), ort2.median()/ours2.median(), beside,
			ours2.first.Seconds(), ort2.first.Seconds(), ours2.memory>>20, ort2.memory>>20)
	}
	for _, line := range slices.Compact(refused) {
		fmt.Println(line)
	}
	info, err := os.Stat(self)
	if err == nil {
		fmt.Printf("this program has %.1f MB\n", float64(info.Size())/1e6)
	}
	return err
}

// cause is the first line of a message.
func cause(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line[:min(len(line), 200)]
}

// serve runs a case with package onnx.
func serve(folder, number, workers string) error {
	all, err := cases.Read(folder)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	threads, err := strconv.Atoi(workers)
	if err != nil {
		return err
	}
	dev, err := cutile.Open("cpu", device.WithWorkers(threads))
	if err != nil {
		return err
	}
	defer dev.Close()
	c := &all[n]
	model, err := onnx.ReadFile(c.File)
	if err != nil {
		return err
	}
	session, err := model.Session(dev, &onnx.Options{Known: c.Known})
	if err != nil {
		return err
	}
	inputs := map[string]device.AnyTensor{}
	for name, a := range c.Inputs {
		if inputs[name], err = tensor(dev, folder, a); err != nil {
			return fmt.Errorf("input %s: %w", name, err)
		}
	}
	ctx := context.Background()
	return cases.Serve(func() error {
		out, err := session.Run(ctx, inputs)
		if err != nil {
			return err
		}
		for _, t := range out {
			if err := read(t); err != nil {
				return err
			}
		}
		return nil
	}, os.Stdin, os.Stdout)
}

// read copies a result to the program, as ONNX Runtime's are there.
func read(t device.AnyTensor) error {
	defer t.Close()
	switch t := t.(type) {
	case *cutile.Tensor[float32]:
		_, err := t.Slice()
		return err
	case *cutile.Tensor[int64]:
		_, err := t.Slice()
		return err
	}
	return fmt.Errorf("a result of %v", t.DType())
}

// tensor reads an input.
func tensor(dev *cutile.Device, folder string, a cases.Array) (device.AnyTensor, error) {
	data, err := a.Bytes(folder)
	if err != nil {
		return nil, err
	}
	switch a.Elem {
	case "float32":
		return made(dev, data, 4, a.Shape, func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) })
	case "int64":
		return made(dev, data, 8, a.Shape, func(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) })
	case "int32":
		return made(dev, data, 4, a.Shape, func(b []byte) int32 { return int32(binary.LittleEndian.Uint32(b)) })
	}
	return nil, fmt.Errorf("elements of %s", a.Elem)
}
