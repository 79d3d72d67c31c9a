package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/examples/seeds/s1/launchers"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tileir"
)

// listing is one of the seed's listings: a program shows it, or a sentence says why Go does not have it.
type listing struct {
	title string // the section of the seed, and the subject
	show  func(w io.Writer) error
	why   string
}

var listings = []listing{
	{"Registry: what a module emits", registered, ""},
	{"Re-exports: a module under another path", nil, "The program consists of modules of its own in testdata/modules, which the test builds and runs."},
	{"Re-exports: the alias entry", nil, "The call of cutile.Alias is in testdata/modules/activation, which the test builds and runs."},
	{"Rank instances: the source and what becomes of it", instances, ""},
	{"Shadow dispatch: the source of addf and what becomes of it", everyRank, ""},
	{"Shadow dispatch: a kernel that calls addf", marked, ""},
	{"Debugging: backtraces", nil, "No generator runs inside the Go compiler and could panic there; the kernel compiler shows its stack with CUTILE_DEBUG=backtrace."},
	{"Debugging: saved launchers", launched, ""},
	{"Debugging: what is emitted for a module", nil, "Only launchers are generated, and cutile gen -print shows them."},
	{"Testing", nil, "The generator has its own test, like every package: go test ./internal/gen/tilegen."},
}

// registered shows that the compiler reads this package's source, by an error that quotes it.
func registered(w io.Writer) error {
	err := cutile.Export(context.Background(), "unused", []string{"13.2"}, lateMark, cutile.SpecOf[float32](2), 1, cutile.SpecOf[float32](2))
	if err == nil {
		return fmt.Errorf("the kernel compiles")
	}
	var wrong *cutile.Error
	if !errors.As(err, &wrong) {
		return err
	}
	_, text, _ := strings.Cut(err.Error(), "\n") // below the message, the line of source
	fmt.Fprintf(w, "   %s:%d:%d: %s\n%s\n", filepath.Base(wrong.Pos.Filename), wrong.Pos.Line, wrong.Pos.Column, wrong.Message, text)
	return nil
}

// instances prints the type of each rank.
func instances(w io.Writer) error {
	for rank, x := range types {
		fmt.Fprintf(w, "   rank %d: %s\n", rank, strings.ReplaceAll(reflect.TypeOf(x).String(), "github.com/cutile-go/cutile/", ""))
	}
	return nil
}

// everyRank compiles and runs the addition at each rank.
func everyRank(w io.Writer) error {
	for rank := range ranks {
		m, err := module(ranks[rank], specs(rank)...)
		if err != nil {
			return err
		}
		sum, err := result(rank)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "   rank %d: %s, %v\n", rank, additions(m), sum)
	}
	return nil
}

func marked(w io.Writer) error {
	s := cutile.SpecOf[float32](2, 2)
	m, err := module(matrices[d2, d2], s, s, s)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "   %s\n", additions(m))
	return nil
}

// launched calls a launcher that cutile gen wrote.
func launched(w io.Writer) error {
	return onCPU(func(dev *cutile.Device) error {
		x, err := cutile.FromSlice(dev, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
		if err != nil {
			return err
		}
		z, err := cutile.NewTensor[float32](dev, 2, 3)
		if err != nil {
			return err
		}
		if err := launchers.LaunchAdd[tile.D2, tile.D4](context.Background(), dev, x, x, z); err != nil {
			return err
		}
		sum, err := z.Slice()
		fmt.Fprintf(w, "   %v\n", sum)
		return err
	})
}

// additions shows the operations addf of a kernel.
func additions(m *tileir.Module) string {
	var out []string
	for _, o := range m.Entries[0].Body.Ops {
		if o.Info.Mnemonic == "addf" {
			out = append(out, fmt.Sprintf("addf of %v, rounding %v, flush %v", o.Results[0].Type, tileir.Int(o.Int("rounding_mode")), o.Int("flush_to_zero") != 0))
		}
	}
	return strings.Join(out, "; ")
}
