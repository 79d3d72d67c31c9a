package nest

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/tileir"
)

// weight is the cost of an operation that is more than an instruction or two, for float64 and for all else.
type weight struct{ other, double int }

var weights = map[int]weight{
	tileir.OpDivF: {8, 16}, tileir.OpSqrt: {8, 30}, tileir.OpRsqrt: {10, 120}, tileir.OpExp: {12, 210}, tileir.OpExp2: {12, 200},
	tileir.OpLog: {15, 280}, tileir.OpLog2: {15, 290}, tileir.OpSin: {20, 250}, tileir.OpCos: {20, 250}, tileir.OpTan: {30, 280},
	tileir.OpSinH: {25, 260}, tileir.OpCosH: {25, 240}, tileir.OpTanH: {20, 300}, tileir.OpFPowF: {40, 600},
	tileir.OpScan: {12, 12}, tileir.OpDivI: {15, 15}, tileir.OpRemI: {16, 16},
	tileir.OpLoadPtrTko: {24, 24},
}

// Weight is about how many instructions an operation takes for a vector.
func Weight(op *tileir.Op) int {
	w := weights[op.Info.Opcode]
	if len(op.Results) > 0 {
		if t := lane.TileOf(op.Results[0]); t != nil && !t.Pointer && t.Elem == tileir.F64 {
			return max(1, w.double)
		}
	}
	return max(1, w.other)
}

// Work is about how many instructions the segment takes for a vector of elements.
func (s *Segment) Work() (n int) {
	for i := range s.Steps {
		switch st := &s.Steps[i]; {
		case st.Kind == Reduce:
			for _, op := range st.Op.Regions[0].Ops {
				n += Weight(op)
			}
		case st.Kind >= Lanes:
			n += Weight(st.Op)
		}
	}
	return n
}

// lightWork is the most work of a segment that takes about as long as its memory.
const lightWork = 48

// PerCall is how many units of the segment's work, see [Segment.Units], take as long as so many elements of light work.
func (s *Segment) PerCall(elems int) int {
	_, each := s.Units()
	return max(1, elems*lightWork/(each*max(lightWork, s.Work())))
}
