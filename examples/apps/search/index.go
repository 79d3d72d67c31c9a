package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cutile-go/cutile/examples/apps/search/internal/indexer"
	"github.com/cutile-go/cutile/examples/apps/search/internal/store"
	"github.com/schollz/progressbar/v3"
)

// indexFolder is the command index.
func (p *program) indexFolder(ctx context.Context, args []string) error {
	rest, err := parse(flag.NewFlagSet("index", flag.ContinueOnError), args, p.out, "search index [FOLDER] indexes the .txt and .md files of a folder.\n")
	if err != nil {
		return err
	}
	if len(rest) > 1 {
		return misuse("index takes one folder, but there are %d", len(rest))
	}
	files, folder := corpus(), corpusName
	if len(rest) == 1 {
		if files, folder, err = openFolder(rest[0]); err != nil {
			return err
		}
	}
	dev, model, err := p.open()
	if err != nil {
		return err
	}
	defer dev.Close()
	index, err := store.Create(p.index, store.Head{Model: model.Identity(), Dim: model.Dim(), Folder: folder})
	if err != nil {
		return err
	}
	defer index.Close()
	fmt.Fprintf(p.out, "indexing %s on %s\n", folder, dev.Name())
	bar := &progress{out: p.err}
	report, err := indexer.Update(ctx, model, files, index, bar)
	bar.finish()
	if ctx.Err() != nil {
		return fmt.Errorf("stopped after %d files with %d passages, which are in %s: the same command continues there", report.Written, report.Found, p.index)
	} else if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%d files: %d new, %d changed, %d removed, %d skipped; %d passages, of which %d were embedded%s\n%s\n", report.Files,
		report.Added, report.Changed, report.Removed, report.Skipped, report.Passages, report.Embedded, bar.rate(), p.index)
	return nil
}

// openFolder gives a folder and its absolute name, by which an index knows it.
func openFolder(name string) (fs.FS, string, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, "", err
	}
	if info, err := os.Stat(path); err != nil {
		return nil, "", err
	} else if !info.IsDir() {
		return nil, "", exit{2, fmt.Errorf("%s is a file: give the folder that has it", name)}
	}
	return os.DirFS(path), path, nil
}

// A progress shows how far indexing is: a bar of the bytes of files, and the passages in each second.
type progress struct {
	out      io.Writer
	bar      *progressbar.ProgressBar
	start    time.Time
	passages int
}

func (p *progress) Start(bytes int64) {
	p.start = time.Now()
	if bytes > 0 {
		p.bar = progressbar.NewOptions64(bytes, progressbar.OptionSetWriter(p.out), progressbar.OptionShowBytes(true), progressbar.OptionFullWidth(),
			progressbar.OptionSetDescription("indexing"), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetPredictTime(true))
	}
}

func (p *progress) Embedded(n int, bytes int64) {
	p.passages += n
	if p.bar != nil {
		p.bar.Describe(fmt.Sprintf("%d passages, %.0f/s", p.passages, p.perSecond()))
		p.bar.Add64(bytes)
	}
}

func (p *progress) Skipped(path, reason string) {
	fmt.Fprintf(p.out, "not indexed: %s: %s\n", path, reason)
}

func (p *progress) finish() {
	if p.bar != nil {
		p.bar.Exit()
		fmt.Fprintln(p.out)
	}
}

func (p *progress) perSecond() float64 { return float64(p.passages) / time.Since(p.start).Seconds() }

// rate says how fast it was, where there was something to embed.
func (p *progress) rate() string {
	if p.passages == 0 {
		return ""
	}
	return fmt.Sprintf(" in %.1f s, %.1f/s", time.Since(p.start).Seconds(), p.perSecond())
}
