package cute

// FullMask is the mask of all lanes of a warp.
const FullMask uint32 = 0xffffffff

// Lanes tells which lanes of a warp take part in an operation; all of them must reach it. The zero Lanes is the whole warp.
type Lanes struct {
	Width int    // the size of the groups within which lanes exchange, static: 2, 4, 8, 16, or 0 for 32
	Mask  uint32 // the lanes that take part: 0 for all
}

// lanesOf is the optional last argument of the functions of warps.
func lanesOf(in []Lanes) Lanes {
	l := Lanes{}
	if len(in) > 0 {
		l = in[0]
	}
	if l.Width == 0 {
		l.Width = 32
	}
	if l.Mask == 0 {
		l.Mask = FullMask
	}
	return l
}

// shuffle is a value of another lane: kind is PTX's up, down, bfly or idx. Elements of a vector go one by one.
//
//cutile:intrinsic shuffle
func shuffle[T Elem](kind string, v T, lane, width int, mask uint32) T { panic(deviceOnly) }

// ShuffleBfly returns the value of the lane whose number differs in the given bits. It takes any element and vectors.
func ShuffleBfly[T Elem](v T, bits int, in ...Lanes) T {
	l := lanesOf(in)
	return shuffle("bfly", v, bits, l.Width, l.Mask)
}

// ShuffleUp returns the value of the lane whose number is n lower; the first n lanes of a group get their own.
func ShuffleUp[T Elem](v T, n int, in ...Lanes) T {
	l := lanesOf(in)
	return shuffle("up", v, n, l.Width, l.Mask)
}

// ShuffleDown returns the value of the lane whose number is n higher; the last n lanes of a group get their own.
func ShuffleDown[T Elem](v T, n int, in ...Lanes) T {
	l := lanesOf(in)
	return shuffle("down", v, n, l.Width, l.Mask)
}

// ShuffleIdx returns the value of lane number i of the group, modulo its width.
func ShuffleIdx[T Elem](v T, i int, in ...Lanes) T {
	l := lanesOf(in)
	return shuffle("idx", v, i, l.Width, l.Mask)
}

// Ballot returns a bit for each lane that takes part, set if its condition is true.
func Ballot(cond bool, in ...Lanes) uint32 { return ballot(cond, lanesOf(in).Mask) }

// AnyLane reports whether the condition is true in any lane that takes part.
func AnyLane(cond bool, in ...Lanes) bool { return voteAny(cond, lanesOf(in).Mask) }

// AllLanes reports whether the condition is true in all lanes that take part.
func AllLanes(cond bool, in ...Lanes) bool { return voteAll(cond, lanesOf(in).Mask) }

// SameCond reports whether the condition is the same in all lanes that take part.
func SameCond(cond bool, in ...Lanes) bool { return voteUni(cond, lanesOf(in).Mask) }

//cutile:ptx vote.sync.ballot.b32 cond mask
func ballot(cond bool, mask uint32) uint32 { panic(deviceOnly) }

//cutile:ptx vote.sync.any.pred cond mask
func voteAny(cond bool, mask uint32) bool { panic(deviceOnly) }

//cutile:ptx vote.sync.all.pred cond mask
func voteAll(cond bool, mask uint32) bool { panic(deviceOnly) }

//cutile:ptx vote.sync.uni.pred cond mask
func voteUni(cond bool, mask uint32) bool { panic(deviceOnly) }

// Word32 lists the integer types of 32 bits.
type Word32 interface{ ~int32 | ~uint32 }

// ReduxAdd returns the sum over the lanes that take part, in one instruction (redux.sync); each of them gets it.
func ReduxAdd[T Word32](v T, in ...Lanes) T { return reduxAdd(v, lanesOf(in).Mask) }

// ReduxMin returns the least value of the lanes that take part.
func ReduxMin[T Word32](v T, in ...Lanes) T { return reduxMin(v, lanesOf(in).Mask) }

// ReduxMax returns the greatest value of the lanes that take part.
func ReduxMax[T Word32](v T, in ...Lanes) T { return reduxMax(v, lanesOf(in).Mask) }

// ReduxAnd returns the bits that are set in all lanes that take part.
func ReduxAnd[T Word32](v T, in ...Lanes) T { return reduxAnd(v, lanesOf(in).Mask) }

// ReduxOr returns the bits that are set in any lane that takes part.
func ReduxOr[T Word32](v T, in ...Lanes) T { return reduxOr(v, lanesOf(in).Mask) }

// ReduxXor returns the bits that are set in an odd number of the lanes that take part.
func ReduxXor[T Word32](v T, in ...Lanes) T { return reduxXor(v, lanesOf(in).Mask) }

//cutile:ptx redux.sync.add.{T} v mask
func reduxAdd[T Word32](v T, mask uint32) T { panic(deviceOnly) }

//cutile:ptx redux.sync.min.{T} v mask
func reduxMin[T Word32](v T, mask uint32) T { panic(deviceOnly) }

//cutile:ptx redux.sync.max.{T} v mask
func reduxMax[T Word32](v T, mask uint32) T { panic(deviceOnly) }

//cutile:ptx redux.sync.and.b32 v mask
func reduxAnd[T Word32](v T, mask uint32) T { panic(deviceOnly) }

//cutile:ptx redux.sync.or.b32 v mask
func reduxOr[T Word32](v T, mask uint32) T { panic(deviceOnly) }

//cutile:ptx redux.sync.xor.b32 v mask
func reduxXor[T Word32](v T, mask uint32) T { panic(deviceOnly) }

// MatchAny returns a bit for each lane that takes part, set if the lane has the same value as this one.
func MatchAny[T Word](v T, in ...Lanes) uint32 { return matchAny(v, lanesOf(in).Mask) }

//cutile:ptx match.any.sync.{T.b} v mask
func matchAny[T Word](v T, mask uint32) uint32 { panic(deviceOnly) }

// MatchAll reports whether all lanes that take part have the same value.
func MatchAll[T Word](v T, in ...Lanes) bool { return matchAll(v, lanesOf(in).Mask) != 0 }

//cutile:ptx match.all.sync.{T.b} v mask
func matchAll[T Word](v T, mask uint32) uint32 { panic(deviceOnly) }

// ElectOne returns true in one of the lanes that take part, always the same lane for the same set of lanes. It needs sm_90.
func ElectOne(in ...Lanes) bool { return elect(lanesOf(in).Mask) }

//cutile:intrinsic elect
func elect(mask uint32) bool { panic(deviceOnly) }

// ActiveMask returns a bit for each lane that executes the call now; other lanes may still reach it later.
//
//cutile:ptx activemask.b32
func ActiveMask() uint32 { panic(deviceOnly) }

// LaneMaskEQ returns the bit of this lane.
//
//cutile:ptx mov.u32 %lanemask_eq
func LaneMaskEQ() uint32 { panic(deviceOnly) }

// LaneMaskLT returns the bits of the lanes before this one.
//
//cutile:ptx mov.u32 %lanemask_lt
func LaneMaskLT() uint32 { panic(deviceOnly) }

// LaneMaskLE returns the bits of this lane and those before it.
//
//cutile:ptx mov.u32 %lanemask_le
func LaneMaskLE() uint32 { panic(deviceOnly) }

// LaneMaskGT returns the bits of the lanes after this one.
//
//cutile:ptx mov.u32 %lanemask_gt
func LaneMaskGT() uint32 { panic(deviceOnly) }

// LaneMaskGE returns the bits of this lane and those after it.
//
//cutile:ptx mov.u32 %lanemask_ge
func LaneMaskGE() uint32 { panic(deviceOnly) }
