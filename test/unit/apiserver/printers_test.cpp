// The columns of `kubectl get`. The expected cells are those of a kube-apiserver 1.37 for the same
// object.
#include "apiserver/printers/printers.hpp"

#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

using namespace std::chrono_literals;

struct PodRow {
  std::string_view sentence;
  std::string_view pod;
  std::string_view ready;
  std::string_view status;
  std::string_view restarts;
};

class PodCells : public ::testing::TestWithParam<PodRow> {};

TEST_P(PodCells, summarize_containers) {
  const runtime::WallTime now = std::chrono::sys_days(2026y / 11 / 21) + 1h;
  const JsonArray cells = pod_cells(object_of(GetParam().pod), now);
  EXPECT_EQ(cells.at(1), Json(GetParam().ready));
  EXPECT_EQ(cells.at(2), Json(GetParam().status));
  EXPECT_EQ(cells.at(3), Json(GetParam().restarts));
}

constexpr PodRow kPodRows[] = {
    {"nothing is known of a new pod",
     R"({"spec":{"containers":[{}]},"status":{"phase":"Pending"}})", "0/1", "Pending", "0"},
    {"a gate holds it", R"({"spec":{"containers":[{}]},"status":{"phase":"Pending",
       "conditions":[{"type":"PodScheduled","reason":"SchedulingGated","status":"False"}]}})",
     "0/1", "SchedulingGated", "0"},
    {"a container that waits says why", R"({"spec":{"containers":[{},{}]},"status":{
       "phase":"Pending","containerStatuses":[
       {"state":{"waiting":{"reason":"ImagePullBackOff"}}},{"ready":true,"state":{"running":{}}}]}})",
     "1/2", "ImagePullBackOff", "0"},
    {"restarts tell when the last was", R"({"spec":{"containers":[{}]},"status":{"phase":"Running",
       "containerStatuses":[{"ready":true,"restartCount":3,"state":{"running":{}},
       "lastState":{"terminated":{"finishedAt":"2026-11-21T00:57:57Z"}}}]}})",
     "1/1", "Running", "3 (2m3s ago)"},
    {"completed", R"({"spec":{"containers":[{}]},"status":{"phase":"Succeeded",
       "containerStatuses":[{"state":{"terminated":{"reason":"Completed","exitCode":0}}}]}})",
     "0/1", "Completed", "0"},
    {"one has completed while another runs on", R"({"spec":{"containers":[{},{}]},"status":{
       "phase":"Running","conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[
       {"state":{"terminated":{"reason":"Completed","exitCode":0}}},
       {"ready":true,"state":{"running":{}}}]}})",
     "1/2", "Running", "0"},
    {"one has completed and the pod is not ready", R"({"spec":{"containers":[{},{}]},"status":{
       "phase":"Running","containerStatuses":[
       {"state":{"terminated":{"reason":"Completed","exitCode":0}}},
       {"ready":true,"state":{"running":{}}}]}})",
     "1/2", "NotReady", "0"},
    {"a failure outweighs a completion", R"({"spec":{"containers":[{},{}]},"status":{
       "phase":"Failed","containerStatuses":[
       {"state":{"terminated":{"reason":"Completed","exitCode":0}}},
       {"state":{"terminated":{"exitCode":7}}}]}})",
     "0/2", "ExitCode:7", "0"},
    {"killed by a signal", R"({"spec":{"containers":[{}]},"status":{"phase":"Failed",
       "containerStatuses":[{"state":{"terminated":{"exitCode":137,"signal":9}}}]}})",
     "0/1", "Signal:9", "0"},
    {"init containers come first", R"({"spec":{"containers":[{}],"initContainers":[{},{}]},
       "status":{"phase":"Pending","initContainerStatuses":[
       {"state":{"terminated":{"exitCode":0}}},{"state":{"running":{}}}]}})",
     "0/1", "Init:1/2", "0"},
    {"an init container has failed", R"({"spec":{"containers":[{}],"initContainers":[{}]},
       "status":{"phase":"Pending","initContainerStatuses":[{"restartCount":2,
       "state":{"terminated":{"exitCode":1,"reason":"Error"}}}]}})",
     "0/1", "Init:Error", "2"},
    {"a sidecar counts among the containers", R"({"spec":{"containers":[{}],
       "initContainers":[{"name":"s","restartPolicy":"Always"}]},"status":{"phase":"Running",
       "initContainerStatuses":[{"name":"s","started":true,"ready":true,"restartCount":1}],
       "containerStatuses":[{"ready":true,"restartCount":2,"state":{"running":{}}}]}})",
     "2/2", "Running", "3"},
    {"deleted while it runs", R"({"metadata":{"deletionTimestamp":"2026-11-21T00:00:00Z"},
       "spec":{"containers":[{}]},"status":{"phase":"Running"}})",
     "0/1", "Terminating", "0"},
    {"deleted when it has ended", R"({"metadata":{"deletionTimestamp":"2026-11-21T00:00:00Z"},
       "spec":{"containers":[{}]},"status":{"phase":"Succeeded"}})",
     "0/1", "Succeeded", "0"},
    {"deleted on a lost node", R"({"metadata":{"deletionTimestamp":"2026-11-21T00:00:00Z"},
       "spec":{"containers":[{}]},"status":{"phase":"Running","reason":"NodeLost"}})",
     "0/1", "Unknown", "0"},
    {"lists of anything but objects", R"({"spec":{"containers":[1]},"status":{"phase":"Pending",
       "conditions":["x"],"containerStatuses":[null],"podIPs":[7]}})",
     "0/1", "Pending", "0"}};

