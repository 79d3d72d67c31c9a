package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// ask is the command ask.
func (p *program) ask(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("ask", flag.ContinueOnError)
	k := flags.Int("k", 5, "how many passages to print")
	rest, err := parse(flags, args, p.out, "search ask QUERY prints the passages that are closest to a query.\n")
	if err != nil {
		return err
	}
	query := strings.TrimSpace(strings.Join(rest, " "))
	switch {
	case query == "":
		return misuse("ask needs a query")
	case *k < 1:
		return misuse("-k must be at least 1, but is %d", *k)
	}
	dev, model, err := p.open()
	if err != nil {
		return err
	}
	defer dev.Close()
	x, err := loadIndex(dev, model, p.index)
	if err != nil {
		return err
	}
	start := time.Now()
	vectors, err := model.Encode(ctx, []string{query})
	if err != nil {
		return err
	}
	results, err := x.nearest(ctx, vectors, *k)
	if err != nil {
		return err
	}
	for i, r := range results[0] {
		fmt.Fprintf(p.out, "%d. %.3f  %s:%d", i+1, r.Score, r.Path, r.Line)
		if r.Heading != "" {
			fmt.Fprintf(p.out, "  %s", r.Heading)
		}
		fmt.Fprintln(p.out)
		wrap(p.out, r.Text, 100, "   ")
	}
	fmt.Fprintf(p.out, "%d passages, %.0f ms\n", len(x.items), time.Since(start).Seconds()*1000)
	return nil
}

// wrap prints words in lines of at most width characters behind an indentation.
func wrap(out io.Writer, text string, width int, indent string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			fmt.Fprintln(out, indent+line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	fmt.Fprintln(out, indent+line)
}
