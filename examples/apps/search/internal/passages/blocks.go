package passages

import "strings"

// A block is a paragraph, or code between fences, with the headings above it.
type block struct {
	line    int
	heading string
	text    string // its lines
	code    bool
}

// A scanner collects the lines of a block.
type scanner struct {
	blocks []block
	titles []string // of each level, those that apply; empty where a level is left out
	fence  string   // with which code began; empty outside of code
	lines  []string
	start  int // the line of lines[0]
}

// blocks divides a text into blocks, between which lines are empty, or headings and fences of Markdown.
func blocks(text string, markdown bool) []block {
	var s scanner
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff")
	for i, line := range strings.Split(text, "\n") {
		switch {
		case s.fence != "":
			if f := fence(line); strings.HasPrefix(f, s.fence) && strings.TrimSpace(line) == f {
				s.flush()
				s.fence = ""
			} else {
				s.keep(i+1, line)
			}
		case markdown && fence(line) != "":
			s.flush()
			s.fence = fence(line)
		case markdown && level(line) > 0:
			s.flush()
			s.title(level(line), line)
		case strings.TrimSpace(line) == "":
			s.flush()
		default:
			s.keep(i+1, line)
		}
	}
	s.flush()
	return s.blocks
}

func (s *scanner) keep(at int, line string) {
	if len(s.lines) == 0 {
		s.start = at
	}
	s.lines = append(s.lines, line)
}

func (s *scanner) flush() {
	if text := strings.Join(s.lines, "\n"); strings.TrimSpace(text) != "" {
		s.blocks = append(s.blocks, block{s.start, s.heading(), text, s.fence != ""})
	}
	s.lines = nil
}

func (s *scanner) heading() string {
	var titles []string
	for _, t := range s.titles {
		if t != "" {
			titles = append(titles, t)
		}
	}
	return strings.Join(titles, " › ")
}

// longest is how many characters of a heading count.
const longest = 200

// title replaces the heading of a level, and ends those of deeper ones.
func (s *scanner) title(level int, line string) {
	for len(s.titles) < level {
		s.titles = append(s.titles, "")
	}
	text := strings.TrimRight(strings.TrimSpace(line)[level:], "# \t")
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest])
	}
	s.titles = append(s.titles[:level-1], strings.Join(strings.Fields(text), " "))
}

// fence gives the marks with which a line begins or ends code in Markdown: three or more ` or ~.
func fence(line string) string {
	line = strings.TrimLeft(line, " \t")
	for _, mark := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// level gives the level of a heading of Markdown, 1 to 6, or 0 for another line.
func level(line string) int {
	line = strings.TrimRight(line, " \t")
	text := strings.TrimLeft(line, "#")
	if n := len(line) - len(text); n >= 1 && n <= 6 && strings.HasPrefix(text, " ") {
		return n
	}
	return 0
}
