// Any text as a KubeSchedulerConfiguration. What loads is written as YAML and as JSON, which load to the same; what
// does not has errors, each with a text.
#include <string>

#include "berth/base/check.h"
#include "berth/config/load.h"
#include "berth/config/write.h"
#include "tests/fuzz/fuzz_object.h"

namespace {

using namespace berth;

void check_loads_again(const std::string& written, const std::string& yaml) {
  const auto again = config::load_config(written);
  BERTH_CHECK(again.has_value(), "{}\n{}", written, again.error().errors("file").front().message());
  BERTH_CHECK(config::to_yaml(again->config) == yaml, "{}\nbecame\n{}", yaml, config::to_yaml(again->config));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto loaded = config::load_config(fuzz::as_text(data, size));
  if (!loaded) {
    const std::vector<Error> errors = loaded.error().errors("file");
    BERTH_CHECK(!errors.empty(), "no error");
    for (const Error& error : errors) BERTH_CHECK(!error.what().empty(), "{}", error.message());
    return 0;
  }
  const std::string yaml = config::to_yaml(loaded->config);
  check_loads_again(yaml, yaml);
  (void)config::to_json(loaded->with_all_arguments());
  return 0;
}
