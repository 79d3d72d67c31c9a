package toolbox

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// AllStages is the word that stands for all stages.
const AllStages = "all"

// StageWords reads the flag -stage: words separated by commas, which are known ones or all.
func StageWords(text string, known []string) ([]string, error) {
	words := strings.Split(text, ",")
	for _, w := range words {
		if w != AllStages && !slices.Contains(known, w) {
			return nil, Usagef("-stage: %q is not one of %s and %s", w, strings.Join(known, ", "), AllStages)
		}
	}
	return words, nil
}

// PrintStages prints stages, each below its name where there are several.
func PrintStages(w io.Writer, stages []string, show func(i int) error) error {
	for i, s := range stages {
		if len(stages) > 1 {
			if i > 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprintf(w, "==== %s ====\n\n", s)
		}
		if err := show(i); err != nil {
			return err
		}
	}
	return nil
}

// FileName spells the name of a kernel or function so that every file system and shell takes it.
func FileName(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '.' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') {
			return r
		}
		if r == ' ' {
			return -1
		}
		return '_'
	}, name), "_")
}
