#include <boost/json.hpp>

#include "client/api/access_review.hpp"
#include "client/api/encode_text.hpp"

namespace dcm::api {
namespace {

using boost::json::array;
using boost::json::object;

array to_json(const std::vector<std::string>& texts) {
  return array(texts.begin(), texts.end());
}

// The name of the field, with its value.
struct Field {
  const char* name;
  object value;
};

struct FieldOf {
  Field operator()(const NonResourceAttributes& what) const {
    return {"nonResourceAttributes", {{"verb", what.verb}, {"path", what.path}}};
  }
  Field operator()(const ResourceAttributes& what) const {
    return {"resourceAttributes",
            {{"verb", what.verb},
             {"group", what.group},
             {"resource", what.resource},
             {"namespace", what.namespace_},
             {"name", what.name}}};
  }
};

}  // namespace

std::string encode_token_review(std::string_view token) {
  return boost::json::serialize(object{{"apiVersion", "authentication.k8s.io/v1"},
                                       {"kind", "TokenReview"},
                                       {"spec", object{{"token", view(token)}}}});
}

std::string encode_subject_access_review(const UserInfo& user, const AccessAttributes& what) {
  Field field = std::visit(FieldOf(), what);
  object extra;
  for (const auto& [key, values] : user.extra) extra[key] = to_json(values);
  return boost::json::serialize(object{{"apiVersion", "authorization.k8s.io/v1"},
                                       {"kind", "SubjectAccessReview"},
                                       {"spec", object{{"user", user.name},
                                                       {"uid", user.uid},
                                                       {"groups", to_json(user.groups)},
                                                       {"extra", std::move(extra)},
                                                       {field.name, std::move(field.value)}}}});
}

}  // namespace dcm::api
