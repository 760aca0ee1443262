#include "berth/client/curl_error_text.h"

#include <gtest/gtest.h>

namespace berth::client {
namespace {

TEST(CurlErrorText, IsTheSameHoweverLongItTook) {
  EXPECT_EQ(repeatable_curl_error("Failed to connect to 127.0.0.1 port 8888 after 0 ms: Couldn't connect to server"),
            "Failed to connect to 127.0.0.1 port 8888: Couldn't connect to server");
  EXPECT_EQ(repeatable_curl_error("Operation timed out after 5001 milliseconds with 0 bytes received"),
            "Operation timed out with 0 bytes received");
  EXPECT_EQ(repeatable_curl_error("Connection timed out after 5001 milliseconds"), "Connection timed out");
  EXPECT_EQ(repeatable_curl_error("Connection timeout after 5000 ms"), "Connection timeout");
}

TEST(CurlErrorText, DoesNotNumberStreams) {
  EXPECT_EQ(repeatable_curl_error("HTTP/2 stream 7 was not closed cleanly: PROTOCOL_ERROR (err 1)"),
            "HTTP/2 stream was not closed cleanly: PROTOCOL_ERROR (err 1)");
}

TEST(CurlErrorText, KeepsWhatSaysSomething) {
  for (const char* text : {"", "Could not resolve host: after 5", "gave up after many ms", "HTTP/2 stream 7",
                           "Recv failure: Connection reset by peer", "Empty reply from server"}) {
    EXPECT_EQ(repeatable_curl_error(text), text);
  }
}

}  // namespace
}  // namespace berth::client
