// Classifies exceptions for code that runs other code's work.
#pragma once

#include <exception>
#include <string>

namespace dcm::runtime {

// Whether an exception concerns only the work that threw it. False for a cancellation, a broken
// invariant and exhausted memory: rethrow these.
bool is_isolated(const std::exception_ptr& failure) noexcept;

// The exception's text, for logs.
std::string text_of(const std::exception_ptr& failure);

}  // namespace dcm::runtime
