package main

import (
	"flag"

	"github.com/cutile-go/cutile/internal/toolbox/doctor"
)

var doctorCommand = &command{
	name: "doctor", short: "report what is installed, whether it is compatible, and what to do",
	long: `
The last part is a verdict for each device: whether kernels run on it, why, and what to do if they do not; then the
device of programs that name none, and why. The exit code is 1 if there is a device that cannot run kernels; those of
Vulkan do not count.`,
	setup: func(fs *flag.FlagSet) action {
		asJSON := fs.Bool("json", false, "print a JSON object, for programs")
		return func(c *call, args []string) error { return examine(c, args, *asJSON) }
	},
}

func examine(c *call, args []string, asJSON bool) error {
	if err := none(args); err != nil {
		return err
	}
	r := doctor.Examine(c.ctx, ownVersion())
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if asJSON {
		if err := printJSON(c.out, r); err != nil {
			return err
		}
	} else {
		r.Print(c.out)
	}
	return r.Sick()
}
