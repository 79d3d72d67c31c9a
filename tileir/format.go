package tileir

import "strings"

// The text form of an operation after its mnemonic is a format: text with these marks, each followed by a name of
// letters, digits and underscores:
//
//	$name        the values of an operand, with commas
//	#name        the types of an operand or result, with commas
//	@name        an attribute
//	~name:text~  rounding<value> unless the attribute has the value text
//	?name{...}   the rest in braces, if the operand or attribute is given and not its default
//
// The doubled blanks are those of the real tool, which prints one before an attribute even where it prints nothing.
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
	order       = " @memory_ordering_semantics?memory_scope{ @memory_scope}"
	hintsText   = "?optimization_hints{ optimization_hints = @optimization_hints}"
	viewEnd     = "?token{ token = $token}" + hintsText + "?inbounds{ inbounds = @inbounds}"
	maybeWait   = "?token{ token = $token} -> #result_token"
)

// formats has the text form of every operation but those in customFormats, by number.
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
}

// format prints an operation as its format says.
func (p *printer) format(o *Op, f string) {
	for f != "" {
		i := strings.IndexAny(f, "$#@~?")
		if i < 0 {
			p.text(f)
			return
		}
		p.text(f[:i])
		mark := f[i]
		f = f[i+1:]
		name := f[:nameLen(f)]
		f = f[len(name):]
		switch mark {
		case '$':
			p.values(o.named(name))
		case '#':
			p.types(o.named(name))
		case '@':
			p.attr(o, o.Info.AttrIndex(name))
		case '~':
			end := strings.IndexByte(f, '~')
			p.rounding(o, o.Info.AttrIndex(name), f[1:end])
			f = f[end+1:]
		case '?':
			end := strings.IndexByte(f, '}')
			if o.given(name) {
				p.format(o, f[1:end])
			}
			f = f[end+1:]
		}
	}
}

func nameLen(s string) int {
	for i, c := range []byte(s) {
		if c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return i
		}
	}
	return len(s)
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
	for i := range o.Info.Results {
		if r := &o.Info.Results[i]; r.Name == name {
			switch {
			case r.Variadic:
				return o.Results
			case i < len(o.Results):
				return o.Results[i : i+1]
			}
		}
	}
	return nil
}

// given reports whether an operand has values, or an attribute a value that is not its default.
func (o *Op) given(name string) bool {
	if i := o.Info.OperandIndex(name); i >= 0 {
		return len(o.Group(i)) > 0
	}
	i := o.Info.AttrIndex(name)
	switch v := o.Attrs[i].(type) {
	case nil:
		return false
	case Int:
		a := &o.Info.Attrs[i]
		return !a.HasDefault || int64(v) != a.Default
	case Bool:
		return bool(v)
	case Bools:
		for _, b := range v {
			if b {
				return true
			}
		}
		return false
	}
	return true
}
