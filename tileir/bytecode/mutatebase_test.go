package bytecode_test

import (
	"math/rand/v2"
	"slices"

	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// mutant is a valid module on its way to become another.
type mutant struct {
	rnd     *rand.Rand
	m       *Module
	version Version
	base    string // what it was made from
	focus   *Op    // the operation that the base is about; nil for a reference file
	target  *Op    // the operation that the last mutation changed; nil for the module itself
	sites   []site // all operations, with where they stand
}

// site is where an operation stands.
type site struct {
	op      *Op
	block   *Block
	index   int
	visible []*Value // what it may use
}

// bodyInfos are the operations that stand in bodies.
func bodyInfos() []*Info {
	var out []*Info
	for _, in := range Infos() {
		if in.InBody {
			out = append(out, in)
		}
	}
	return out
}

// newMutant makes the n-th base: four of five are samples of the operations by turns, the others reference files.
func newMutant(rnd *rand.Rand, n int, refs []refFile) *mutant {
	u := &mutant{rnd: rnd}
	if all := bodyInfos(); n%5 < 4 {
		u.sample(all[(n-n/5)%len(all)])
	} else {
		u.reference(pick(rnd, refs))
	}
	u.places()
	u.survey()
	return u
}

// sample takes one sample of an operation, or the module of those that are built together, in a version that has it.
func (u *mutant) sample(in *Info) {
	u.version = Newest
	if v := pick(u.rnd, Versions()); v >= in.Since && u.rnd.IntN(2) == 0 {
		u.version = v
	}
	u.base = in.Mnemonic
	if build := structured[in.Mnemonic]; build != nil {
		u.m = build(u.version)
		u.survey()
		u.focus = pick(u.rnd, u.named(in)).op
		return
	}
	fits := func(s sample) bool { return s.since <= u.version && typesFit(s, u.version) }
	list := samples[in.Mnemonic]
	if !slices.ContainsFunc(list, fits) {
		u.version = Newest
	}
	s := pick(u.rnd, list)
	for !fits(s) {
		s = pick(u.rnd, list)
	}
	u.m = kernel(func(b *builder) { u.focus = b.add(in.Mnemonic, s) })
}

// named are the places of an operation.
func (u *mutant) named(in *Info) []site {
	return slices.DeleteFunc(slices.Clone(u.sites), func(s site) bool { return s.op.Info != in })
}

func (u *mutant) reference(f refFile) {
	m, v, err := bytecode.Read(f.data)
	if err != nil {
		panic(err) // TestReferenceFiles reads them all
	}
	u.base, u.m, u.version = f.name, m, v
}

// places gives each operation of a sample a line of its own, so that errors can be held against it.
func (u *mutant) places() {
	u.survey()
	for i, s := range u.sites {
		if s.op.Loc.IsZero() {
			s.op.Loc = Loc{File: "k.go", Line: i + 1, Col: 9}
		}
	}
}

// survey lists the operations anew.
func (u *mutant) survey() {
	u.sites = u.sites[:0]
	for _, e := range u.m.Entries {
		if e.Body != nil {
			u.walk(e.Body, slices.Clone(e.Params))
		}
	}
}

func (u *mutant) walk(b *Block, visible []*Value) {
	visible = append(visible[:len(visible):len(visible)], b.Args...)
	for i, o := range b.Ops {
		u.sites = append(u.sites, site{o, b, i, visible})
		for _, r := range o.Regions {
			if r != nil {
				u.walk(r, visible)
			}
		}
		visible = append(visible[:len(visible):len(visible)], o.Results...)
	}
}

// anyOp chooses a place: mostly that of the operation which the base is about.
func (u *mutant) anyOp(fits func(site) bool) (site, bool) {
	u.survey()
	var good []site
	for _, s := range u.sites {
		if fits == nil || fits(s) {
			if s.op == u.focus && u.rnd.IntN(4) > 0 {
				u.target = s.op
				return s, true
			}
			good = append(good, s)
		}
	}
	if len(good) == 0 {
		return site{}, false
	}
	s := pick(u.rnd, good)
	u.target = s.op
	return s, true
}

// values are all values of the module.
func (u *mutant) values() []*Value {
	u.survey()
	var out []*Value
	seen := map[*Block]bool{}
	for _, e := range u.m.Entries {
		out = append(out, e.Params...)
	}
	for _, s := range u.sites {
		if !seen[s.block] {
			seen[s.block] = true
			out = append(out, s.block.Args...)
		}
		out = append(out, s.op.Results...)
	}
	return out
}

// fresh defines a value of a type before a place; false where nothing gives such a value.
func (u *mutant) fresh(s site, t Type) (*Value, bool) {
	if _, ok := t.(ScalarType); ok || t == nil {
		return nil, false
	}
	b := &builder{block: &Block{}}
	v := b.value(t)
	for _, o := range b.block.Ops {
		o.Loc = Loc{File: "fresh.go", Line: s.op.Loc.Line + 1, Col: 1}
	}
	at := slices.Index(s.block.Ops, s.op)
	s.block.Ops = slices.Insert(s.block.Ops, at, b.block.Ops...)
	return v, true
}

func pick[T any](rnd *rand.Rand, xs []T) T { return xs[rnd.IntN(len(xs))] }
