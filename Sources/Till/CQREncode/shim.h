// libqrencode, for QR codes on slips.
#ifndef CARDPRESENT_CQRENCODE_H
#define CARDPRESENT_CQRENCODE_H

#include <qrencode.h>

#endif
