#include "berth/base/error.h"

namespace berth {

Error Error::in(std::string_view place) && {
  std::string joined(place);
  if (!joined.empty() && !where_.empty() && where_.front() != '[') joined += '.';
  where_.insert(0, joined);
  return std::move(*this);
}

Error Error::in_file(std::string_view file) && {
  std::string joined(file);
  if (!joined.empty() && !where_.empty()) joined += ": ";
  where_.insert(0, joined);
  return std::move(*this);
}

Error Error::with_fix(std::string fix) && {
  fix_ = std::move(fix);
  return std::move(*this);
}

std::string Error::message() const {
  std::string text = where_;
  if (!text.empty()) text += ": ";
  text += what_;
  if (!fix_.empty()) text += " (" + fix_ + ")";
  return text;
}

}  // namespace berth
