package host

import "golang.org/x/sys/unix"

// askSystem adds what package golang.org/x/sys/cpu does not tell. The caches are those of the fast cores.
func (c *CPU) askSystem() {
	if v, err := unix.SysctlUint32("hw.optional.arm.FEAT_BF16"); err == nil && v != 0 {
		c.Features |= BF16
	}
	c.Name, _ = unix.Sysctl("machdep.cpu.brand_string") // empty where there is none
	for cache, size := range map[string]*int{"l1d": &c.L1d, "l2": &c.L2, "l3": &c.L3} {
		if v, err := unix.SysctlUint32("hw.perflevel0." + cache + "cachesize"); err == nil {
			*size = int(v)
		}
	}
}
