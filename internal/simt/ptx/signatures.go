package ptx

import (
	"slices"

	"github.com/cutile-go/cutile/internal/simt"
)

// Signatures lists the kernels of a text of PTX in its order. It reads only what a launch has to know, so that it also takes texts with
// instructions and declarations that [Read] does not know: whoever compiles the text judges those. Mistakes are of type *[Error].
func Signatures(text []byte) (list []simt.Signature, err error) {
	r, err := newReader(text)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			list = nil
		}
	}()
	defer r.catch(&err)
	r.m = &simt.Module{}
	r.version()
	waits := false // some function does
	for {
		switch t := r.take(); t.text {
		case "":
			for i := range list {
				list[i].NeverWaits = list[i].NeverWaits && !waits
			}
			return list, nil
		case "{":
			waits = r.waitsInBody() || waits
		case ".file", "@": // of the source, and of debug information: the rest of the line may be any words
			r.skipLine()
		case ".section":
			r.skip("{")
			r.skipBody()
		case ".pragma", ".alias":
			r.skip(";")
		case ".entry":
			if s := r.entry(); r.accept("{") { // else it is defined elsewhere
				s.NeverWaits = !r.waitsInBody()
				list = append(list, s)
			}
		}
	}
}

// waitsInBody takes a body, and reports whether it may wait for the kernel before it, on some path.
func (r *reader) waitsInBody() bool {
	from := r.next
	r.skipBody()
	return slices.ContainsFunc(r.tokens[from:r.next], func(t token) bool { return t.text == "griddepcontrol.wait" })
}

// entry takes an entry up to its body.
func (r *reader) entry() simt.Signature {
	k := &kernelBody{f: &simt.Func{}, params: map[string]entity{}}
	r.declaration(k)
	s := simt.Signature{Name: k.f.Name, Params: k.f.Params}
	for {
		switch r.peek().text {
		case "{", ";", "":
			return s
		case ".reqntid":
			r.take()
			s.Block = r.triple()
		case ".maxntid":
			r.take()
			d := r.triple()
			s.MaxThreads = d[0] * d[1] * d[2]
		case ".reqnctapercluster":
			r.take()
			s.Cluster = r.triple()
		default: // it does not matter to a launch
			r.take()
		}
	}
}
