// Any bytes as a file of documents: objects and errors come out, each error with a text.
#include "berth/codec/documents.h"
#include "tests/fuzz/fuzz_object.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  InternPool pool;
  codec::DecodeOptions options;
  options.pool = &pool;
  codec::Documents documents;
  codec::read_documents(fuzz::as_text(data, size), "file", options, documents);
  for (const api::AnyObject& object : documents.objects) {
    fuzz::check_round_trip(
        object, [](const api::AnyObject& any) { return codec::object_to_json(any); },
        [](const std::string& json) { return codec::object_from_json(json); });
  }
  for (const Error& error : documents.errors) {
    BERTH_CHECK(!error.what().empty() && error.where().starts_with("file"), "{}", error.message());
  }
  // The same as something that a person wrote: every error has a place too.
  codec::Documents written;
  options.strict = true;
  codec::read_documents(fuzz::as_text(data, size), "file", options, written);
  for (const Error& error : written.errors) {
    BERTH_CHECK(!error.what().empty() && error.where().starts_with("file"), "{}", error.message());
  }
  return 0;
}
