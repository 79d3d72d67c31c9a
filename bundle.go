package cutile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/tilec/compile"
)

// addFacts adds the kernel's name and what the launch found out about its arguments to the folder that the engine made for a
// failed assembly, if there is one.
func addFacts(err error, k *compile.Kernel, facts *compile.Facts) error {
	var e engine.Bundled
	if !errors.As(err, &e) || e.Folder() == "" {
		return err
	}
	if failed := os.WriteFile(filepath.Join(e.Folder(), "facts.txt"), []byte(factsText(k, facts)), 0o644); failed != nil {
		return errors.Join(err, failed)
	}
	return err
}

// factsText says what a kernel was compiled for.
func factsText(k *compile.Kernel, facts *compile.Facts) string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s\nextents or strides of more than 32 bits: %v\nproof: %s\n", k.Name(), facts.Wide, facts.Proof)
	for i, a := range facts.Args {
		fmt.Fprintf(&b, "argument %d: base a multiple of 16: %v, axes as bits: extents a multiple of 16 %b, strides a multiple of 16 bytes %b, strides of 1 %b\n",
			i, a.Align16, a.Extent16, a.Stride16, a.Unit)
	}
	return b.String()
}
