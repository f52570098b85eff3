#ifndef WORKER_PROCESS_H
#define WORKER_PROCESS_H

#include <sys/types.h>

/* Starts a copy of the calling process, as fork(2) does, which Swift does not import.

   The caller must have one thread: a copy has the locks of the others, and nobody who gives them back. The copy ends with
   its parent, and has no standard error.

   answers becomes a pipe from the copy: its end for reading, or for writing in the copy.

   Gives the copy's number, 0 in the copy, or a negative errno; -EBUSY if there is more than one thread. */
pid_t worker_process_start(int *answers);

#endif
