package x86_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/x86"
)

// noted is a function that loads more vectors than there are registers, and then adds them up, with a note for each load and
// another one for the sums.
func noted() *vec.Func {
	b := vec.NewBuilder("noted")
	at := b.Arg(0)
	var loaded []vec.Reg
	for i := range 40 {
		b.Note = int32(i + 1)
		loaded = append(loaded, b.Load(vec.F32, vec.Mem{Base: at, Disp: int32(64 * i)}, 0))
	}
	b.Note = 41
	sum := loaded[0]
	for _, x := range loaded[1:] {
		sum = b.Do(vec.FAdd, vec.F32, sum, x)
	}
	b.Store(vec.F32, vec.Mem{Base: at}, sum, 0)
	b.Source = func(note int32) string { return fmt.Sprint("source ", note) }
	return b.Finish().Tidy()
}

// TestListing: the listing says once of each instruction of a function which code it became, what is kept in memory included,
// and of each note where it begins.
func TestListing(t *testing.T) {
	for _, level := range []host.Level{host.LevelAVX2, host.LevelAVX512} {
		c, err := x86.New(level)
		if err != nil {
			t.Fatal(err)
		}
		c.Record()
		f := noted()
		if _, err := c.Add(f); err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.Finish(); err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		spilled, below := 0, ""
		for _, l := range c.Listing() {
			remark, ok := strings.CutPrefix(l.Text, "# ")
			switch {
			case ok:
				count[remark]++
				below = remark
			case strings.Contains(l.Text, "[rdi+") && strings.Contains(below, "fadd"):
				spilled++
			}
		}
		for i := range f.Body {
			if text := f.Text(&f.Body[i]); count[text] != 1 {
				t.Errorf("%v: %s is named %d times", level, text, count[text])
			}
		}
		for note := range int32(41) {
			if text := f.Source(note + 1); count[text] != 1 {
				t.Errorf("%v: %s is named %d times", level, text, count[text])
			}
		}
		if spilled == 0 {
			t.Errorf("%v: no sum takes a vector from the frame", level)
		}
	}
}
