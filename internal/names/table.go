package names

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table prints a table with a title and an empty line before it, whose columns after the first are aligned to the right. rows[0] are the heads.
// Columns in which nothing stands are left out, and so is a table without rows.
func Table(w io.Writer, title string, rows [][]string) {
	if len(rows) < 2 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", title)
	width := make([]int, len(rows[0]))
	for _, row := range rows[1:] {
		for i, cell := range row {
			if cell != "" {
				width[i] = max(width[i], utf8.RuneCountInString(cell), utf8.RuneCountInString(rows[0][i]))
			}
		}
	}
	for _, row := range rows {
		line := fmt.Sprintf("  %-*s", width[0], row[0])
		for i, cell := range row[1:] {
			if width[i+1] > 0 {
				line += fmt.Sprintf("  %*s", width[i+1], cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}
