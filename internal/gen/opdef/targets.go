package opdef

import "strings"

// GenerateTargets gives the content of tileir/target_gen.go: what each GPU architecture lacks.
func GenerateTargets() ([]byte, error) { return generate(facts, (*generator).targets) }

func (g *generator) targets() {
	g.p("// archs are the architectures that the assembler knows, oldest first.\nvar archs = %#v\n\n", g.spec.Targets.Archs)
	g.p("// refusals are what it refuses for some of them.\nvar refusals = []Refusal{\n")
	for _, r := range append(g.spec.Targets.ByType, g.spec.Targets.ByOp...) {
		g.refusal(r)
	}
	g.p("}\n")
}

func (g *generator) refusal(r refusal) {
	types := r.Types
	if r.Type != "" {
		types = []string{r.Type}
	}
	g.p("{")
	if types != nil {
		g.p("Elems: []Elem{")
		for _, t := range types {
			g.p("%s, ", strings.ToUpper(t))
		}
		g.p("}, ")
	}
	if r.Ops != nil {
		g.p("Ops: []int{")
		for _, m := range r.Ops {
			g.p("Op%s, ", g.opName(m))
		}
		g.p("}, ")
	}
	if r.Mode != "" {
		g.p("Mode: Int(%d), HasMode: true, ", g.enumValue("AtomicRMWMode", r.Mode))
	}
	g.p("Archs: %#v},\n", r.Refused)
}

func (g *generator) opName(mnemonic string) string {
	for _, o := range g.spec.Ops {
		if o.Mnemonic == mnemonic {
			return strings.TrimSuffix(o.Name, "Op")
		}
	}
	g.fail("target_refusals: there is no operation %s", mnemonic)
	return ""
}
