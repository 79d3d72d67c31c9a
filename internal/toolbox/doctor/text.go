package doctor

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/toolbox"
)

// Print writes the report for people.
func (r *Report) Print(w io.Writer) {
	var b strings.Builder
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "cutile\t%s\n", r.Cutile)
	fmt.Fprintf(tw, "go\t%s, %s, %s\n", r.Go, r.System, names.Plural(r.Cores, "core"))
	fmt.Fprintf(tw, "cpu engine\t%s\n", r.CPU)
	fmt.Fprintf(tw, "processor\t%s\n", r.Code.Processor)
	fmt.Fprintf(tw, "machine code\t%s\n", r.Code)
	if len(r.Code.Features) > 0 {
		fmt.Fprintf(tw, "\tuses %s\n", strings.Join(r.Code.Features, ", "))
	}
	fmt.Fprintf(tw, "gpu code\t%s\n", ownCompiler)
	fmt.Fprintf(tw, "cuda driver\t%s\n", r.Driver)
	said := ""
	for _, t := range r.Tools {
		line := t.line()
		if why := strings.ReplaceAll(line, strings.ToUpper(t.Name), ""); t.Path == "" && why == said {
			line = "missing, too"
		} else {
			said = why
		}
		fmt.Fprintf(tw, "%s\t%s\n", t.Name, line)
		for _, list := range []struct {
			of    string
			items []string
		}{{"reads bytecode", t.Bytecodes}, {"makes code for", t.Targets}} {
			if len(list.items) > 0 {
				fmt.Fprintf(tw, "\t%s %s\n", list.of, strings.Join(list.items, ", "))
			}
		}
	}
	for i, line := range r.Vulkan.lines() {
		fmt.Fprintf(tw, "%s\t%s\n", []string{"vulkan", ""}[min(i, 1)], line)
	}
	tw.Flush()
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	fmt.Fprintf(&b, "\n")
	for _, v := range r.Devices {
		b.WriteString(v.String())
	}
	fmt.Fprintf(&b, "\ncutile.Open(\"\") opens %s, as %s\n", r.Unasked, r.Reason)
	toolbox.PrintTrimmed(w, b.String())
}

// ownCompiler says what works without any of the tools that follow.
var ownCompiler = fmt.Sprintf("our own compiler makes PTX for %s and later, and SPIR-V for Vulkan; it needs none of NVIDIA's tools below", simt.Targets()[0].Name)

// String is one line.
func (d Driver) String() string {
	switch {
	case !d.Found:
		return "not found: " + d.Error
	case d.Error != "":
		return "found, but " + d.Error
	}
	return "found, supports CUDA " + d.CUDA
}

// line is a tool's version and path, or why there is none.
func (t Tool) line() string {
	if t.Path == "" {
		why := strings.TrimPrefix(t.Error, t.Name)
		return "missing" + strings.TrimPrefix(why, " not found")
	}
	if t.Error != "" {
		return fmt.Sprintf("does not work: %s (%s)", t.Error, t.Where)
	}
	return fmt.Sprintf("%s, %s (%s)", t.Version, t.Path, t.Where)
}

// String is the verdict, and what to do on a line of its own.
func (v Verdict) String() string {
	word := "yes"
	if !v.Runs {
		word = "NO"
	}
	s := fmt.Sprintf("%s: %s\n  kernels run on it: %s, because %s\n", v.Device, v.Model, word, v.Because)
	if v.Do != "" {
		s += "  what to do: " + v.Do + "\n"
	}
	return s
}
