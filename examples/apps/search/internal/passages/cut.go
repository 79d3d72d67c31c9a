package passages

import "strings"

// A Passage is a piece of a text.
type Passage struct {
	Line    int    `json:"line"`              // on which it begins, counted from 1
	Heading string `json:"heading,omitempty"` // the headings above it, joined by " › "
	Text    string `json:"text"`              // its sentences, with single spaces between words
}

// Embedded is what stands for the passage in an embedding: its headings and its text.
func (p Passage) Embedded() string {
	if p.Heading == "" {
		return p.Text
	}
	return p.Heading + "\n" + p.Text
}

// A Cutter cuts texts.
type Cutter struct {
	// Max is the size of a passage with its headings, in the units of Size: a sentence that is longer is cut between words.
	Max int
	// Size measures a text; the size of two texts that are joined is at most the sum of theirs.
	Size func(text string) (int, error)
}

// Cut cuts a text. markdown tells whether lines that begin with # are headings and fences keep code as it is.
func (c Cutter) Cut(text string, markdown bool) ([]Passage, error) {
	var out []Passage
	w := writer{Cutter: c, room: c.Max}
	for _, b := range blocks(text, markdown) {
		if b.heading != w.above {
			out = w.flush(out)
			if err := w.begin(b.heading); err != nil {
				return nil, err
			}
		}
		for i, s := range b.sentences() {
			if strings.TrimSpace(s.text) == "" {
				continue
			}
			var err error
			if out, err = w.add(out, s, i > 0); err != nil {
				return nil, err
			}
		}
	}
	return w.flush(out), nil
}

// A piece is a sentence, or a part of a long one, with its size.
type piece struct {
	line, size int
	text       string
}

// A writer collects pieces of a passage.
type writer struct {
	Cutter
	above   string // the headings of the text
	heading string // what is embedded of them
	room    int    // for pieces below this heading
	pieces  []piece
	size    int
}

// begin starts what is below headings. Of headings that would take more than half of a passage the last words stay, which are the
// closest to the text.
func (w *writer) begin(above string) error {
	w.above, w.heading, w.room = above, "", w.Max
	for heading := above; heading != ""; {
		n, err := w.Size(heading)
		if err != nil {
			return err
		}
		if 2*n <= w.Max {
			w.heading, w.room = heading, w.Max-n
			return nil
		}
		_, heading, _ = strings.Cut(heading, " ")
		heading = strings.TrimPrefix(heading, "› ")
	}
	return nil
}

// add adds a sentence; joined tells whether it continues the paragraph of the last one.
func (w *writer) add(out []Passage, s sentence, joined bool) ([]Passage, error) {
	parts, err := w.split(s)
	if err != nil {
		return nil, err
	}
	for i, p := range parts {
		if w.size+p.size > w.room {
			var last piece
			if n := len(w.pieces); n > 1 && joined && i == 0 {
				last = w.pieces[n-1]
			}
			out = w.flush(out)
			// The last sentence is repeated where that leaves room for something new.
			if last.text != "" && last.size+p.size <= w.room && 3*last.size <= w.room {
				w.pieces, w.size = append(w.pieces, last), last.size
			}
		}
		w.pieces, w.size = append(w.pieces, p), w.size+p.size
	}
	return out, nil
}

// split cuts a sentence that does not fit in a passage: in halves, between words if there are several, until all parts fit.
func (w *writer) split(s sentence) ([]piece, error) {
	n, err := w.Size(s.text)
	if err != nil {
		return nil, err
	}
	runes := []rune(s.text)
	if n <= w.room || len(runes) < 2 {
		return []piece{{s.line, n, s.text}}, nil
	}
	at := len(s.text) / 2
	if i := strings.LastIndexByte(s.text[:at], ' '); i > 0 {
		at = i + 1
	} else if i := strings.IndexByte(s.text, ' '); i > 0 && i+1 < len(s.text) {
		at = i + 1
	} else {
		at = len(string(runes[:len(runes)/2]))
	}
	left, err := w.split(sentence{s.line, s.text[:at]})
	if err != nil {
		return nil, err
	}
	right, err := w.split(sentence{s.line + strings.Count(s.text[:at], "\n"), s.text[at:]})
	return append(left, right...), err
}

// flush ends a passage.
func (w *writer) flush(out []Passage) []Passage {
	if len(w.pieces) > 0 {
		texts := make([]string, len(w.pieces))
		for i, p := range w.pieces {
			texts[i] = strings.Join(strings.Fields(p.text), " ")
		}
		out = append(out, Passage{w.pieces[0].line, w.heading, strings.Join(texts, " ")})
	}
	w.pieces, w.size = nil, 0
	return out
}
