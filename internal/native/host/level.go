package host

import (
	"fmt"
	"strings"
)

// Level is a set of instructions for which code is generated.
type Level uint8

// The levels. Those of one architecture are in ascending order: each has the instructions of the ones before it.
const (
	LevelNone Level = iota // no code is generated: kernels are interpreted
	LevelAVX2
	LevelAVX512
	LevelNEON
)

const avx2Features = AVX2 | FMA | F16C | BMI1 | BMI2 | LZCNT | POPCNT

type levelRow struct {
	name     string
	arch     string
	requires Features
}

// levels has a row for each level: its name in CUTILE_CPU, the architecture, and the features without which its code does not
// run. All CPUs that have AVX2 and FMA have the scalar instructions of the row, too, but a virtual machine may hide them.
var levels = [...]levelRow{
	LevelNone:   {"interpreter", "", 0},
	LevelAVX2:   {"avx2", "amd64", avx2Features},
	LevelAVX512: {"avx512", "amd64", avx2Features | AVX512F | AVX512BW | AVX512DQ | AVX512VL},
	LevelNEON:   {"neon", "arm64", NEON},
}

// String is the name in CUTILE_CPU.
func (l Level) String() string { return levels[l].name }

// Requires is what a CPU must have to run code of the level.
func (l Level) Requires() Features { return levels[l].requires }

// Allows is what code of the level may use where the CPU has it. It includes what the level requires.
func (l Level) Allows() Features {
	var f Features
	for _, row := range features {
		if row.level <= l && levels[row.level].arch == levels[l].arch {
			f |= row.bit
		}
	}
	return f
}

// levelsOf lists the levels that a CPU can run, in ascending order. LevelNone is the first.
func levelsOf(arch string, f Features) []Level {
	list := []Level{LevelNone}
	for l := range levels {
		if levels[l].arch == arch && f.Has(levels[l].requires) {
			list = append(list, Level(l))
		}
	}
	return list
}

// Named gives the target of a level by its name in CUTILE_CPU: code of what every CPU of the level runs, whether this
// machine can run it or not.
func Named(name string) (Target, error) {
	var names []string
	for l, row := range levels {
		if row.name == name {
			return Target{Level: Level(l), Features: row.requires}, nil
		}
		names = append(names, row.name)
	}
	return Target{}, fmt.Errorf("%q is not one of the levels %s", name, strings.Join(names, ", "))
}
