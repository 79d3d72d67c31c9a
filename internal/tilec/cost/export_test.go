package cost

// CountWithin is [Count] with another limit of operations.
var CountWithin = count
