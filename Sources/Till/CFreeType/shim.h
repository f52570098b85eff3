// FreeType, for text on pictures of slips.
#ifndef CARDPRESENT_CFREETYPE_H
#define CARDPRESENT_CFREETYPE_H

#include <ft2build.h>
#include FT_FREETYPE_H

// The macro has an argument, so that Swift does not see what it makes.
static const FT_Int32 cardpresent_load_monochrome = FT_LOAD_RENDER | FT_LOAD_TARGET_MONO;

#endif
