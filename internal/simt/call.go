package simt

import "fmt"

// DriverFunc is a function that CUDA's driver has for kernels: texts of PTX declare it without a body. Addresses are generic.
type DriverFunc struct {
	Name   string
	Result string   // a type, "" for none
	Params []string // types
}

// driverFuncs are those that [OpCall] takes.
var driverFuncs = []DriverFunc{
	{"vprintf", "b32", []string{"b64", "b64"}},                        // format, values; gives how many values
	{"__assertfail", "", []string{"b64", "b64", "b32", "b64", "b64"}}, // message, file, line, function, bytes of a character
}

// DriverFuncOf finds a function of the driver by its name: nil if there is none that kernels can call here.
func DriverFuncOf(name string) *DriverFunc {
	for i := range driverFuncs {
		if driverFuncs[i].Name == name {
			return &driverFuncs[i]
		}
	}
	return nil
}

// call looks at a call of a function of the driver.
func (v *verifier) call(in *Instr) {
	f := DriverFuncOf(in.Text)
	switch {
	case f == nil:
		v.add("the driver has no function %q", in.Text)
		return
	case v.f.Host:
		v.add("a host function cannot call %s: a kernel can", f.Name)
		return
	case len(in.Dst) > 1 || len(in.Dst) == 1 && f.Result == "":
		v.add("expected no more results than %s has; found %d", f.Name, len(in.Dst))
		return
	case len(in.Src) != len(f.Params):
		v.add("%s takes %d operands; found %d", f.Name, len(f.Params), len(in.Src))
		return
	}
	for _, op := range in.Dst {
		v.value("result 1", op, f.Result, false)
	}
	for i, typ := range f.Params {
		v.value(fmt.Sprintf("operand %d", i+1), in.Src[i], typ, true)
	}
}
