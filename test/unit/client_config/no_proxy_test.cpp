#include <gtest/gtest.h>

#include "client/config/proxy.hpp"

namespace dcm::client {
namespace {

struct Row {
  const char* name;
  const char* no_proxy;
  const char* host;
  bool is_excluded;
};

TEST(NoProxy, reads_like_go) {
  for (const Row& row : {
           Row{"nothing", "", "api.example.com", false},
           Row{"everything", "*", "api.example.com", true},
           Row{"the host itself", "api.example.com", "api.example.com", true},
           Row{"whatever the case", "API.example.com", "api.Example.com", true},
           Row{"its domain", "example.com", "api.example.com", true},
           Row{"the end of a name alone", "ample.com", "api.example.com", false},
           Row{"what is below a domain", ".example.com", "api.example.com", true},
           Row{"but not the domain", ".example.com", "example.com", false},
           Row{"the same with a star", "*.example.com", "api.example.com", true},
           Row{"the port of the server", "api.example.com:6443", "api.example.com", true},
           Row{"another port", "api.example.com:443", "api.example.com", false},
           Row{"one of several, with blanks", "a.b , api.example.com", "api.example.com", true},
           Row{"empty entries", ",,", "api.example.com", false},
           Row{"an address", "10.0.0.1", "10.0.0.1", true},
           Row{"an address and the port", "10.0.0.1:6443", "10.0.0.1", true},
           Row{"another address", "10.0.0.2", "10.0.0.1", false},
           Row{"a network", "10.0.0.0/8", "10.1.2.3", true},
           Row{"a network by an address in it", "10.9.9.9/8", "10.1.2.3", true},
           Row{"another network", "10.0.0.0/16", "10.1.2.3", false},
           Row{"a network has no names", "10.0.0.0/8", "api.example.com", false},
           Row{"a network of IPv6", "fd00::/8", "fd00::1", true},
           Row{"an address of IPv6", "fd00::1", "fd00:0::1", true},
           Row{"and its port", "[fd00::1]:6443", "fd00::1", true},
       }) {
    const http::Endpoint server{http::Security::tls, row.host, 6443};
    EXPECT_EQ(is_excluded(row.no_proxy, server), row.is_excluded) << row.name;
  }
}

}  // namespace
}  // namespace dcm::client
