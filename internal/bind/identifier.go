package bind

import "strings"

// reserved are the words of C and C++ that Go does not reserve, so that a parameter may have them as its name.
var reserved = func() map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(`
		alignas alignof and and_eq asm auto bitand bitor bool catch char class compl concept consteval constexpr constinit const_cast co_await
		co_return co_yield decltype delete do double dynamic_cast enum explicit export extern false float friend inline int long mutable namespace
		new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires restrict short signed
		sizeof static static_assert static_cast template this thread_local throw true try typedef typeid typename typeof union unsigned using
		virtual void volatile wchar_t while xor xor_eq NULL errno linux unix`) {
		all[w] = true
	}
	return all
}()

// identifier makes a name of Go, such as inputs[1].scale, one of C.
func identifier(name string) string {
	out := strings.TrimRight(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name), "_")
	if out = strings.TrimLeft(out, "_"); out == "" || out[0] >= '0' && out[0] <= '9' {
		out = "p" + out
	}
	if reserved[out] {
		out += "_"
	}
	return out
}
