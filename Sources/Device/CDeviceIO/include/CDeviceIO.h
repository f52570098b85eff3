#ifndef CDEVICEIO_H
#define CDEVICEIO_H

/* What Swift cannot say of Linux's device interfaces: calls with variadic arguments, macros, and libraries whose types stay below this line.

   - A function that can fail returns a negative errno. It prints nothing and keeps nothing in errno.
   - A function that can wait takes `cancel`, the descriptor of an event (cdio_event_create) that ends the wait with -ECANCELED, or -1; and `deadline`, in
     nanoseconds of CLOCK_MONOTONIC (cdio_now), after which it ends with -ETIMEDOUT. CDIO_NEVER waits for ever.
   - No call is made from two threads at once for one device. An event may be signalled from any thread. */

#include "event.h"
#include "hid.h"
#include "hotplug.h"
#include "input.h"
#include "network.h"
#include "pcsc.h"
#include "printer.h"
#include "tty.h"
#include "usb.h"

#endif
