package neon

import (
	"github.com/cutile-go/cutile/internal/native/arm64"
	"github.com/cutile-go/cutile/internal/native/isel"
	"github.com/cutile-go/cutile/internal/native/mach"
)

// slotBytes is the room of a value that no register holds.
const slotBytes = 16

// spillArea is where such values begin in the frame, in bytes: at a multiple of their size, which is what loads reach.
type spillArea int32

func slotsBehind(words int) spillArea {
	return spillArea((8*words + slotBytes - 1) / slotBytes * slotBytes)
}

// words is the size of a frame of a function that asks for some words.
func (s spillArea) words(asked, slots int) int {
	if slots == 0 {
		return asked
	}
	return (int(s) + slots*slotBytes) / 8
}

func (s spillArea) at(slot int32) mach.Arg {
	return mach.Arg{Kind: mach.MemArg, Frame: true, Disp: int32(s) + slot*slotBytes}
}

// slotView is how registers of a file are seen that are kept in a slot.
var slotView = [mach.Files]uint8{mach.Int: viewX, mach.Vector: viewQ}

// Load implements mach.Slots.
func (s spillArea) Load(f mach.File, r mach.Reg, slot int32) mach.Instr {
	return mach.Instr{Op: int32(arm64.LDR), N: 2, Args: [6]mach.Arg{isel.Use(slotView[f], r), s.at(slot)}}
}

// Store implements mach.Slots.
func (s spillArea) Store(f mach.File, r mach.Reg, slot int32) mach.Instr {
	return mach.Instr{Op: int32(arm64.STR), N: 2, Args: [6]mach.Arg{isel.Use(slotView[f], r), s.at(slot)}}
}

// Operand implements mach.Slots: only loads take memory.
func (s spillArea) Operand(*mach.Instr, int, int32) bool { return false }
