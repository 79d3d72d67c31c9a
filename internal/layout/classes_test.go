package layout_test

import "strings"

// covered is the number of cases of each class of package.txt that TestPackage answers, by group and operation.
var covered = map[string]map[string]int{
	"divide": {"flat_divide": 140, "logical_divide": 140, "tiled_divide": 140, "zipped_divide": 140},
	"dynamic": {
		"add": 28, "blocked_product": 66, "ceil_div": 28, "coalesce": 11, "complement": 28, "composition": 121,
		"cosize": 11, "crd2idx": 22, "filter": 11, "flat_divide": 88, "flatten": 11, "floordiv": 28,
		"left_inverse": 11, "local_partition": 22, "local_partition_identity": 22, "local_tile": 44,
		"local_tile_identity": 44, "logical_divide": 88, "logical_product": 66, "make_layout": 11,
		"make_layout_of_value": 3, "mul": 28, "raked_product": 66, "right_inverse": 11, "round_up": 28,
		"shape_div": 28, "size": 11, "slice": 44, "stride_times": 28, "swizzle": 11, "tiled_divide": 88,
		"zipped_divide": 88,
	},
	"helper": {
		"append": 4, "ceil_div": 4, "coalesce": 4, "cosize": 4, "depth": 4, "filter": 4, "filter_zeros": 4,
		"flatten": 4, "flatten_to_tuple": 3, "get": 12, "group_modes": 4, "is_congruent": 4,
		"is_weakly_congruent": 4, "left_inverse": 4, "make_fragment_like": 4, "make_identity_layout": 4,
		"make_identity_tensor": 4, "make_layout": 4, "make_layout_tv": 11, "make_ordered_layout": 12,
		"max_common_layout": 4, "max_common_vector": 4, "prepend": 4, "product": 3, "product_each": 3, "rank": 4,
		"recast_layout": 16, "right_inverse": 4, "round_up": 4, "select": 4, "shape": 4, "shape_div": 4, "size": 4,
		"tile_to_shape": 4,
	},
	"product": {
		"blocked_product": 49, "flat_product": 49, "logical_product": 49, "raked_product": 49, "tiled_product": 49,
		"zipped_product": 49,
	},
	"swizzle": {
		"blocked_product": 48, "call": 384, "coalesce": 48, "composition": 96, "cosize": 48, "flat_divide": 96,
		"logical_divide": 96, "logical_product": 48, "make": 96, "recast_layout": 192, "slice": 192,
		"tile_to_shape": 144, "tiled_divide": 96, "zipped_divide": 96,
	},
	"tile": {
		"domain_offset": 4, "flat_divide_identity": 8, "flat_divide_tensor": 8, "local_partition": 48,
		"local_partition_identity": 48, "local_tile": 24, "local_tile_identity": 24, "local_tile_proj": 12,
		"local_tile_proj_identity": 12, "logical_divide_identity": 8, "logical_divide_tensor": 8,
		"tiled_divide_identity": 8, "tiled_divide_tensor": 8, "zipped_divide_identity": 8, "zipped_divide_tensor": 8,
	},
}

// notCovered are the classes that this package has no operation for: instructions and what is built on them belong to
// other packages. Their cases are kept here all the same.
var notCovered = map[string]struct {
	file  string
	cases int
	why   string
}{
	"copy atom":                        {"atoms.txt", 37, "tiled copies and copy atoms"},
	"copy make_tiled_copy_A":           {"atoms.txt", 36, "tiled copies and copy atoms"},
	"copy make_tiled_copy_A_partition": {"atoms.txt", 36, "tiled copies and copy atoms"},
	"copy make_tiled_copy_B":           {"atoms.txt", 36, "tiled copies and copy atoms"},
	"copy make_tiled_copy_B_partition": {"atoms.txt", 36, "tiled copies and copy atoms"},
	"copy make_tiled_copy_C":           {"atoms.txt", 36, "tiled copies and copy atoms"},
	"copy make_tiled_copy_C_partition": {"atoms.txt", 36, "tiled copies and copy atoms"},
	"copy make_tiled_copy_tv":          {"atoms.txt", 148, "tiled copies and copy atoms"},
	"copy partition_identity":          {"atoms.txt", 296, "tiled copies and copy atoms"},
	"dynamic partition_A":              {"atoms.txt", 18, "tiled mma"},
	"dynamic partition_B":              {"atoms.txt", 18, "tiled mma"},
	"dynamic partition_C":              {"atoms.txt", 18, "tiled mma"},
	"dynamic partition_identity_thr":   {"atoms.txt", 4, "tiled mma"},
	"helper append_ones":               {"package.txt", 4, "is not in the package either: each case is an AttributeError"},
	"mma partition_identity":           {"atoms.txt", 231, "tiled mma"},
	"mma tiled_mma":                    {"atoms.txt", 77, "tiled mma"},
	"swizzle make_smem_layout_atom":    {"package.txt", 24, "shared memory layouts of wgmma"},
	"wgmma partition_identity":         {"atoms.txt", 44, "tiled mma of warp groups"},
	"wgmma tiled_mma":                  {"atoms.txt", 92, "tiled mma of warp groups"},
}

// deliberate are answers that differ from the package on purpose, besides divides with an underscore; see
// testdata/README.md.
var deliberate = []struct {
	why   string
	cases int
	is    func(class string, operands []string, recorded string) bool
	want  func(operands []string) string
}{{
	"a product with a symbol is known to be divisible; the package's Int32 has no divisor", 7,
	func(class string, operands []string, recorded string) bool {
		return class == "dynamic round_up" && operands[0] == "?"
	},
	func(operands []string) string { return "?{div=" + operands[1] + "}" },
}, {
	"the same, of a layout with that shape", 7,
	func(class string, operands []string, recorded string) bool {
		return class == "dynamic mul" && operands[0] == "?"
	},
	func(operands []string) string { return "?{div=" + operands[1] + "}:1" },
}, {
	"no bit of a swizzle lies below bit 0; the package goes around to 4294967295", 24,
	func(class string, _ []string, recorded string) bool {
		return class == "swizzle recast_layout" && strings.Contains(recorded, ",4294")
	},
	func([]string) string { return "refused" },
}, {
	"a swizzle whose source and target overlap is not sliced; the package crashes or answers negative sizes", 8,
	func(class string, operands []string, recorded string) bool {
		return class == "swizzle slice" && operands[0] == "S<4,0,3>" && (recorded == "crash" || strings.Contains(recorded, "-"))
	},
	func([]string) string { return "refused" },
}, {
	"shape_div of tuples of different rank is refused; the package crashes", 1,
	func(class string, _ []string, recorded string) bool {
		return class == "helper shape_div" && recorded == "crash"
	},
	func([]string) string { return "refused" },
}}
