package tileir

import (
	"strings"
	"sync"
)

// The text form of an operation after its mnemonic is a format: text with these marks, each followed by a name of
// letters, digits and underscores:
//
//	$name        the values of an operand, with commas
//	#name        the types of an operand or result, with commas
//	@name        an attribute
//	~name:text~  rounding<value> unless the attribute has the value text
//	?name{...}   the rest in braces, if the operand or result has values, or the attribute a value that is not its default
//	!name        what directives has under that name
//
// Printer and parser follow the same formats. The doubled blanks are those of the real tool, which prints one before an
// attribute even where it prints nothing; the parser does not look at blanks.
const (
	unary       = " $source : #result"
	elementwise = " $lhs, $rhs : #result"
	twoXY       = " $x, $y : #result"
	convert     = " $source : #source -> #result"
	ieee        = " $lhs, $rhs ~rounding_mode:nearest_even~?flush_to_zero{ flush_to_zero} : #result"
	flushing    = " $source?flush_to_zero{ flush_to_zero} : #result"
	fullRound   = " $source ~rounding_mode:full~ : #result"
	wrapping    = " $lhs, $rhs?overflow{ overflow<@overflow>} : #result"
	signedOp    = " $lhs, $rhs @signedness : #result"
	minMax      = " $lhs, $rhs?flush_to_zero{ flush_to_zero}?propagate_nan{ propagate_nan} : #result"
	onlyType    = " : #result"
	ending      = "?operands{ $operands : #operands}"
	viewMaker   = " $tensor_view : #result"
	order       = " @memory_ordering_semantics!scope"
	hintsText   = "?optimization_hints{ optimization_hints = @optimization_hints}"
	viewEnd     = "?token{ token = $token}" + hintsText + "?inbounds{ inbounds = @inbounds}"
	maybeWait   = "?token{ token = $token} -> #result_token"
)

