package host

import "golang.org/x/sys/unix"

// askSystem adds what package golang.org/x/sys/cpu does not tell. The caches are those of the fast cores.
func (c *CPU) askSystem() {
	if v, err := unix.SysctlUint32("hw.optional.arm.FEAT_BF16"); err == nil && v != 0 {
		c.Features |= BF16
	}
	c.Name, _ = unix.Sysctl("machdep.cpu.brand_string") // empty where there is none
	for name, size := range map[string]*int{"hw.perflevel0.l1dcachesize": &c.L1d, "hw.perflevel0.l2cachesize": &c.L2, "hw.perflevel0.l3cachesize": &c.L3} {
		if v, err := unix.SysctlUint32(name); err == nil {
			*size = int(v)
		}
	}
}
