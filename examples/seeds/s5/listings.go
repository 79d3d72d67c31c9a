package main

// listing is one of the seed's listings, with a program that shows it.
type listing struct {
	title string // the section of the seed, and the subject
	show  func() error
}

var listings = []listing{
	{"Static and dynamic arguments: foo(2, 2)", static},
	{"Static and dynamic arguments: a kernel with every kind of parameter", everyKind},
	{"Static and dynamic arguments: epilogue_op is a ReLU", fused},
	{"Type safety: foo(a, b)", checked},
	{"Type safety: the message for foo(b, a)", swapped},
	{"Customized types: MyDynamicExpression", byProtocol},
	{"Customized types: MyFrameworkObjectAdapter", byAdapter},
}
