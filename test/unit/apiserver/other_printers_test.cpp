// The columns of the kinds that are stored for others. The cells are those of kube-apiserver 1.37
// for the same object (`./dev kubectl` compares them on both servers).
#include <algorithm>

#include "apiserver/printers/printers.hpp"
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

using namespace std::chrono_literals;

struct Row {
  std::string_view kind;
  std::string object;      // without its name and age
  std::string_view cells;  // the same
};

class OtherCells : public ::testing::TestWithParam<Row> {};

TEST_P(OtherCells, match_columns_and_show_object) {
  const runtime::WallTime now = std::chrono::sys_days(2026y / 11 / 21) + 1h;
  JsonObject object = object_of(GetParam().object);
  child(object, "metadata")["name"] = "n";
  const Printer& printer = printer_of(GetParam().kind);
  JsonArray cells = printer.cells(object, now);
  ASSERT_EQ(cells.size(), printer.columns.size());
  EXPECT_EQ(cells.front(), Json("n"));
  cells.erase(cells.begin());
  const auto* const age = std::ranges::find(cells, Json("<unknown>"));
  ASSERT_NE(age, cells.end());
  cells.erase(age);
  EXPECT_EQ(serialize(Json(cells)), GetParam().cells);
}

const std::string kTemplate =
    R"("template":{"spec":{"containers":[{"name":"a","image":"i:1"},{"name":"b","image":"j"}]}})";

INSTANTIATE_TEST_SUITE_P(
    Rows, OtherCells,
    ::testing::Values(
        Row{"Deployment",
            R"({"spec":{"replicas":3,"selector":{"matchLabels":{"b":"2","a":"1"}},)" + kTemplate +
                R"(},"status":{"readyReplicas":2,"updatedReplicas":3}})",
            R"(["2/3",3,0,"a,b","i:1,j","a=1,b=2"])"},
        Row{"ReplicaSet",
            R"({"spec":{"replicas":1,"selector":{"matchExpressions":[)"
            R"({"key":"z","operator":"NotIn","values":["y","x"]},)"
            R"({"key":"b","operator":"DoesNotExist"}]},)" +
                kTemplate + R"(},"status":{}})",
            R"x([1,0,0,"a,b","i:1,j","!b,z notin (x,y)"])x"},
        Row{"Job",
            R"({"spec":{"completions":3,"selector":{},)" + kTemplate +
                R"(},"status":{"succeeded":1,"startTime":"2026-11-21T00:58:00Z"}})",
            R"(["Running","1/3","2m","a,b","i:1,j","<none>"])"},
        Row{"Job",
            R"({"spec":{"parallelism":4,)" + kTemplate +
                R"(},"status":{"conditions":[)"
                R"({"type":"Complete","status":"True"}],"startTime":"2026-11-21T00:00:00Z",)"
                R"("completionTime":"2026-11-21T00:00:09Z"}})",
            R"(["Complete","0/1 of 4","9s","a,b","i:1,j","<none>"])"},
        Row{"CronJob",
            R"({"spec":{"schedule":"* * * * *","suspend":false,"jobTemplate":{"spec":{)" +
                kTemplate + R"(}}},"status":{"active":[{}]}})",
            R"(["* * * * *","<none>","False",1,"<none>","a,b","i:1,j","<none>"])"},
        Row{"Service",
            R"({"spec":{"type":"LoadBalancer","clusterIPs":["10.0.0.1"],"ports":[)"
            R"({"port":80,"nodePort":30080,"protocol":"TCP"}],"externalIPs":["9.9.9.9"]},)"
            R"("status":{"loadBalancer":{"ingress":[{"hostname":"b"},{"ip":"a"}]}}})",
            R"(["LoadBalancer","10.0.0.1","a,b,9.9.9.9","80:30080/TCP","<none>"])"},
        Row{"Service", R"({"spec":{"type":"LoadBalancer"}})",
            R"(["LoadBalancer","<none>","<pending>","<none>","<none>"])"},
        Row{"Endpoints",
            R"({"subsets":[{"addresses":[{"ip":"::1"},{"ip":"2"}],)"
            R"("ports":[{"port":1},{"port":2}]}]})",
            R"(["[::1]:1,2:1,[::1]:2 + 1 more..."])"},
        Row{"EndpointSlice", R"({"addressType":"IPv4","ports":[{"port":80},{"name":"b"},{}]})",
            R"(["IPv4","80,b,*","<unset>"])"},
        Row{"PersistentVolume",
            R"({"spec":{"accessModes":["ReadWriteMany","ReadWriteOnce"],"claimRef":{)"
            R"("namespace":"a","name":"b"},"capacity":{"storage":"1Gi"}},"status":{"phase":"Bound"}})",
            R"(["1Gi","RWO,RWX","","Bound","a/b","","<unset>","","<unset>"])"},
        Row{"CSIDriver", R"({"spec":{"tokenRequests":[{"audience":"a"},{"audience":"b"}]}})",
            R"([true,false,false,"a,b",false,"<none>"])"},
        Row{"RoleBinding",
            R"({"roleRef":{"kind":"Role","name":"r"},"subjects":[)"
            R"({"kind":"User","name":"u"},{"kind":"User","name":"v"},)"
            R"({"kind":"ServiceAccount","namespace":"n","name":"s"}]})",
            R"(["Role/r","u, v","","n/s"])"},
        Row{"ResourceQuota",
            R"({"status":{"hard":{"pods":"2","limits.cpu":"4","cpu":"1"},)"
            R"("used":{"pods":"1"}}})",
            R"(["cpu: 0/1, pods: 1/2","limits.cpu: 0/4"])"},
        Row{"ValidatingAdmissionPolicyBinding",
            R"({"spec":{"policyName":"p","paramRef":{"name":"c"}}})", R"(["p","*/c"])"}));

}  // namespace
}  // namespace dcm::apiserver
