package emu

// atomics decodes atom and red: a read, an operation and a write that nothing comes between.
func atomics(d *decoder) exec {
	if d.peek("async") {
		return reduceAsync(d)
	}
	withResult := d.in.Op[0] == 'a'
	t := d.typ()
	s := d.space()
	how := reads | writes | d.sharing(d.oneOf("relaxed", "acquire", "release", "acq_rel"))
	if d.has("cta") {
		how |= within
	}
	d.ignore("cluster", "gpu", "sys", "noftz")
	flushes := t.name == "f32" && d.peek("add")
	f := d.atomicOp(t)
	if f == nil {
		return nil
	}
	n, dst := 0, d.sink
	if withResult {
		n, dst = 1, d.dst(0)
	}
	a, b, c := d.addr(n), d.src(n+1, t.bits), d.sink
	if len(d.ops) > n+2 {
		c = d.src(n+2, t.bits)
	}
	size := t.bits / 8
	return func(w *warp, m uint32) {
		x, y := w.v[b], w.v[c] // the result may be the same register
		w.each(m, func(lane int) {
			addr := a.at(w, lane)
			data := w.memory(s, addr, size, lane, how)
			if data == nil {
				return
			}
			l := lockOf(addr)
			l.Lock()
			defer l.Unlock()
			old := little(data)
			if flushes && inGlobal(s, addr) {
				putLittle(data, addFlushed(old, x[lane]))
			} else {
				putLittle(data, f(old, x[lane], y[lane]))
			}
			w.v[dst][lane] = old
		})
	}
}

// addFlushed is add.f32 of global memory, where GPUs make zeros of subnormal numbers.
var addFlushed = float2("add", floatTypes["f32"], style{ftz: true})

// inGlobal reports whether an address of a space is in global memory.
func inGlobal(s space, addr uint64) bool {
	if s == generic {
		s, _ = spaceOf(addr)
	}
	return s == global
}

// atomicOp is the operation of an atomic instruction.
func (d *decoder) atomicOp(t typ) fn3 {
	return atomicFunc(d.oneOf("add", "min", "max", "and", "or", "xor", "inc", "dec", "exch", "cas"), t)
}

// atomicFunc gives the new value of memory from the old one and two operands: nil if there is no such operation.
func atomicFunc(name string, t typ) fn3 {
	switch name {
	case "exch":
		return func(_, x, _ uint64) uint64 { return x }
	case "cas":
		return func(old, x, y uint64) uint64 {
			if old == x {
				return y
			}
			return old
		}
	case "inc":
		return func(old, x, _ uint64) uint64 {
			if old >= x {
				return 0
			}
			return old + 1
		}
	case "dec":
		return func(old, x, _ uint64) uint64 {
			if old == 0 || old > x {
				return x
			}
			return old - 1
		}
	}
	f := reductions(name, t)
	if e, pair := t.pair(); t.kind == 'f' && floatTypes[e.name] != nil {
		ft := floatTypes[e.name]
		if f = float2(name, ft, style{}); name == "min" || name == "max" {
			f = extreme(ft, style{}, name == "min", false, false)
		}
		if f != nil {
			f = each2(f, e, pair)
		}
	}
	if f == nil {
		return nil
	}
	return func(old, x, _ uint64) uint64 { return f(old, x) }
}
