// zlib, for pictures in PNG.
#ifndef CARDPRESENT_CZLIB_H
#define CARDPRESENT_CZLIB_H

#include <zlib.h>

#endif
