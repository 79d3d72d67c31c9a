package compile

import (
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/internal/langsrc"
	"github.com/cutile-go/cutile/internal/tools/bundle"
)

// AllFacts are what a launch finds of a contiguous tensor whose extents are multiples of 16: the last stride is 1, so it
// is no multiple of 16 bytes itself.
func (p *Param) AllFacts() ArgFacts {
	switch {
	case p.Kind.View():
		last := uint8(1 << len(p.Tile) >> 1)
		all := uint8(1<<len(p.Tile) - 1)
		return ArgFacts{Align16: true, Extent16: all, Stride16: all &^ last, Unit: last}
	case p.Kind == Ptr:
		return ArgFacts{Align16: true}
	}
	return ArgFacts{}
}

// Words say what is promised about an argument, as the option -facts of cutile dump reads it.
func (a *ArgFacts) Words(p *Param) string {
	if *a == p.AllFacts() {
		return "all"
	}
	var out []string
	if a.Align16 {
		out = append(out, "align")
	}
	for _, m := range []struct {
		word string
		mask uint8
	}{{"extent", a.Extent16}, {"stride", a.Stride16}, {"unit", a.Unit}} {
		for axis := range p.Tile {
			if m.mask>>axis&1 == 1 {
				out = append(out, fmt.Sprintf("%s.%d", m.word, axis))
			}
		}
	}
	if out == nil {
		return "none"
	}
	return strings.Join(out, "+")
}

// FactsFile is the name of a file with [Kernel.FactsText].
const FactsFile = "facts.txt"

// FactsText says what a kernel was compiled for, and which command compiles it so.
func (k *Kernel) FactsText(f *Facts) string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s\nextents or strides of more than 32 bits: %v\nproof: %s\n", k.name, f.Wide, f.Proof)
	for i, a := range f.Args {
		fmt.Fprintf(&b, "argument %d: base a multiple of 16: %v, axes as bits: extents a multiple of 16 %b, strides a multiple of 16 bytes %b, strides of 1 %b\n",
			i, a.Align16, a.Extent16, a.Stride16, a.Unit)
	}
	if command := k.dump(f); command != "" {
		fmt.Fprintf(&b, "compiled without a proof by: %s\n", command)
	}
	return b.String()
}

// dump is the command that compiles the kernel for these facts, in the folder in which its package was compiled; "" where a function has no
// name.
func (k *Kernel) dump(f *Facts) string {
	src := langsrc.Lookup(k.ref.Root.Path)
	if k.ref.Lit != nil || src == nil {
		return ""
	}
	facts := []string{"none"}
	if f.Wide {
		facts = append(facts, "wide")
	}
	words := []string{"cutile dump -stage ir"}
	for i := range min(len(f.Args), len(k.params)) {
		a, p := &f.Args[i], &k.params[i]
		switch {
		case a.Func != nil && (a.Func.ref.Lit != nil || a.Func.ref.Root.Path != k.ref.Root.Path):
			return ""
		case a.Func != nil:
			words = append(words, "-func "+bundle.Quote(p.Name+"="+a.Func.ref.Root.Name))
		case *a != ArgFacts{}:
			facts = append(facts, p.Name+"="+a.Words(p))
		}
	}
	return strings.Join(append(words, "-facts", bundle.Quote(strings.Join(facts, ",")), bundle.Quote(src.Dir), bundle.Quote(k.name)), " ")
}

// sources are the Go files of the kernel's package and of those of its function arguments, as they are in the program.
func (k *Kernel) sources(f *Facts) map[string][]byte {
	paths := []string{k.ref.Root.Path}
	for _, a := range f.Args {
		if a.Func != nil {
			paths = append(paths, a.Func.ref.Root.Path)
		}
	}
	return bundle.Sources(paths...)
}

// AddTo adds the source and the facts to the folder of a fault.
func (k *Kernel) AddTo(folder string, f *Facts) error {
	files := k.sources(f)
	files[FactsFile] = []byte(k.FactsText(f))
	return bundle.AddAll(folder, files)
}
