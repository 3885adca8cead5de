// Defaults of workloads that depend on other fields, and fields that the server writes
// (k8s.io/kubernetes pkg/apis/{apps,batch,core}/v1/defaults.go and pkg/registry).
#pragma once

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

void default_deployment(JsonObject& deployment);
void default_daemon_set(JsonObject& set);
void default_replication_controller(JsonObject& controller);
void default_job(JsonObject& job);
// The pods of a Job are selected by its UID.
void add_job_labels(JsonObject& job);
// The annotation that counts changes of a DaemonSet's template.
void begin_template_generation(JsonObject& set);
void count_template_generation(JsonObject& next, const JsonObject& old);

}  // namespace dcm::apiserver
