package bench

import (
	"math"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/names"
)

// number is a number as people write it, such as 4096 or 0.5.
func number(x float64) string {
	if a := math.Abs(x); a >= 1e15 || a > 0 && a < 1e-4 {
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// unit is a number with three digits and its unit, such as 12.3 GB/s.
func unit(x float64, of string) string { return names.Unit(x, of) }

// some is unit for what is known.
func some(x float64, of string) string {
	if x == 0 {
		return ""
	}
	return unit(x, of)
}

// seconds is a time.
func seconds(x float64) string { return unit(x, "s") }

// fromTo is a range of two texts.
func fromTo(a, b string) string {
	if a == b {
		return a
	}
	return a + " to " + b
}

// tick is a round number with its unit, without digits that say nothing.
func tick(of string) func(x float64) string {
	return func(x float64) string {
		if x == 0 {
			return "0"
		}
		n, u, _ := strings.Cut(unit(x, of), " ")
		if strings.Contains(n, ".") {
			n = strings.TrimRight(strings.TrimRight(n, "0"), ".")
		}
		return strings.TrimSpace(n + " " + u)
	}
}

// short is a number for a tick: large ones have a prefix, of powers of two where they are made of these.
func short(x float64) string {
	const million = 1e6
	switch a := math.Abs(x); {
	case x == 0:
		return "0" // and not -0
	case a < million:
		return number(x)
	case a < 1<<60 && math.Mod(x, 1<<20) == 0:
		i := 0
		for ; math.Mod(x, 1024) == 0 && i < 5; i++ {
			x /= 1024
		}
		return number(x) + []string{"", "Ki", "Mi", "Gi", "Ti", "Pi"}[i]
	case a < 1e21:
		return strings.ReplaceAll(tick("")(x), " ", "")
	}
	return number(x)
}
