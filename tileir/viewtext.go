package tileir

import (
	"fmt"
	"slices"
	"strings"
)

// String returns the type in the text form.
func (v *PartitionViewType) String() string {
	return "partition_view<tile=" + dims(v.Tile) + padText(v.Padding) + ", " + v.Tensor.String() + dimMapText(v.DimMap) + ">"
}

// String returns the type in the text form.
func (v *StridedViewType) String() string {
	return "strided_view<tile=" + dims(v.Tile) + ", traversal_strides=" + strings.ReplaceAll(list(v.Traversal), " ", "") + padText(v.Padding) + ", " +
		v.Tensor.String() + dimMapText(v.DimMap) + ">"
}

// String returns the type in the text form.
func (v *GatherScatterViewType) String() string {
	return "gather_scatter_view<tile=" + dims(v.Tile) + padText(v.Padding) + ", " + v.Tensor.String() +
		fmt.Sprintf(", sparse_dim=%d>", v.SparseDim)
}

func dims(xs []int) string {
	return "(" + strings.ReplaceAll(strings.Trim(fmt.Sprint(xs), "[]"), " ", "x") + ")"
}

func list(xs []int) string { return strings.ReplaceAll(fmt.Sprint(xs), " ", ", ") }

func padText(p Padding) string {
	if p == NoPadding {
		return ""
	}
	return ", padding_value = " + p.String()
}

// dimMapText leaves the identity out, as the printer of the dialect does.
func dimMapText(m []int) string {
	id := make([]int, len(m))
	for i := range id {
		id[i] = i
	}
	if slices.Equal(id, m) {
		return ""
	}
	return ", dim_map=" + list(m)
}
