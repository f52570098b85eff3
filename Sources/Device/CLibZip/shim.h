// libzip, for the configuration packages of devices.
#ifndef CARDPRESENT_CLIBZIP_H
#define CARDPRESENT_CLIBZIP_H

#include <zip.h>

#endif
