// Package graphdump shows what becomes of a graph that a function of a Go package builds: it makes a program of the package, in
// which the function is called, and runs it. The program's source lies in an overlay of the go command, and nothing is written into
// the package's module.
package graphdump

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/cutile-go/cutile/internal/toolbox"
)

// Options are the choices of [Function].
type Options struct {
	Stages string    // names separated by commas, or all
	Folder string    // write each stage to a file there; "" prints them
	Out    io.Writer // for the stages, or the names of files
	Notes  io.Writer // for what the function prints
}

// stage is one of the things to show: a stage of package graph.
type stage struct{ name, ext string }

var stages = []stage{{"graph", ".graph.txt"}, {"fused", ".fused.txt"}, {"cost", ".cost.txt"}, {"ir", ".tileir.txt"}}

// Stages lists the names of the stages in the order in which they are shown.
func Stages() []string { return namesOf(stages) }

func namesOf(stages []stage) []string {
	names := make([]string, len(stages))
	for i, s := range stages {
		names[i] = s.name
	}
	return names
}

// Function shows the stages of the graph that a function of the package in a folder builds. The function may have type arguments.
func Function(ctx context.Context, folder, name string, o *Options) error {
	words, err := toolbox.StageWords(o.Stages, Stages())
	if err != nil {
		return err
	}
	picked := slices.DeleteFunc(slices.Clone(stages), func(s stage) bool {
		return !slices.Contains(words, toolbox.AllStages) && !slices.Contains(words, s.name)
	})
	f, err := find(ctx, folder, name)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "cutile-dump-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := f.run(ctx, temp, namesOf(picked), o.Notes); err != nil {
		return err
	}
	if o.Folder != "" {
		return f.files(temp, picked, o)
	}
	return toolbox.PrintStages(o.Out, namesOf(picked), func(i int) error {
		text, err := os.ReadFile(filepath.Join(temp, picked[i].name))
		if err == nil {
			_, err = o.Out.Write(text)
		}
		return err
	})
}

// files writes the stages to a folder, and names the files.
func (f *function) files(temp string, picked []stage, o *Options) error {
	if err := os.MkdirAll(o.Folder, 0o755); err != nil {
		return err
	}
	for _, s := range picked {
		text, err := os.ReadFile(filepath.Join(temp, s.name))
		if err != nil {
			return err
		}
		file := filepath.Join(o.Folder, toolbox.FileName(f.pkg+"."+f.name)+s.ext)
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
		fmt.Fprintln(o.Out, file)
	}
	return nil
}
