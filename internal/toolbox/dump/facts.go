package dump

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/internal/toolbox"
)

// factWord is a promise about an argument, over all its axes or, where it has a mask, one.
type factWord struct {
	word string
	set  func(a *compile.ArgFacts, axes uint8)
}

// factWords are the promises by name.
var factWords = []factWord{
	{"align", func(a *compile.ArgFacts, _ uint8) { a.Align16 = true }},
	{"extent", func(a *compile.ArgFacts, axes uint8) { a.Extent16 |= axes }},
	{"stride", func(a *compile.ArgFacts, axes uint8) { a.Stride16 |= axes }},
	{"unit", func(a *compile.ArgFacts, axes uint8) { a.Unit |= axes }},
}

// parseFacts reads -facts: "all", "none", "wide", and PARAMETER=FACTS, separated by commas.
func parseFacts(text string, params []compile.Param) (compile.Facts, error) {
	f := compile.Facts{Args: make([]compile.ArgFacts, len(params))}
	for i := range params {
		f.Args[i] = params[i].AllFacts()
	}
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimSpace(item)
		name, promises, perParam := strings.Cut(item, "=")
		switch {
		case item == "" || item == "all":
		case item == "none":
			clear(f.Args)
		case item == "wide":
			f.Wide = true
		case !perParam:
			return f, toolbox.Usagef("-facts: %q is not one of all, none, wide and PARAMETER=FACTS", item)
		default:
			i := slices.IndexFunc(params, func(p compile.Param) bool { return p.Name == name })
			if i < 0 {
				return f, toolbox.Usagef("-facts: the kernel has no parameter %q; it has %s", name, paramNames(params))
			}
			var err error
			if f.Args[i], err = parsePromises(promises, &params[i]); err != nil {
				return f, err
			}
		}
	}
	return f, nil
}

// parsePromises reads what is promised about one argument: words joined by +.
func parsePromises(text string, p *compile.Param) (a compile.ArgFacts, err error) {
	most := p.AllFacts()
	if most == (compile.ArgFacts{}) {
		return a, toolbox.Usagef("-facts: nothing can be promised about %s, which is not a tensor", p.Name)
	}
	for word := range strings.SplitSeq(text, "+") {
		switch word {
		case "none":
			continue
		case "all":
			a = most
			continue
		}
		word, axis, one := strings.Cut(word, ".")
		axes := uint8(1<<len(p.Tile) - 1)
		if one {
			n, err := strconv.Atoi(axis)
			if err != nil || n < 0 || n >= len(p.Tile) {
				return a, toolbox.Usagef("-facts: %s has no axis %q", p.Name, axis)
			}
			axes = 1 << n
		} else if word == "unit" {
			axes = most.Unit
		}
		i := slices.IndexFunc(factWords, func(w factWord) bool { return w.word == word })
		if i < 0 {
			return a, toolbox.Usagef("-facts: %q is not a promise: use all, none, align, extent, stride and unit, joined by +", word)
		}
		factWords[i].set(&a, axes)
	}
	return a, nil
}

func paramNames(params []compile.Param) string {
	var names []string
	for _, p := range params {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}
