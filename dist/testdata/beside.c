// The collectives of BenchmarkBeside, called from C in the same process.
#include <mpi.h>

// beside does one collective and returns the nanoseconds that it took.
long beside(int kind, float *dst, float *src, int n) {
	MPI_Barrier(MPI_COMM_WORLD);
	double start = MPI_Wtime();
	switch (kind) {
	case 0:
		MPI_Allreduce(MPI_IN_PLACE, dst, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
		break;
	case 1:
		MPI_Allgather(src, n, MPI_FLOAT, dst, n, MPI_FLOAT, MPI_COMM_WORLD);
		break;
	case 2:
		MPI_Reduce_scatter_block(src, dst, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
		break;
	case 3:
		MPI_Alltoall(src, n, MPI_FLOAT, dst, n, MPI_FLOAT, MPI_COMM_WORLD);
		break;
	case 4:
		MPI_Bcast(dst, n, MPI_FLOAT, 0, MPI_COMM_WORLD);
		break;
	case 5:
		MPI_Reduce(src, dst, n, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
		break;
	case 6:
		MPI_Gather(src, n, MPI_FLOAT, dst, n, MPI_FLOAT, 0, MPI_COMM_WORLD);
		break;
	case 7:
		MPI_Scatter(src, n, MPI_FLOAT, dst, n, MPI_FLOAT, 0, MPI_COMM_WORLD);
		break;
	case 8: {
		int other;
		MPI_Comm_rank(MPI_COMM_WORLD, &other);
		other = 1 - other;
		MPI_Sendrecv(src, n, MPI_FLOAT, other, 0, dst, n, MPI_FLOAT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		break;
	}
	}
	return (MPI_Wtime() - start) * 1e9;
}