// formats has the text form of every operation, by number.
var formats = [len(byOpcode)]string{
	OpAbsF: unary, OpAbsI: unary, OpCeil: unary, OpCos: unary, OpCosH: unary, OpFloor: unary, OpLog: unary,
	OpLog2: unary, OpNegF: unary, OpSin: unary, OpSinH: unary, OpTan: unary,
	OpExp2: flushing, OpRsqrt: flushing, OpExp: fullRound, OpTanH: fullRound,
	OpSqrt: " $source ~rounding_mode:nearest_even~?flush_to_zero{ flush_to_zero} : #result",
	OpAddF: ieee, OpSubF: ieee, OpMulF: ieee, OpDivF: ieee, OpMaxF: minMax, OpMinF: minMax, OpRemF: elementwise,
	OpFma:   " $lhs, $rhs, $acc ~rounding_mode:nearest_even~?flush_to_zero{ flush_to_zero} : #result",
	OpFPowF: " $source, $exponent : #result", OpFPowI: " $source, $exponent : #source, #exponent",
	OpAtan2: twoXY, OpMulhiI: twoXY,
	OpAddI: wrapping, OpSubI: wrapping, OpMulI: wrapping, OpShLI: wrapping, OpShRI: signedOp, OpMaxI: signedOp,
	OpMinI: signedOp, OpRemI: signedOp, OpAndI: elementwise, OpOrI: elementwise, OpXOrI: elementwise,
	OpDivI: " $lhs, $rhs @signedness?rounding{ rounding<@rounding>} : #result",
	OpNegI: " $source?overflow{ overflow<@overflow>} : #result",

	OpCmpF:       " @comparison_predicate @comparison_ordering $lhs, $rhs : #lhs -> #result",
	OpCmpI:       " @comparison_predicate $lhs, $rhs, @signedness : #lhs -> #result",
	OpMmaF:       " $lhs, $rhs, $acc?fast_acc{ fast_acc} : #lhs, #rhs, #acc",
	OpMmaI:       " $lhs, $rhs, $acc @signedness_lhs @signedness_rhs : #lhs, #rhs, #acc",
	OpMmaFScaled: " $lhs, $rhs, $acc, $lhs_scale, $rhs_scale : #lhs, #rhs, #acc, #lhs_scale, #rhs_scale",

	OpBitcast: convert, OpBroadcast: convert, OpIntToPtr: convert, OpPtrToInt: convert, OpPtrToPtr: convert,
	OpReshape: convert, OpPack: convert, OpUnpack: convert,
	OpExtI:   " $from @signedness : #from -> #to",
	OpTruncI: " $from?overflow{ overflow<@overflow>} : #from -> #to",
	OpFToF:   " $from ~rounding_mode:nearest_even~ : #from -> #to",
	OpFToI:   " $from @signedness ~rounding_mode:nearest_int_to_zero~?saturating{ saturating} : #from -> #to",
	OpIToF:   " $from @signedness ~rounding_mode:nearest_even~ : #from -> #to",

	OpCat:     " $lhs, $rhs dim = @dim : #lhs, #rhs -> #result",
	OpExtract: " $source[$indices] : #source -> #result",
	OpInsert:  " $source, $destination[$indices] : #source, #destination",
	OpPermute: " $source @permutation : #source -> #result",
	OpSelect:  " $cond, $val_if_true, $val_if_false : #cond, #result",
	OpOffset:  " $ptr, $offset : #ptr, #offset -> #result",
	OpIota:    onlyType, OpMakeToken: onlyType,
	OpGetTileBlockId: " : #blockId_x", OpGetNumTileBlocks: " : #gridSize_x",
	OpConstant: " @value", OpAssume: " @predicate, $value : #value", OpAssert: " $condition, @message : #condition",
	OpAlloca: " num_elem = @num_elem, alignment = @alignment?global{ global} : #result",

	OpMakePartitionView: viewMaker, OpMakeStridedView: viewMaker, OpMakeGatherScatterView: viewMaker,
	OpJoinTokens: " $tokens : #result",
	OpPrintTko:   " @str?args{, $args}?token{ token=$token}?args{ : #args} -> #result_token",
	OpLoadPtrTko: order + " $source?mask{, $mask}?paddingValue{, $paddingValue}?token{ token=$token}" + hintsText +
		" : #source?mask{, #mask}?paddingValue{, #paddingValue} -> #result, #result_token",
	OpStorePtrTko: order + " $destination, $value?mask{, $mask}?token{ token=$token}" + hintsText +
		" : #destination, #value?mask{, #mask} -> #result_token",
	OpAtomicCASTko: order + " $pointers, $cmp, $val?mask{, $mask}?token{ token=$token}" +
		" : #pointers, #val?mask{, #mask} -> #result, #result_token",
	OpAtomicRMWTko: order + " $pointers, @mode, $arg?mask{, $mask}?token{ token=$token}" +
		" : #pointers, #arg?mask{, #mask} -> #result, #result_token",
	OpGdcWaitTko: maybeWait, OpGdcLaunchDependentsTko: maybeWait,
	OpMemoryFenceAliasTko: " $token",

	OpBreak: ending, OpContinue: ending, OpReturn: ending, OpYield: ending,

	OpFor: "?unsignedCmp{ unsigned} !index in ($lowerBound to $upperBound, step $step) : #lowerBound " +
		"?initValues{!iterValues -> (#initValues) }!loopBody",
	OpLoop:   " ?initValues{!iterValues }!loopTypes!loopBody",
	OpIf:     " $condition?results{ -> (#results)} !then!else",
	OpReduce: " $operands dim=@dim identities=@identities : #operands -> #results !reduceBody",
	OpScan:   " $operands dim=@dim reverse=@reverse identities=@identities : #operands -> #results !reduceBody",

	OpMakeTensorView: " $base!layout : !dynamicType#result",
	OpLoadViewTko:    order + " $view[$index]" + viewEnd + " : #view!indexTypes -> #tile, #result_token",
	OpStoreViewTko:   order + " $tile, $view[$index]" + viewEnd + " : #tile, #view!indexTypes -> #result_token",
	OpAtomicRedViewTko: order + " $view[$index], @mode, $value?token{ token = $token} : #value, #view!indexTypes" +
		" -> #result_token",
	OpGetIndexSpaceShape: " $src : #src -> !firstType", OpGetTensorShape: " $src : #src -> !firstType",
	OpGetGlobal: " !symbol : #result",
}

