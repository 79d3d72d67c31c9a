package host

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
)

// Env names the variable that asks for a lower level or takes features away. Its value is a level's name, or native for the
// best level, and the features that are left out, such as native,-amx,-avx512bf16.
const Env = "CUTILE_CPU"

const native = "native"

// Target is what code is generated for.
type Target struct {
	Level    Level
	Features Features // what code may use: what the level allows and the machine has, without what CUTILE_CPU takes away
	Why      string   // of LevelNone: why kernels are interpreted
}

// Choose gives the level and the features for this process: what CUTILE_CPU asks for, else the best that the machine can
// run. If the machine can run no code, or refuses executable memory, the level is LevelNone and Why says why. If CUTILE_CPU
// names a level that the machine cannot run, or has a wrong value, the error says what may be written.
func Choose() (Target, error) { return choose(os.Getenv(Env), Machine(), SelfTest) }

// At is [Choose] for a given level, whatever CUTILE_CPU says.
func At(l Level) (Target, error) { return choose(l.String(), Machine(), SelfTest) }

// Levels lists the levels that the machine can run, in ascending order. LevelNone is the first.
func Levels() []Level {
	c := Machine()
	return levelsOf(c.Arch, c.Features)
}

func choose(value string, c CPU, test func() error) (Target, error) {
	w, err := parseWish(value, c)
	if err != nil {
		return Target{}, err
	}
	has := c.Features &^ w.without
	possible := levelsOf(c.Arch, has)
	level := w.level
	if w.best {
		level = possible[len(possible)-1]
	}
	switch {
	case level == LevelNone && !w.best:
		return Target{Why: Env + "=" + LevelNone.String() + " asks for it"}, nil
	case level == LevelNone:
		return Target{Why: lacks(c.Arch, has)}, nil
	case !slices.Contains(possible, level):
		return Target{}, mistake(value, c, fmt.Sprintf("asks for level %s, but the machine lacks, or the list takes away, %s", level, level.Requires()&^has))
	}
	if err := test(); err != nil {
		if w.best {
			return Target{Why: err.Error()}, nil
		}
		return Target{}, mistake(value, c, "cannot be followed: "+err.Error())
	}
	return Target{Level: level, Features: has & level.Allows()}, nil
}

// wish is what CUTILE_CPU asks for.
type wish struct {
	best    bool // the best level
	level   Level
	without Features
}

func parseWish(value string, c CPU) (wish, error) {
	w := wish{best: true}
	if strings.TrimSpace(value) == "" {
		return w, nil
	}
	for i, word := range strings.Split(value, ",") {
		word = strings.TrimSpace(word)
		name, removed := strings.CutPrefix(word, "-")
		switch {
		case i == 0 && word == native:
		case i == 0:
			l := slices.IndexFunc(levels[:], func(row levelRow) bool { return row.name == word })
			if l < 0 {
				return w, mistake(value, c, fmt.Sprintf("is not known: %q is no level", word))
			}
			w.best, w.level = false, Level(l)
		case !removed || named(name) == 0:
			known := strings.Join(featureNames(c.Arch), ", ")
			return w, mistake(value, c, fmt.Sprintf("is not known: %q does not take a feature away; the features are %s", word, known))
		case !w.best && w.level == LevelNone:
			return w, mistake(value, c, "takes features from the interpreter, which uses none")
		default:
			w.without |= named(name)
		}
	}
	return w, nil
}

// lacks says why the best level is none.
func lacks(arch string, has Features) string {
	for _, row := range levels {
		if row.arch == arch {
			return fmt.Sprintf("level %s, the lowest for %s, needs features that are missing here: %s", row.name, arch, row.requires&^has)
		}
	}
	return fmt.Sprintf("no machine code is generated for %s/%s", runtime.GOOS, arch)
}

// mistake is an error about the variable, with what may be written.
func mistake(value string, c CPU, text string) error {
	possible := levelsOf(c.Arch, c.Features)
	var names []string
	for _, l := range possible {
		names = append(names, l.String())
	}
	best := possible[len(possible)-1]
	err := fmt.Errorf("%s=%q %s; write %s or %s, which is %s here", Env, value, text, strings.Join(names, ", "), native, best)
	if spare := (c.Features & best.Allows() &^ best.Requires()).Names(); len(spare) > 0 {
		err = fmt.Errorf("%w; features may be taken away, as in %s,-%s", err, native, spare[len(spare)-1])
	}
	return err
}
