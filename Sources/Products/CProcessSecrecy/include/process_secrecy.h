#ifndef PROCESS_SECRECY_H
#define PROCESS_SECRECY_H

/* The environment variable that switches all of it off, for debuggers and profilers, if it is set and not empty. */
#define PROCESS_SECRECY_OFF "CARDPRESENT_DEBUGGABLE"

/* Keeps what the calling process holds in memory inside it, until it ends or executes another program:

   - it leaves no core file (setrlimit(2), RLIMIT_CORE), and none that the kernel hands to a program (core(5));
   - other processes of its user may not attach to it or read its memory (prctl(2), PR_SET_DUMPABLE);
   - the Swift runtime does not print registers, and memory that they point to, when it crashes.

   To be called before there are threads. Gives 0, or a negative errno if the system refuses. */
int process_secrecy_begin(void);

/* The last of these alone, for a copy of a process that may be debugged. Gives 0, or a negative errno. */
int process_secrecy_without_reports(void);

#endif
