package bytecode

import "github.com/cutile-go/cutile/tileir"

// ordering follows the order in which Write would number the entries of tables while a module is read, and collects what
// the file lists out of that order, as [tileir.Module.Listed].
type ordering struct {
	before any            // the operation or entry that is read; nil for the rest of the module
	next   [numTables]int // entries below are numbered
	base   [numTables]int // next, when what is read began
	listed []tileir.Listed
}

// The tables whose order is followed.
const (
	stringTable = iota
	typeTable
	constantTable
	debugTable
	numTables
)

// begin says that what is read from here on belongs to an operation or entry.
func (o *ordering) begin(before any) { o.before, o.base = before, o.next }

// use numbers entry i of a table, which is not below next. Entries that it skips were listed early: they come before the
// operation, together with those that the operation itself used already. list adds one of them.
func (o *ordering) use(table, i int, list func(j int)) {
	if i > o.next[table] {
		o.list(table, i, list)
	}
	o.next[table] = i + 1
}

// list lists entries below i, from where the operation began.
func (o *ordering) list(table, i int, list func(j int)) {
	from := o.base[table]
	o.base[table] = i
	for j := from; j < i; j++ {
		o.next[table] = max(o.next[table], j+1)
		list(j)
	}
}

// restOf lists the entries at the end of a table of n that nothing refers to.
func (o *ordering) restOf(table, n int, list func(j int)) {
	if n > o.next[table] {
		o.list(table, n, list)
	}
}

func (r *reader) addListed(item any) {
	r.spend(listedSize)
	r.listed = append(r.listed, tileir.Listed{Before: r.before, Item: item})
}

// listedSize is about what an entry of Listed takes, in bytes.
const listedSize = 96

func (r *reader) listString(j int)   { r.addListed(tileir.String(r.strings[j])) }
func (r *reader) listConstant(j int) { r.addListed(&tileir.Constant{Data: r.constants[j]}) }
func (r *reader) listType(j int)     { r.addListed(r.types[j].anyType()) }

// listPlace lists a debug attribute if it is a position; the other attributes that positions consist of come with them.
func (r *reader) listPlace(j int) {
	r.useParts(j)
	if d := &r.debug.attrs[j]; d.isPlace() {
		r.addListed(d.place())
	}
}

func (r *reader) useString(i int) {
	if i >= r.next[stringTable] {
		r.use(stringTable, i, r.listString)
	}
}

func (r *reader) useConstant(i int) {
	if i >= r.next[constantTable] {
		r.use(constantTable, i, r.listConstant)
	}
}

// useType numbers the types that type i is made of, and then itself. A type that is made of later ones is no work of
// Write.
func (r *reader) useType(i int) {
	if i < r.next[typeTable] {
		return
	}
	for _, p := range r.types[i].parts {
		if int(p) < i {
			r.useType(int(p))
		}
	}
	r.use(typeTable, i, r.listType)
}

// usePlace numbers what debug attribute i is made of, and then itself. Here attributes count from 0.
func (r *reader) usePlace(i int) {
	if i >= r.next[debugTable] {
		r.useParts(i)
		r.use(debugTable, i, r.listPlace)
	}
}

func (r *reader) useParts(i int) {
	c := r.debug.table.cursor(i)
	kinds := debugFields[c.varint("")]
	var fields [maxDebugFields]int
	for k := range kinds {
		fields[k] = int(c.varint(""))
		if part := fields[k] - 1; kinds[k] == 'd' && part >= 0 && part < i {
			r.usePlace(part)
		}
	}
	for k := range kinds {
		if kinds[k] == 's' {
			r.useString(fields[k])
		}
	}
}

// debugFields has for each debug attribute, by tag, what its fields are: other attributes, strings and numbers.
var debugFields = [...]string{unknownTag: "", compileUnitTag: "d", fileTag: "ss", lexicalBlockTag: "ddnn", locTag: "dsnn",
	subprogramTag: "dnssdn", callSiteTag: "dd"}

const maxDebugFields = 6
