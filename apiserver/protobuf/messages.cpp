#include "apiserver/protobuf/messages.hpp"

#include <charconv>
#include <map>
#include <string>

#include "runtime/assert.hpp"

// The literal is longer than every compiler must accept; this one accepts it.
#pragma clang diagnostic ignored "-Woverlength-strings"

namespace dcm::apiserver {

namespace {

using std::string_view_literals::operator""sv;
using Type = ProtoField::Type;
using Count = ProtoField::Count;

constexpr std::string_view kTable =
#include "apiserver/protobuf/tables.inc"
    ;

const std::map<std::string_view, Type>& simple_types() {
  static const std::map<std::string_view, Type> kTypes = {{"string", Type::text},
                                                          {"bytes", Type::bytes},
                                                          {"int32", Type::integer},
                                                          {"int64", Type::integer},
                                                          {"double", Type::number},
                                                          {"bool", Type::boolean},
                                                          {"raw", Type::raw},
                                                          {"strings", Type::strings},
                                                          {"quantity", Type::quantity},
                                                          {"time", Type::time},
                                                          {"int_or_string", Type::int_or_string},
                                                          {"micro_time", Type::micro_time}};
  return kTypes;
}

std::string_view take(std::string_view& text, char until) {
  const auto end = text.find(until);
  const std::string_view part = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return part;
}

class Messages {
 public:
  Messages() {
    ProtoMessage* message = nullptr;
    for (std::string_view rest = kTable; !rest.empty();) {
      const std::string_view line = take(rest, '\n');
      if (!line.contains(' ')) {
        message = &messages_[line];
      } else {
        DCM_ASSERT(message != nullptr);
        message->fields.push_back(field(line));
        message->is_choice = line.ends_with(" v");
      }
    }
  }

  const ProtoMessage* find(std::string_view name) const {
    const auto found = messages_.find(name);
    return found == messages_.end() ? nullptr : &found->second;
  }

 private:
  ProtoField field(std::string_view line) {
    ProtoField made;
    const std::string_view number = take(line, ' ');
    std::from_chars(number.data(), number.data() + number.size(), made.number);
    made.name = take(line, ' ');
    const std::string_view count = take(line, ' ');
    made.count = count == "list" ? Count::list : count == "map" ? Count::map : Count::one;
    const std::string_view type = take(line, ' ');
    if (const auto simple = simple_types().find(type); simple != simple_types().end()) {
      made.type = simple->second;
    } else {
      made.type = Type::message;
      made.message = &messages_[type];  // possibly described further down
    }
    made.embedded = line.contains('i');
    made.pointer = line.contains('p');
    made.kept = line.contains('k');
    return made;
  }

  std::map<std::string_view, ProtoMessage> messages_;  // fields point at them, and they never move
};

}  // namespace

const ProtoMessage* proto_message(std::string_view api_version, std::string_view kind) {
  static const Messages kMessages;
  std::string name(api_version);
  name.append(".").append(kind);
  if (const ProtoMessage* message = kMessages.find(name)) return message;
  return kMessages.find(std::string("meta.k8s.io/v1.").append(kind));
}

}  // namespace dcm::apiserver
