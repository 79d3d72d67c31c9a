package tileir

// ViewAxis says how the tiles of a view lie along one of their axes.
type ViewAxis struct {
	Extent int64 // of a tile, in elements
	Step   int64 // from where one tile begins to where the next one does, in elements of the tensor
	Dim    int   // the tensor's dimension
	Sparse bool  // an access gives the position of each element along Dim, and not the number of a tile
}

// Axes implements [ViewType].
func (v *PartitionViewType) Axes() []ViewAxis { return viewAxes(v.Tile, v.Tile, v.DimMap) }

// Axes implements [ViewType].
func (v *StridedViewType) Axes() []ViewAxis { return viewAxes(v.Tile, v.Traversal, v.DimMap) }

// Axes implements [ViewType]. An access gives where its tile begins, in elements.
func (v *GatherScatterViewType) Axes() []ViewAxis {
	axes := viewAxes(v.Tile, nil, nil)
	axes[v.SparseDim].Sparse = true
	return axes
}

// PaddingValue implements [ViewType].
func (v *PartitionViewType) PaddingValue() Padding { return v.Padding }

// PaddingValue implements [ViewType].
func (v *StridedViewType) PaddingValue() Padding { return v.Padding }

// PaddingValue implements [ViewType].
func (v *GatherScatterViewType) PaddingValue() Padding { return v.Padding }

// viewAxes makes the axes of a tile; no steps are steps of one element, and no dims the dimensions in their order.
func viewAxes(tile, steps, dims []int) []ViewAxis {
	axes := make([]ViewAxis, len(tile))
	for i, n := range tile {
		axes[i] = ViewAxis{Extent: int64(n), Step: 1, Dim: i}
		if steps != nil {
			axes[i].Step = int64(steps[i])
		}
		if len(dims) > 0 {
			axes[i].Dim = dims[i]
		}
	}
	return axes
}
