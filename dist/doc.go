// Package dist lets the processes of a job work on tensors together: sums over all processes, exchanges between them, and what else
// MPI calls collectives. Each process has a rank, from 0 to the size less one, and its own device.
//
// Programs are started by what starts programs of several processes, such as mpirun, which says how many there are:
//
//	mpirun -n 4 ./program
//
// or by themselves, with [Spawn]. A process joins, and then does what all others do, in the same order:
//
//	g, err := dist.Join(ctx, dev)
//	...
//	err = dist.AllReduce(ctx, g, dist.Sum, gradients, gradients)
//
// Started alone, a program is a job of one process, for which nothing need be installed.
//
// # Order
//
// A collective is queued like a launch, behind all work that its tensors are used in and before all later work that uses them. The
// collectives of a [Group] happen in the order in which they were queued, on a stream of the group's own, while other streams go on: a
// program that queues the sum of one tensor and computes another does both at the same time. An error of a collective is returned by the
// next call that waits for the group, such as [Group.Sync] or the Read of a tensor that the collective wrote.
//
// All processes must queue the same collectives of a group in the same order, with tensors of equal length. If they do not, the result is
// undefined: most often the job waits forever. [WithChecks] finds such mistakes. Two groups that share processes are independent; if
// processes wait for the collectives of two groups in different orders, they wait for each other.
//
// Collectives cannot be captured in a graph of launches: while a stream of the device captures, they are an error.
//
// # GPUs
//
// Each process opens the GPU that [Process.Device] names. On the device cuda, [Join] loads NCCL where it is installed, and collectives are queued on the GPU. What NCCL does not do, which is
// to reduce integers of 16 bits, and floats [WithOrder], goes through MPI, and so does everything on GPUs without NCCL: the tensors are copied to
// the program's memory and back, the call returns when that is done, and it returns the errors itself.
//
// Where MPI does not know the processes, as torchrun's and those of an indexed job of Kubernetes, NCCL is enough. The processes then
// meet over TCP, at the machine MASTER_ADDR and the port MASTER_PORT (under torchrun, which uses that port itself, the next one).
//
// # Failures
//
// A process that ends without having closed its group, or is killed, ends the job: mpirun kills the others, within seconds, and returns a code
// that is not 0 (that of MPICH may be 0 where a process has ended with 0, without Close). So after an error, end the program with a code; [Group.Abort] does so for all processes at once. A process that waits
// for others in a collective waits without end, unless [WithLimit] says for how long. It cannot be stopped, holds a processor meanwhile, as
// MPI polls, and Close of the group and of the device wait for it. A context ends the waits of [Join], [Group.Sync], [Group.Barrier] and [Group.Split], not what they wait for.
//
// docs/scale.md says how to start jobs, and what moves how many bytes.
package dist
