package interop

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/bind"
	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/simt"
)

// binding makes the parameters of a launch of its arguments.
type binding struct {
	dev    *core.Device
	launch *engine.SIMTLaunch
	uses   []core.Use
}

// bind checks the arguments against the declared parameters.
func (b *binding) bind(sig *simt.Signature, args []any) (wrong []bind.Mistake) {
	if len(args) != len(sig.Params) {
		list := make([]string, len(sig.Params))
		for i := range sig.Params {
			list[i] = declaration(&sig.Params[i])
		}
		return []bind.Mistake{{Text: bind.Count(len(sig.Params), "argument", list, len(args))}}
	}
	for i, x := range args {
		p := &sig.Params[i]
		e := encoder{dev: b.dev}
		v, err := e.encode(x)
		switch {
		case err != nil:
			wrong = append(wrong, bind.Failed(argument(i, p), err))
		case !fits(p, &v):
			wrong = append(wrong, bind.Mistake{Text: bind.Expects(argument(i, p), wants(p), got(x, &v)+hint(p, &v))})
		default:
			b.add(i, p, &v, e.used)
		}
	}
	return wrong
}

// argument names an argument in messages.
func argument(i int, p *simt.Param) string {
	if p.Name == "" {
		return fmt.Sprintf("argument #%d", i+1)
	}
	return bind.Argument(i+1, p.Name)
}

// declaration is a parameter as PTX declares it.
func declaration(p *simt.Param) string {
	size := ""
	if p.Bytes > 0 {
		size = fmt.Sprintf("[%d]", p.Bytes)
	}
	return strings.TrimSpace("." + p.Type + " " + p.Name + size)
}

// fits reports whether a value may be a parameter.
func fits(p *simt.Param, v *value) bool {
	if simt.IsHandle(p.Type) || len(v.data) != p.Size() {
		return false
	}
	if p.Bytes > 0 || p.Type[0] == 'b' { // the code does not say more
		return true
	}
	switch v.class {
	case bits:
		return true
	case float:
		return p.Type[0] == 'f'
	case integer, address:
		return p.Type[0] != 'f'
	}
	return false
}

func wants(p *simt.Param) string {
	if simt.IsHandle(p.Type) {
		return "." + p.Type + ", of which arguments cannot be made"
	}
	return fmt.Sprintf("of %d bytes (.%s)", p.Size(), p.Type)
}

// got describes an argument.
func got(x any, v *value) string {
	if v.class == address {
		return "a tensor, which is an address of 8 bytes"
	}
	return fmt.Sprintf("%s of %d bytes", typeOfGo(x), len(v.data))
}

// typeOfGo is the type of a value with its article.
func typeOfGo(x any) string { return bind.A(bind.TypeText(reflect.TypeOf(x))) }

// hint says what to do about a number of the wrong type.
func hint(p *simt.Param, v *value) string {
	if p.Bytes > 0 || simt.IsHandle(p.Type) || v.class != integer && v.class != float {
		return ""
	}
	kind := "int"
	if p.Type[0] == 'f' || p.Type[0] == 'b' && v.class == float {
		kind = "float"
	}
	bits := 8 * p.Size()
	if kind == "float" && bits < 32 {
		return fmt.Sprintf(": use a value of package dtype of %d bits", bits)
	}
	return fmt.Sprintf(": convert it, as %s%d(n)", kind, bits)
}

// add makes a value the next parameter of the launch.
func (b *binding) add(i int, p *simt.Param, v *value, tensors []used) {
	word := uint64(0)
	if p.Bytes > 0 {
		if b.launch.Bytes == nil {
			b.launch.Bytes = map[int][]byte{}
		}
		b.launch.Bytes[i] = v.data
	} else {
		word = binary.LittleEndian.Uint64(append(slices.Clone(v.data), make([]byte, 8-len(v.data))...))
	}
	b.launch.Args = append(b.launch.Args, word)
	for _, u := range tensors {
		b.use(core.Use{Memory: u.tensor.Memory, Writes: u.writes})
		if v.class == address && p.Bytes == 0 {
			b.launch.Tensors = append(b.launch.Tensors, described(i, p, u))
		}
	}
}

// use notes a memory once.
func (b *binding) use(u core.Use) {
	at := slices.IndexFunc(b.uses, func(old core.Use) bool { return old.Memory == u.Memory })
	if at < 0 {
		b.uses = append(b.uses, u)
		return
	}
	b.uses[at].Writes = b.uses[at].Writes || u.Writes
}

// described is a tensor for messages about its elements.
func described(i int, p *simt.Param, u used) engine.Tensor {
	t := u.tensor
	return engine.Tensor{Arg: i, Elem: &elem.Table[t.Elem], Name: cmp.Or(p.Name, fmt.Sprintf("argument #%d", i+1)), Size: t.Elem.Size(), Writes: u.writes,
		Shape: t.View.Shape, Strides: t.View.Strides}
}
