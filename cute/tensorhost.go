package cute

func (t Tensor[T]) hostLayout() Layout { return t.layout }
