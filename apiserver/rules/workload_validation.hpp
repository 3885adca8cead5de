// Validates workloads and their pod templates, so that a mistake does not show only on a real
// cluster (k8s.io/kubernetes pkg/apis/{apps,batch,core}/validation). `old` is null for a create.
#pragma once

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

void validate_deployment(const JsonObject& next, const JsonObject* old, Causes& causes);
void validate_replica_set(const JsonObject& next, const JsonObject* old, Causes& causes);
void validate_stateful_set(const JsonObject& next, const JsonObject* old, Causes& causes);
void validate_daemon_set(const JsonObject& next, const JsonObject* old, Causes& causes);
void validate_replication_controller(const JsonObject& next, const JsonObject* old, Causes& causes);
void validate_pod_template(const JsonObject& next, const JsonObject* old, Causes& causes);
void validate_job(const JsonObject& next, const JsonObject* old, Causes& causes);
void validate_cron_job(const JsonObject& next, const JsonObject* old, Causes& causes);

}  // namespace dcm::apiserver
