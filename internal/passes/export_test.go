package passes

var Elementwise = elementwise