// element is a piece of a format.
type element struct {
	mark      byte   // 0 for plain text
	text      string // plain text, or the value of ~ that is not printed
	name      string // of an operand, result, attribute or directive
	operand   int    // index in [Info.Operands], or -1
	attr      int    // index in [Info.Attrs], or -1
	result    int    // index in [Info.Results], or -1
	inside    []element
	directive *directive
}

// syntax gives the format of an operation in pieces.
func syntax(code int) []element { return syntaxes()[code] }

// syntaxes is built when a text is first printed or parsed.
var syntaxes = sync.OnceValue(func() [][]element {
	out := make([][]element, len(formats))
	for code, f := range formats {
		if f != "" {
			out[code] = compileFormat(byOpcode[code], f)
		}
	}
	return out
})

func compileFormat(in *Info, f string) []element {
	var out []element
	for f != "" {
		i := strings.IndexAny(f, "$#@~?!")
		if i < 0 {
			i = len(f)
		}
		if i > 0 {
			out = append(out, element{text: f[:i]})
			f = f[i:]
			continue
		}
		e := element{mark: f[0], name: f[1 : 1+nameLen(f[1:])]}
		f = f[1+len(e.name):]
		e.operand, e.attr, e.result = in.OperandIndex(e.name), in.AttrIndex(e.name), in.resultIndex(e.name)
		switch e.mark {
		case '~':
			end := strings.IndexByte(f[1:], '~') + 1
			e.text, f = f[1:end], f[end+1:]
		case '?':
			end := strings.IndexByte(f, '}')
			e.inside, f = compileFormat(in, f[1:end]), f[end+1:]
		case '!':
			if e.directive = directives[e.name]; e.directive == nil {
				panic("BUG: tileir: the format of " + in.Mnemonic + " has an unknown directive " + e.name)
			}
		}
		if e.mark != '!' && e.operand < 0 && e.attr < 0 && e.result < 0 {
			panic("BUG: tileir: the format of " + in.Mnemonic + " names " + e.name + ", which it does not have")
		}
		out = append(out, e)
	}
	return out
}

// resultIndex is the place of the named result in [Info.Results], -1 where there is none.
func (in *Info) resultIndex(name string) int {
	for i := range in.Results {
		if in.Results[i].Name == name {
			return i
		}
	}
	return -1
}

func nameLen(s string) int {
	for i, c := range []byte(s) {
		if c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return i
		}
	}
	return len(s)
}

// elements prints an operation as its format says.
func (p *printer) elements(o *Op, es []element) {
	for i := range es {
		e := &es[i]
		switch e.mark {
		case 0:
			p.text(e.text)
		case '$':
			p.values(o.Group(e.operand))
		case '#':
			p.types(o.named(e.name))
		case '@':
			p.attr(o, e.attr)
		case '~':
			p.rounding(o, e.attr, e.text)
		case '?':
			if e.given(o) {
				p.elements(o, e.inside)
			}
		case '!':
			e.directive.print(p, o)
		}
	}
}

func (p *printer) rounding(o *Op, i int, unless string) {
	a := &o.Info.Attrs[i]
	v, ok := o.Attrs[i].(Int)
	if !ok {
		v = Int(a.Default)
	}
	if s := enumText(a.Enum, int64(v)); s != unless {
		p.text("rounding<", s, ">")
	}
}

// named gives the values of the named operand or result.
func (o *Op) named(name string) []*Value {
	if i := o.Info.OperandIndex(name); i >= 0 {
		return o.Group(i)
	}
	return o.resultGroup(o.Info.resultIndex(name))
}

// resultGroup gives the values of the i-th result of the table.
func (o *Op) resultGroup(i int) []*Value {
	switch {
	case i < 0:
		return nil
	case o.Info.Results[i].Variadic:
		return o.Results
	case i < len(o.Results):
		return o.Results[i : i+1]
	}
	return nil
}

// given reports whether an operand or result has values, or an attribute a value that is not its default.
func (e *element) given(o *Op) bool {
	switch {
	case e.operand >= 0:
		return len(o.Group(e.operand)) > 0
	case e.attr >= 0:
		return o.Attrs[e.attr] != nil && !(o.Info.Attrs[e.attr].isDefault(o.Attrs[e.attr]))
	}
	return len(o.resultGroup(e.result)) > 0
}
