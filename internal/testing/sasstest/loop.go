package sasstest

import (
	"regexp"
	"strconv"
)

// branches matches a line of a disassembly that branches to an address.
var branches = regexp.MustCompile(`(?m)^\s+/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P[0-9T]+\s+)?BRA(?:\.\S+)?\s[^;\n]*?0x([0-9a-f]+)\s*;`)

// addressed matches a line with an instruction.
var addressed = regexp.MustCompile(`(?m)^\s+/\*([0-9a-f]{4,})\*/`)

// span is the text of a loop, from its first instruction to the branch back there.
type span struct{ from, to uint64 }

// loads matches a load from global memory.
var loads = regexp.MustCompile(`(?m)^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P[0-9T]+\s+)?LDG\b`)

// Loop counts the instructions of a loop.
type Loop struct {
	Profile
	Loads    int // from global memory
	Products int // multiplications of matrix instructions that say their shape
	Fused    int // multiplications of single elements, with an addition or without
}

// fused matches a multiplication of single elements.
var fused = regexp.MustCompile(`(?m)^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P[0-9T]+\s+)?[FD](FMA|MUL)\b`)

// shapes matches a matrix instruction with its shape: m, n and k, such as HGMMA.64x128x16 or HMMA.16816.
var shapes = regexp.MustCompile(`\b[HQIB]GMMA\.(\d+)x(\d+)x(\d+)|\b[HQOI]MMA\.(?:SP\.)?(16)(8)(\d+)`)

// products counts multiplications.
func products(text string) (sum int) {
	for _, m := range shapes.FindAllStringSubmatch(text, -1) {
		n := 1
		for _, digits := range m[1:] {
			if d, err := strconv.Atoi(digits); err == nil {
				n *= d
			}
		}
		sum += n
	}
	return sum
}

// waiting is the greatest number of instructions of a loop that does nothing but wait, as for an mbarrier.
const waiting = 8

// exits matches the end of the main path of a function. What lies behind it is rare, and jumps back from there.
var exits = regexp.MustCompile(`(?m)^\s+/\*[0-9a-f]{4,}\*/\s+EXIT\b`)

// HotLoop counts the instructions of the longest loop of a function's disassembly that has no loop inside but such as wait. It has none if
// there is no loop.
func HotLoop(text string) Loop {
	var loops []span
	if at := exits.FindStringIndex(text); at != nil {
		text = text[:at[1]]
	}
	for _, m := range branches.FindAllStringSubmatch(text, -1) {
		at, _ := strconv.ParseUint(m[1], 16, 64)
		to, _ := strconv.ParseUint(m[2], 16, 64)
		if l := (span{to, at}); to < at && Count(l.of(text)).Instructions > waiting {
			loops = append(loops, l)
		}
	}
	best := Loop{}
	for _, l := range loops {
		inner := true
		for _, o := range loops {
			inner = inner && !(o != l && o.from >= l.from && o.to <= l.to)
		}
		if !inner {
			continue
		}
		part := l.of(text)
		if p := Count(part); p.Instructions > best.Instructions {
			best = Loop{p, len(loads.FindAllString(part, -1)), products(part), len(fused.FindAllString(part, -1))}
		}
	}
	return best
}

// of gives the lines of a loop.
func (s span) of(text string) string {
	first, last := -1, len(text)
	for _, m := range addressed.FindAllStringSubmatchIndex(text, -1) {
		at, _ := strconv.ParseUint(text[m[2]:m[3]], 16, 64)
		if at == s.from && first < 0 {
			first = m[0]
		}
		if at > s.to && first >= 0 {
			last = m[0]
			break
		}
	}
	if first < 0 {
		return ""
	}
	return text[first:last]
}

// PerWork is how many instructions loops take for the same work, ours in proportion to a reference's: what matrix instructions multiply
// says how much that is, or their number, or that of loads from global memory, where both have them. ok is false where one has no loop.
func PerWork(ours, reference Loop) (ratio float64, ok bool) {
	if ours.Instructions == 0 || reference.Instructions == 0 {
		return 0, false
	}
	ratio = float64(ours.Instructions) / float64(reference.Instructions)
	for _, n := range [][2]int{
		{ours.Products, reference.Products},
		{ours.Classes[UTCMMA], reference.Classes[UTCMMA]}, {ours.Classes[HGMMA], reference.Classes[HGMMA]}, {ours.Classes[HMMA], reference.Classes[HMMA]},
		{ours.Classes[AsyncCopy], reference.Classes[AsyncCopy]}, {ours.Loads, reference.Loads},
	} {
		if n[0] > 0 && n[1] > 0 {
			return ratio * float64(n[1]) / float64(n[0]), true
		}
	}
	return ratio, true
}
