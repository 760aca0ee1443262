// The two forms of a page; Page::render chooses. For page.cc only.
#pragma once

#include <span>
#include <string>

#include "berth/text/page.h"

namespace berth::text {

std::string render_text(std::span<const Page::Piece* const> pieces, const Style& style);
std::string render_markdown(std::span<const Page::Piece* const> pieces);

}  // namespace berth::text
