#include "berth/validation/written_objects.h"

#include "berth/validation/validate.h"

namespace berth::validation {

void read_written(std::string_view text, std::string_view name, InternPool* pool, codec::Documents& into) {
  codec::DecodeOptions options;
  options.pool = pool;
  options.strict = true;
  options.validate = validate;
  codec::read_documents(text, name, options, into);
}

}  // namespace berth::validation
