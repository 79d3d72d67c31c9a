package isel

import (
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// Annotate is emit for a listing: before the instructions that come from another instruction of the function than the ones
// before, note gets the text of that instruction, and where its source is another one, first the name of the source.
// A function without sources is listed without remarks.
func Annotate(f *vec.Func, note func(text string), emit func(in *mach.Instr)) func(in *mach.Instr) {
	if f.Source == nil {
		return emit
	}
	line, source := int32(-1), int32(0)
	return func(in *mach.Instr) {
		if in.Line != line && int(in.Line) < len(f.Body) {
			line = in.Line
			from := &f.Body[line]
			if from.Note != source {
				source = from.Note
				note(f.Source(source))
			}
			note(f.Text(from))
		}
		emit(in)
	}
}
