package ptx

// AnyOrder is the beginning of an opcode behind which modifiers may have any order, "" if there is none or two opcodes differ in it alone.
func AnyOrder(op string) string {
	head := beginning(op)
	if head == "" || orders()[sortedOp(op, head)] != op {
		return ""
	}
	return head
}
