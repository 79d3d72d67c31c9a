package mpi

// handle indexes the table of MPI's constants that are handles.
type handle int

const (
	commWorld handle = iota
	errorsReturn
	infoNull
	firstType
	firstOp = firstType + handle(numTypes)
	// numHandles is how many there are.
	numHandles = firstOp + handle(numOps)
)

// handles has each handle in both interfaces: the symbol whose address it is in Open MPI, and MPICH's number.
var handles = [numHandles]struct {
	symbol string
	number uintptr
}{
	commWorld:    {"ompi_mpi_comm_world", 0x44000000},
	errorsReturn: {"ompi_mpi_errors_return", 0x54000001},
	infoNull:     {"ompi_mpi_info_null", 0x1c000000},

	firstType + handle(Int8):    {"ompi_mpi_int8_t", 0x4c000137},
	firstType + handle(Int16):   {"ompi_mpi_int16_t", 0x4c000238},
	firstType + handle(Int32):   {"ompi_mpi_int32_t", 0x4c000439},
	firstType + handle(Int64):   {"ompi_mpi_int64_t", 0x4c00083a},
	firstType + handle(Uint8):   {"ompi_mpi_uint8_t", 0x4c00013b},
	firstType + handle(Uint16):  {"ompi_mpi_uint16_t", 0x4c00023c},
	firstType + handle(Uint32):  {"ompi_mpi_uint32_t", 0x4c00043d},
	firstType + handle(Uint64):  {"ompi_mpi_uint64_t", 0x4c00083e},
	firstType + handle(Float32): {"ompi_mpi_float", 0x4c00040a},
	firstType + handle(Float64): {"ompi_mpi_double", 0x4c00080b},

	firstOp + handle(Sum):     {"ompi_mpi_op_sum", 0x58000003},
	firstOp + handle(Product): {"ompi_mpi_op_prod", 0x58000004},
	firstOp + handle(Max):     {"ompi_mpi_op_max", 0x58000001},
	firstOp + handle(Min):     {"ompi_mpi_op_min", 0x58000002},
}

// numbers are MPI's constants that are none. The greater of both interfaces' sizes serves for both.
type numbers struct {
	inPlace        uintptr
	commTypeShared uintptr
}

var constants = map[Family]numbers{
	OpenMPI: {inPlace: 1, commTypeShared: 0},
	MPICH:   {inPlace: ^uintptr(0), commTypeShared: 1},
}

const (
	threadMultiple = 3
	textBytes      = 8192 // of a library's version, which is the longest text
	success        = 0
)

// status is MPI_Status, of which the library alone knows the fields.
type status [4]uint64

// fn indexes the table of functions.
type fn int

const (
	fnInitialized fn = iota
	fnInitThread
	fnFinalize
	fnGetLibraryVersion
	fnErrorString
	fnAbort
	fnCommSetErrhandler
	fnCommRank
	fnCommSize
	fnCommDup
	fnCommSplit
	fnCommSplitType
	fnCommFree
	fnBarrier
	fnAllreduce
	fnReduceScatterBlock
	fnAllgather
	fnAlltoall
	fnBcast
	fnReduce
	fnGather
	fnScatter
	fnSend
	fnRecv
	fnSendrecv
	fnGetCount
	numFns
)

var functions = [numFns]string{
	fnInitialized:        "MPI_Initialized",
	fnInitThread:         "MPI_Init_thread",
	fnFinalize:           "MPI_Finalize",
	fnGetLibraryVersion:  "MPI_Get_library_version",
	fnErrorString:        "MPI_Error_string",
	fnAbort:              "MPI_Abort",
	fnCommSetErrhandler:  "MPI_Comm_set_errhandler",
	fnCommRank:           "MPI_Comm_rank",
	fnCommSize:           "MPI_Comm_size",
	fnCommDup:            "MPI_Comm_dup",
	fnCommSplit:          "MPI_Comm_split",
	fnCommSplitType:      "MPI_Comm_split_type",
	fnCommFree:           "MPI_Comm_free",
	fnBarrier:            "MPI_Barrier",
	fnAllreduce:          "MPI_Allreduce",
	fnReduceScatterBlock: "MPI_Reduce_scatter_block",
	fnAllgather:          "MPI_Allgather",
	fnAlltoall:           "MPI_Alltoall",
	fnBcast:              "MPI_Bcast",
	fnReduce:             "MPI_Reduce",
	fnGather:             "MPI_Gather",
	fnScatter:            "MPI_Scatter",
	fnSend:               "MPI_Send",
	fnRecv:               "MPI_Recv",
	fnSendrecv:           "MPI_Sendrecv",
	fnGetCount:           "MPI_Get_count",
}
