package emu

import "math"

// These are the loops over all lanes of the instructions that kernels are mostly made of: the functions of one lane do the
// same, but a call costs as much as the work.

var fast2 = map[string]func(d, a, b *vec){
	"add.32": func(d, a, b *vec) {
		for i := range d {
			d[i] = uint64(uint32(a[i] + b[i]))
		}
	},
	"add.64": func(d, a, b *vec) {
		for i := range d {
			d[i] = a[i] + b[i]
		}
	},
	"sub.32": func(d, a, b *vec) {
		for i := range d {
			d[i] = uint64(uint32(a[i] - b[i]))
		}
	},
	"sub.64": func(d, a, b *vec) {
		for i := range d {
			d[i] = a[i] - b[i]
		}
	},
	"mul.lo.32": func(d, a, b *vec) {
		for i := range d {
			d[i] = uint64(uint32(a[i] * b[i]))
		}
	},
	"mul.lo.64": func(d, a, b *vec) {
		for i := range d {
			d[i] = a[i] * b[i]
		}
	},
	"mul.wide.u32": func(d, a, b *vec) {
		for i := range d {
			d[i] = a[i] * b[i]
		}
	},
	"mul.wide.s32": func(d, a, b *vec) {
		for i := range d {
			d[i] = uint64(int64(int32(a[i])) * int64(int32(b[i])))
		}
	},
	"and": func(d, a, b *vec) {
		for i := range d {
			d[i] = a[i] & b[i]
		}
	},
	"or": func(d, a, b *vec) {
		for i := range d {
			d[i] = a[i] | b[i]
		}
	},
	"xor": func(d, a, b *vec) {
		for i := range d {
			d[i] = a[i] ^ b[i]
		}
	},
	"shl.32": func(d, a, b *vec) {
		for i := range d {
			d[i] = uint64(uint32(a[i]) << uint32(b[i]))
		}
	},
	"shl.64": func(d, a, b *vec) {
		for i := range d {
			d[i] = a[i] << uint32(b[i])
		}
	},
	"shr.u": func(d, a, b *vec) {
		for i := range d {
			d[i] = a[i] >> uint32(b[i])
		}
	},
	"add.f32": func(d, a, b *vec) {
		for i := range d {
			d[i] = bits32(f32(a[i]) + f32(b[i]))
		}
	},
	"sub.f32": func(d, a, b *vec) {
		for i := range d {
			d[i] = bits32(f32(a[i]) - f32(b[i]))
		}
	},
	"mul.f32": func(d, a, b *vec) {
		for i := range d {
			d[i] = bits32(f32(a[i]) * f32(b[i]))
		}
	},
}

var fast3 = map[string]func(d, a, b, c *vec){
	"mad.lo.32": func(d, a, b, c *vec) {
		for i := range d {
			d[i] = uint64(uint32(a[i]*b[i] + c[i]))
		}
	},
	"mad.lo.64": func(d, a, b, c *vec) {
		for i := range d {
			d[i] = a[i]*b[i] + c[i]
		}
	},
	"mad.wide.u32": func(d, a, b, c *vec) {
		for i := range d {
			d[i] = a[i]*b[i] + c[i]
		}
	},
	"mad.wide.s32": func(d, a, b, c *vec) {
		for i := range d {
			d[i] = uint64(int64(int32(a[i]))*int64(int32(b[i]))) + c[i]
		}
	},
	"fma.f32": func(d, a, b, c *vec) {
		for i := range d {
			s := float64(f32(a[i]))*float64(f32(b[i])) + float64(f32(c[i]))
			r := float32(s)
			if halfway(s, r) {
				d[i] = bits32(fma32(f32(a[i]), f32(b[i]), f32(c[i])))
			} else {
				d[i] = uint64(math.Float32bits(r))
			}
		}
	},
}
