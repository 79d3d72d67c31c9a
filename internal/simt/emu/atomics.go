package emu

// atomics decodes atom and red: a read, an operation and a write that nothing comes between.
func atomics(d *decoder) exec {
	if d.peek("async") {
		return reduceAsync(d)
	}
	withResult := d.in.Op[0] == 'a'
	wide := d.has("b128")
	t := typ{'b', 64, "b64"} // of which wide ones have two
	if !wide {
		t = d.typ()
	}
	s := d.space()
	how := reads | writes | d.sharing(d.oneOf("relaxed", "acquire", "release", "acq_rel"))
	d.ignore("gpu", "sys", "noftz")
	if wide {
		return d.atomicWide(s, how)
	}
	flushes := t.name == "f32" && d.peek("add")
	f := d.atomicOp(t)
	if f == nil {
		return nil
	}
	change := func(addr, old, x, y uint64) uint64 {
		if flushes && inGlobal(s, addr) {
			return addFlushed(old, x)
		}
		return f(old, x, y)
	}
	if n := vectorOf[d.oneOf("v2", "v4", "v8")]; n > 1 {
		return d.atomicVector(t, n, s, how, change)
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
			putLittle(data, change(addr, old, x[lane], y[lane]))
			w.v[dst][lane] = old
		})
	}
}

// atomicVector decodes atom and red of elements that lie side by side.
func (d *decoder) atomicVector(t typ, n int, s space, how access, change func(addr, old, x, y uint64) uint64) exec {
	var dst []int
	if d.in.Op[0] == 'a' {
		if dst = d.dsts(0); len(dst) != n {
			d.fail("%d results for %d elements", len(dst), n)
		}
	}
	at := min(len(dst), 1)
	a, src, size := d.addr(at), d.srcs(at+1, t.bits), t.bits/8
	if len(src) != n {
		d.fail("%d values for %d elements", len(src), n)
		return nil
	}
	return func(w *warp, m uint32) {
		w.each(m, func(lane int) {
			addr := a.at(w, lane)
			if !inGlobal(s, addr) {
				w.fault(lane, "%s at 0x%x: elements side by side are changed in global memory alone", w.op(), addr)
				return
			}
			data := w.memory(s, addr, n*size, lane, how)
			if data == nil {
				return
			}
			l := lockOf(addr)
			l.Lock()
			defer l.Unlock()
			var old [8]uint64
			for k, r := range src {
				element := data[k*size : (k+1)*size]
				old[k] = little(element)
				putLittle(element, change(addr, old[k], w.v[r][lane], 0))
			}
			for k, r := range dst { // which may be among the values
				w.v[r][lane] = old[k]
			}
		})
	}
}

// atomicWide decodes atom.exch and atom.cas of 16 bytes, which lie in two registers.
func (d *decoder) atomicWide(s space, how access) exec {
	operands, compares := 3, false
	switch d.oneOf("exch", "cas") {
	case "cas":
		operands, compares = 4, true
	case "":
		return nil
	}
	if len(d.ops) != operands {
		d.fail("%d operands, expected %d", len(d.ops), operands)
		return nil
	}
	dst, a, value := d.dsts(0), d.addr(1), d.srcs(operands-1, 64)
	want := value
	if compares {
		want = d.srcs(2, 64)
	}
	if len(dst) != 2 || len(want) != 2 || len(value) != 2 {
		d.fail("values of 16 bytes are vectors of two registers")
		return nil
	}
	return func(w *warp, m uint32) {
		w.each(m, func(lane int) {
			addr := a.at(w, lane)
			data := w.memory(s, addr, 16, lane, how)
			if data == nil {
				return
			}
			l := lockOf(addr)
			l.Lock()
			defer l.Unlock()
			old := [2]uint64{little(data[:8]), little(data[8:16])}
			if !compares || old == [2]uint64{w.v[want[0]][lane], w.v[want[1]][lane]} {
				for k, r := range value {
					putLittle(data[8*k:8*k+8], w.v[r][lane])
				}
			}
			for k, r := range dst {
				w.v[r][lane] = old[k]
			}
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
