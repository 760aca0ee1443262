// FunctionRef<R(Args...)> is a parameter type for "call me back": two words, no allocation, no ownership. It is valid
// only as long as the callable it was made from, so take it as a parameter and do not keep it.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace berth {

template <typename Signature>
class FunctionRef;

template <typename R, typename... Args>
class FunctionRef<R(Args...)> {
  template <typename F>
  static constexpr bool kIsCallable =
      !std::is_same_v<std::remove_cvref_t<F>, FunctionRef> && std::is_invocable_r_v<R, F&, Args...>;

 public:
  // A plain function; it lives forever.
  template <typename F>
    requires(std::is_function_v<F> && kIsCallable<F>)
  FunctionRef(F* function)  // NOLINT: converts on purpose, as std::function does
      : callable_{.function = reinterpret_cast<void (*)()>(function)}, call_([](Callable callable, Args... args) -> R {
          return std::invoke_r<R>(reinterpret_cast<F*>(callable.function), std::forward<Args>(args)...);
        }) {}

  // A lambda or another object with a call operator.
  template <typename F>
    requires(!std::is_function_v<std::remove_reference_t<F>> && !std::is_pointer_v<std::remove_cvref_t<F>> &&
             kIsCallable<F>)
  FunctionRef(F&& object)  // NOLINT: converts on purpose, as std::function does
      : callable_{.object = const_cast<void*>(static_cast<const void*>(std::addressof(object)))},
        call_([](Callable callable, Args... args) -> R {
          return std::invoke_r<R>(*static_cast<std::remove_reference_t<F>*>(callable.object),
                                  std::forward<Args>(args)...);
        }) {}

  R operator()(Args... args) const { return call_(callable_, std::forward<Args>(args)...); }

 private:
  union Callable {
    void* object;
    void (*function)();
  };

  Callable callable_;
  R (*call_)(Callable, Args...);
};

}  // namespace berth