INSTANTIATE_TEST_SUITE_P(Rows, PodCells, ::testing::ValuesIn(kPodRows), kBySentence);

struct CellsRow {
  std::string_view sentence;
  std::string_view kind;
  std::string_view object;
  std::string_view cells;
};

class Cells : public ::testing::TestWithParam<CellsRow> {};

TEST_P(Cells, match_kind) {
  const runtime::WallTime now = std::chrono::sys_days(2026y / 11 / 21) + 1h;
  const JsonArray cells = printer_of(GetParam().kind).cells(object_of(GetParam().object), now);
  EXPECT_EQ(serialize(Json(cells)), GetParam().cells);
}

constexpr CellsRow kCellsRows[] = {
    {"a cordoned node with roles", "Node", R"({"metadata":{"name":"n","labels":{
       "node-role.kubernetes.io/worker":"","node-role.kubernetes.io/gpu":"",
       "kubernetes.io/role":"master"}},"spec":{"unschedulable":true},"status":{
       "conditions":[{"type":"Ready","status":"True"}],
       "addresses":[{"type":"InternalIP","address":"10.0.0.1"}],
       "nodeInfo":{"kubeletVersion":"v1.37.0","osImage":"Debian","kernelVersion":"6.1",
       "architecture":"amd64","containerRuntimeVersion":"hollow://1"}}})",
     R"(["n","Ready,SchedulingDisabled","gpu,master,worker","<unknown>","v1.37.0","10.0.0.1",)"
     R"x("<none>","Debian","6.1 (amd64)","hollow://1"])x"},
    {"a node that says nothing", "Node", R"({"metadata":{"name":"n"}})",
     R"(["n","Unknown","<none>","<unknown>","","<none>","<none>","<unknown>","<unknown>",)"
     R"("<unknown>"])"},
    {"an event", "Event", R"({"metadata":{"name":"e"},"type":"Warning","reason":"R",
       "message":" why \n","involvedObject":{"kind":"Pod","name":"p","fieldPath":"spec"},
       "firstTimestamp":"2026-11-21T00:50:00Z","lastTimestamp":"2026-11-21T00:59:57Z","count":4,
       "source":{"component":"c","host":"h"}})",
     R"(["3s","Warning","R","pod/p","spec","c, h","why","10m",4,"e"])"},
    {"an event of the newer kind", "Event", R"({"metadata":{"name":"e"},"type":"Normal",
       "involvedObject":{"kind":"Node"},"eventTime":"2026-11-21T00:59:00.123456Z",
       "reportingComponent":"c"})",
     R"(["60s","Normal","","node","","c","","60s",1,"e"])"},
    {"a series of events", "Event", R"({"metadata":{"name":"e"},
       "eventTime":"2026-11-21T00:59:00.000000Z",
       "series":{"count":9,"lastObservedTime":"2026-11-21T00:59:58.000000Z"}})",
     R"(["2s","","","","","","","60s",9,"e"])"},
    {"a budget", "PodDisruptionBudget", R"({"metadata":{"name":"b"},"spec":{"minAvailable":"50%"},
       "status":{"disruptionsAllowed":2}})",
     R"(["b","50%","N/A",2,"<unknown>"])"},
    {"a claim that goes", "ResourceClaim", R"({"metadata":{"name":"c",
       "deletionTimestamp":"2026-11-21T00:59:00Z"},"status":{"allocation":{}}})",
     R"(["c","deleted,allocated","<unknown>"])"},
    {"a slice", "ResourceSlice", R"({"metadata":{"name":"s"},"spec":{"driver":"d","nodeName":"n",
       "pool":{"name":"p"}}})",
     R"(["s","n","d","p","<unknown>"])"},
    {"a taint rule", "DeviceTaintRule", R"({"metadata":{"name":"r"},"spec":{"taint":{"key":"k",
       "effect":"NoExecute","timeAdded":"2026-11-21T00:59:00Z"}}})",
     R"(["r","k","","NoExecute","60s","<unknown>"])"},
    {"a request for the status of pools", "ResourcePoolStatusRequest",
     R"({"metadata":{"name":"r"},"spec":{"driver":"d"}})",
     R"(["r","d","-","-","-","-","-",0,"Pending","<none>"])"},
    {"an answer about some of the pools", "ResourcePoolStatusRequest",
     R"({"metadata":{"name":"r"},"spec":{"driver":"d"},"status":{"poolCount":3,
       "conditions":[{"type":"Complete","status":"True",
         "lastTransitionTime":"2026-11-21T00:59:00Z"}],
       "pools":[{"totalDevices":8,"availableDevices":3,"allocatedDevices":4,
         "unavailableDevices":1},{"validationError":"PoolIncomplete: x"}]}})",
     R"row(["r","d","8","3","4","1","1",3,"Complete (2/3 pools)","60s"])row"},
    {"a failed answer", "ResourcePoolStatusRequest",
     R"({"metadata":{"name":"r"},"spec":{"driver":"d"},"status":{"poolCount":0,
       "conditions":[{"type":"Failed","status":"True"}]}})",
     R"(["r","d","-","-","-","-","-",0,"Failed","<none>"])"},
    {"a config map", "ConfigMap", R"({"metadata":{"name":"m"},"data":{"a":"","b":""},
       "binaryData":{"c":""}})",
     R"(["m",3,"<unknown>"])"}};

INSTANTIATE_TEST_SUITE_P(Rows, Cells, ::testing::ValuesIn(kCellsRows), kBySentence);

}  // namespace
}  // namespace dcm::apiserver
