package mutants

import (
	"regexp"
	"strings"
)

// textOperator changes PTX as a fault of its writer would.
type textOperator struct {
	name   string
	change func(text string) string
}

// first makes an operator of a replacement of the first match.
func first(name, pattern, by string) textOperator {
	re := regexp.MustCompile(pattern)
	return textOperator{name, func(text string) string {
		at := re.FindStringSubmatchIndex(text)
		if at == nil {
			return text
		}
		return text[:at[0]] + string(re.ExpandString(nil, by, text, at)) + text[at[1]:]
	}}
}

// last makes an operator of a replacement of the last match.
func last(name, pattern, by string) textOperator {
	re := regexp.MustCompile(pattern)
	return textOperator{name, func(text string) string {
		all := re.FindAllStringSubmatchIndex(text, -1)
		if len(all) == 0 {
			return text
		}
		at := all[len(all)-1]
		return text[:at[0]] + string(re.ExpandString(nil, by, text, at)) + text[at[1]:]
	}}
}

// textOperators are the ways to break the writer.
var textOperators = []textOperator{
	first("a wrong register", `(add\.s32\s+%r\d+, )%r\d+`, "${1}%r0"),
	first("a register that nobody writes", `(st\.global[.a-z0-9]* .*)%r\d+`, "${1}%r99999"),
	first("a wrong type", `ld\.global((?:\.v\d)?)\.b32`, "ld.global${1}.b16"),
	first("a wrong rounding", `add\.rn\.f32`, "add.rz.ftz.f64"),
	last("a missing guard", `@!?%p\d+ (st\.global|bra)`, "${1}"),
	first("a turned guard", `@!(%p\d+) bra`, "@${1} bra"),
	first("a wrong parameter", `(ld\.param\.b64\s+%rd\d+, \[\w*?)0\]`, "${1}1]"),
	first("a wrong immediate", `(mad\.wide\.s32 .*, )4(, %rd)`, "${1}8${2}"),
	first("a wrong block", `\.reqntid (\d+), `, ".reqntid 16, "),
	first("a wrong space", `st\.global`, "st.shared"),
	first("a barrier left out", `\tbar\.sync\s+0;\n`, ""),
	first("the elements of a vector exchanged", `\{(%r\d+), (%r\d+), (%r\d+), (%r\d+)\}`, "{${2}, ${1}, ${3}, ${4}}"),
	last("a line left out", `\tst\.global[^\n]*\n`, ""),
	{"a missing semicolon", func(text string) string { return strings.Replace(text, ";\n", "\n", 1) }},
}
