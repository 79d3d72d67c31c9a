package tileir

import "strconv"

// customFormats has the operations whose text depends on more than what is given. It is filled in when the program
// starts, because the functions lead back to it.
var customFormats [len(byOpcode)]func(*printer, *Op)

func init() {
	customFormats = [len(byOpcode)]func(*printer, *Op){
		OpFor: printFor, OpLoop: printLoop, OpIf: printIf, OpReduce: printReduce, OpScan: printReduce,
		OpMakeTensorView: printMakeTensorView, OpLoadViewTko: printLoadView, OpStoreViewTko: printStoreView,
		OpAtomicRedViewTko: printAtomicRedView, OpGetIndexSpaceShape: printShapeOf, OpGetTensorShape: printShapeOf,
		OpGetGlobal: printGetGlobal,
	}
}

// block gives the i-th region, nil where it is absent.
func (o *Op) block(i int) *Block {
	if i < len(o.Regions) {
		return o.Regions[i]
	}
	return nil
}

// iterValues prints the block arguments with the values that they start with.
func (p *printer) iterValues(args, inits []*Value) {
	p.text("iter_values(")
	p.list(min(len(args), len(inits)), func(i int) {
		p.value(args[i])
		p.text(" = ")
		p.value(inits[i])
	})
	p.text(")")
}

// body prints a region unless only the head is wanted.
func (p *printer) body(b *Block, implied int) {
	if !p.brief {
		p.region(b, implied, false)
	}
}

func printFor(p *printer, o *Op) {
	var args []*Value
	if b := o.block(0); b != nil {
		args = b.Args
	}
	if o.given("unsignedCmp") {
		p.text(" unsigned")
	}
	p.text(" ")
	if len(args) > 0 {
		p.value(args[0])
		args = args[1:]
	}
	p.format(o, " in ($lowerBound to $upperBound, step $step) : #lowerBound ")
	if inits := o.Group(3); len(inits) > 0 {
		p.iterValues(args, inits)
		p.text(" -> (")
		p.types(inits)
		p.text(") ")
	}
	p.body(o.block(0), OpContinue)
}

func printLoop(p *printer, o *Op) {
	inits := o.Group(0)
	p.text(" ")
	if len(inits) > 0 {
		var args []*Value
		if b := o.block(0); b != nil {
			args = b.Args
		}
		p.iterValues(args, inits)
		p.text(" ")
	}
	if len(inits) > 0 || len(o.Results) > 0 {
		p.text(": ")
	}
	if len(inits) > 0 {
		p.types(inits)
		p.text(" ")
		if len(o.Results) > 0 {
			p.text("-> ")
		}
	}
	if len(o.Results) > 0 {
		p.types(o.Results)
		p.text(" ")
	}
	p.body(o.block(0), OpContinue)
}

func printIf(p *printer, o *Op) {
	p.format(o, " $condition")
	if len(o.Results) > 0 {
		p.text(" -> (")
		p.types(o.Results)
		p.text(")")
	}
	p.text(" ")
	p.body(o.block(0), OpYield)
	if b := o.block(1); b != nil && len(b.Ops) > 0 && !p.brief {
		p.text(" else ")
		p.body(b, OpYield)
	}
}

func printReduce(p *printer, o *Op) {
	p.format(o, " $operands dim=@dim")
	if o.Info.Opcode == OpScan {
		p.format(o, " reverse=@reverse")
	}
	p.format(o, " identities=@identities : #operands -> #results")
	if p.brief || o.block(0) == nil {
		return
	}
	p.text(" ")
	p.line()
	args := o.Regions[0].Args
	p.text("(")
	p.list(len(args), func(i int) {
		p.value(args[i])
		p.text(": ")
		p.typeOf(args[i])
	})
	p.text(") ")
	p.region(o.Regions[0], OpYield, true)
}

func printMakeTensorView(p *printer, o *Op) {
	p.format(o, " $base")
	shape, strides := o.Group(1), o.Group(2)
	if t, ok := o.Results[0].Type.(*TensorViewType); ok {
		p.text(", shape = [")
		p.mixed(t.Shape, shape)
		p.text("], strides = [")
		p.mixed(t.Strides, strides)
		p.text("]")
	}
	p.text(" : ")
	if dynamic := append(shape[:len(shape):len(shape)], strides...); len(dynamic) > 0 {
		p.typeOf(dynamic[0])
		p.text(" -> ")
	}
	p.types(o.Results)
}

// mixed prints extents or strides, with the next value for each that is dynamic.
func (p *printer) mixed(xs []int64, dynamic []*Value) {
	p.list(len(xs), func(i int) {
		switch {
		case xs[i] != Dynamic:
			p.text(strconv.FormatInt(xs[i], 10))
		case len(dynamic) > 0:
			p.value(dynamic[0])
			dynamic = dynamic[1:]
		default:
			p.text("?")
		}
	})
}

// indexTypes prints one type for all indices if they share it.
func (p *printer) indexTypes(index []*Value) {
	if len(index) == 0 {
		return
	}
	same := true
	for _, v := range index[1:] {
		same = same && v != nil && index[0] != nil && Identical(v.Type, index[0].Type)
	}
	if same {
		index = index[:1]
	}
	p.text(", ")
	p.types(index)
}

func printLoadView(p *printer, o *Op) {
	p.format(o, order+" $view[$index]"+viewEnd+" : #view")
	p.indexTypes(o.named("index"))
	p.format(o, " -> #tile, #result_token")
}

func printStoreView(p *printer, o *Op) {
	p.format(o, order+" $tile, $view[$index]"+viewEnd+" : #tile, #view")
	p.indexTypes(o.named("index"))
	p.format(o, " -> #result_token")
}

func printAtomicRedView(p *printer, o *Op) {
	p.format(o, order+" $view[$index], @mode, $value?token{ token = $token} : #value, #view")
	p.indexTypes(o.named("index"))
	p.format(o, " -> #result_token")
}

func printShapeOf(p *printer, o *Op) {
	p.format(o, " $src : #src -> ")
	p.types(o.Results[:min(1, len(o.Results))])
}

func printGetGlobal(p *printer, o *Op) {
	name, _ := o.Attr("name").(String)
	p.text(" @", symbol(string(name)))
	p.format(o, " : #result")
}
