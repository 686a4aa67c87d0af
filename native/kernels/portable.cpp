// Kernels for every processor.
#define TAGPOOL_VARIANT portable
#define TAGPOOL_VECTOR_BYTES 16
#define TAGPOOL_VARIANT_NAME "portable"
#ifdef TAGPOOL_HAS_AVX
#define TAGPOOL_VARIANT_IS_FALLBACK
#endif
#include "kernels/generic/kernels.inl"
