// Several lambdas as one function object, for std::visit: Overloaded{[](const A&) {...}, [](const B&) {...}}.
#pragma once

namespace berth {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace berth
