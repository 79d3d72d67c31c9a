package doctor

import "github.com/cutile-go/cutile/internal/native/host"

// Code is what the machine offers to machine code for the CPU.
type Code struct {
	Processor string   `json:"processor"` // its name, what tells it from others, its caches
	L1d       int      `json:"l1d,omitempty"`
	L2        int      `json:"l2,omitempty"`
	L3        int      `json:"l3,omitempty"`
	Level     string   `json:"level"`              // such as "avx512", or "interpreter" where no code can run
	Features  []string `json:"features,omitempty"` // what code may use
	Error     string   `json:"error,omitempty"`    // why no code can run
}

// examineCode asks this machine. The level is below the best one where CUTILE_CPU says so.
func examineCode() Code {
	c := host.Machine()
	r := Code{Processor: c.String(), L1d: c.L1d, L2: c.L2, L3: c.L3}
	target, err := host.Choose()
	r.Level, r.Features, r.Error = target.Level.String(), target.Features.Names(), target.Why
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

// String is whether code can run.
func (c Code) String() string {
	if c.Error != "" {
		return "cannot run, so that kernels are interpreted: " + c.Error
	}
	return "can run, for level " + c.Level + "; memory may be made executable"
}
