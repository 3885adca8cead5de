#!/usr/bin/env python3
"""Shows that each rule of lint.py detects its violations, and accepts correct code."""
import pathlib
import sys
import tempfile
import unittest

import lint
import markdown
import twice

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "docs"))
import architecture  # noqa: E402

HEAD = "// What this is.\n#pragma once\n"


def breaches(path, text):
    return [line.split(": ", 1)[1] for line in lint.check_file(path, text)]


class Twice(unittest.TestCase):
    TABLE = "| status | meaning |\n| --- | --- |\n| `a` one | x |\n| `b` two | y |\n| `c` three | z |\n"

    def found(self, one, other):
        return list(twice.check({"docs/one.md": one, "docs/other.md": other}))

    def test_a_figure_stands_on_one_page(self):
        self.assertEqual(len(self.found("It takes 19.4 s.\n", "at most 19.4 s\n")), 1)
        self.assertEqual(len(self.found("up to 128 MB\n", "or 128 MB\n")), 1)
        self.assertEqual(self.found("It takes 19.4 s, again 19.4 s.\n", "at most 19.5 s, with a pause of 30 s\n"), [])
        self.assertEqual(self.found("```text\n 19.4 s\n```\n", "at most 19.4 s\n"), [])

    def test_a_table_stands_on_one_page(self):
        other = self.TABLE.replace("| x |", "| something else |")
        self.assertEqual(len(self.found(self.TABLE, other)), 1)
        self.assertEqual(self.found(self.TABLE, self.TABLE.replace("`c` three", "`d` four")), [])
        self.assertEqual(list(twice.check({"docs/one.md": self.TABLE + "\n" + self.TABLE})), [])

    def test_front_page_may_repeat(self):
        self.assertEqual(list(twice.check({"README.md": "19.4 s\n", "docs/one.md": "19.4 s\n"})), [])


class Includes(unittest.TestCase):
    def test_folder_may_include_allowed_folders(self):
        self.assertEqual(breaches("informers/a.cpp", '#include "client/api/meta.hpp"\n'), [])
        self.assertEqual(breaches("test/unit/x/a.cpp", '#include "controllers/resource_claim/a.hpp"\n'), [])

    def test_folder_may_not_include_higher_folders(self):
        found = breaches("runtime/a.cpp", '#include "controllers/api/pod.hpp"\n')
        self.assertIn("runtime may not include controllers/api", found[0])

    def test_a_new_folder_needs_a_row(self):
        found = breaches("controllers/new/controller.hpp", HEAD + '#include "runtime/http/client.hpp"\n')
        self.assertIn("no row in INCLUDES", found[0])
        self.assertEqual(breaches("examples/hello-controller/main.cpp", ""), [])

    def test_the_http_folder_is_not_the_runtime_folder(self):
        self.assertTrue(breaches("informers/a.cpp", '#include "runtime/http/client.hpp"\n'))
        self.assertEqual(breaches("client/a.cpp", '#include "runtime/http/client.hpp"\n'), [])

    def test_the_test_api_server_shares_no_codec_with_the_client(self):
        self.assertTrue(breaches("apiserver/a.cpp", '#include "controllers/api/decoders.hpp"\n'))

    def test_kit_includes_only_itself(self):
        self.assertEqual(lint.leaves_the_kit(lint.INCLUDES), [])
        self.assertEqual(lint.leaves_the_kit({**lint.INCLUDES, "client/new": ["runtime", "controllers/api"]}),
                         [("client/new", "controllers/api")])

    def test_no_folders_include_each_other_in_a_cycle(self):
        self.assertEqual(lint.circle(lint.INCLUDES), [])
        self.assertIn("runtime", lint.circle({**lint.INCLUDES, "runtime": ["client/api"]}))

    def test_picture_finds_cycles_and_omits_implied_arrows(self):
        with self.assertRaisesRegex(SystemExit, "circle: a, b"):
            architecture.layers_of({"a": {"b"}, "b": {"a"}, "c": set()})
        graph = {"a": {"b", "c"}, "b": {"c"}, "c": set()}
        self.assertEqual(architecture.layers_of(graph), [["c"], ["b"], ["a"]])
        self.assertEqual(architecture.arrows_of(graph), {"a": ["b"], "b": ["c"], "c": []})

    def test_an_include_is_named_from_the_root(self):
        self.assertTrue(breaches("runtime/a.cpp", '#include "time.hpp"\n'))

    def test_third_party_headers_are_included_only_where_allowed(self):
        self.assertTrue(breaches("client/a.cpp", "#include <boost/beast/http.hpp>\n"))
        self.assertEqual(breaches("runtime/http/a.cpp", "#include <boost/beast/http.hpp>\n"), [])
        self.assertTrue(breaches("informers/a.cpp", "#include <simdjson.h>\n"))


class Kit(unittest.TestCase):
    def test_kit_never_names_the_product(self):
        for word in ("ResourceClaim", "by_claim", "resource.k8s.io", "DRA", "dra-controller-manager", "device_taint",
                     "playground"):
            self.assertTrue(breaches("client/a.cpp", f"// Of {word}.\n"), word)
            self.assertEqual(breaches("controllers/api/a.cpp", f"// Of {word}.\n"), [], word)

    def test_accepts_similar_words(self):
        for word in ("random_device", "draw", "drain", "resources"):
            self.assertEqual(breaches("client/a.cpp", f"// Of {word}.\n"), [], word)


class Banned(unittest.TestCase):
    def test_each_banned_call_is_found(self):
        for call in ("std::chrono::steady_clock::now()", "std::chrono::system_clock::now()",
                     "asio::steady_timer timer(ex);", "std::random_device d;", "std::thread t;",
                     "co_spawn(ex, f(), asio::detached);", "asio::io_context io;",
                     "std::this_thread::yield();", "http::serve(listener);", "// TODO later", 'refuse("a is no name");'):
            self.assertTrue(breaches("client/a.cpp", call + "\n"), call)

    def test_a_result_that_is_only_returned_has_no_name(self):
        self.assertTrue(breaches("client/a.cpp", "  const Result<> r =\n      co_await f(a, b);\n  co_return r;\n"))
        for body in ("  Result<> r = co_await f();\n  if (r) r = co_await g();\n  co_return r;\n",
                     "  const Result<> r = co_await f();\n  co_return r->size();\n"):
            self.assertEqual(breaches("client/a.cpp", body), [])

    def test_only_their_owners_write_and_remove_files(self):
        for call in ("fs::remove_all(folder / uid);", "std::filesystem::rename(a, b);", "std::ofstream file(path);",
                     "if (::unlink(path) != 0) {", "const int fd = ::open(path, O_RDWR);", "fs::create_directories(a);",
                     'std::system("rm");', 'FILE* p = popen(x, "r");'):
            self.assertTrue(breaches("playground/cluster/a.cpp", call + "\n"), call)
        for call in ("Result<> Store::open() {", "store_.open();", "RestClient::open(request);", "api_.remove_all(path);",
                     "files_.rename(from, to);", "make_system(a);"):
            self.assertEqual(breaches("playground/cluster/a.cpp", call + "\n"), [], call)
        self.assertEqual(breaches("node/posix_files.cpp", "::unlink(path);\n"), [])

    def test_results_of_tasks_have_names(self):
        for call in ("  use(co_await f());", "  if (!co_await f()) return;", "  if (a && co_await f()) return;",
                     "  for (int i : co_await f()) g(i);", "  g(a, co_await f());"):
            self.assertTrue(breaches("client/a.cpp", call + "\n"), call)
        for call in ("  co_await f();", "  const auto a = co_await f();", "  co_return co_await f();",
                     "  (void)co_await f();", "  if (a) co_await f();"):
            self.assertEqual(breaches("client/a.cpp", call + "\n"), [], call)

    def test_allows_them_in_comments(self):
        self.assertEqual(breaches("client/a.cpp", "// never std::thread here\n"), [])

    def test_their_owners_may_use_them(self):
        self.assertEqual(breaches("runtime/loop.cpp", "asio::io_context context;\n"), [])


class Headers(unittest.TestCase):
    def test_header_has_pragma_once_and_a_description(self):
        self.assertEqual(breaches("runtime/a.hpp", HEAD), [])
        self.assertTrue(breaches("runtime/a.hpp", "// What this is.\n"))
        self.assertTrue(breaches("runtime/a.hpp", "#pragma once\n"))


class StdHeaders(unittest.TestCase):
    def test_finds_header_without_use(self):
        for header, text in (("map", "// A std::map.\n"), ("algorithm", "std::move(a);"), ("string", "std::string_view a;"),
                             ("utility", '#include "client/api/move.hpp"\n'), ("array", "boost::json::array a;")):
            self.assertEqual(breaches("client/a.cpp", f"#include <{header}>\n{text}"), [f"nothing here uses <{header}>"], text)

    def test_accepts_use(self):
        for header, text in (("algorithm", "std::move(a, b, c);"), ("algorithm", "std::ranges::sort(a);"), ("chrono", "x = 30s;"),
                             ("cstdint", "uint8_t a;"), ("compare", "a <=> b"), ("cerrno", "throw EINTR;"), ("string_view", 'f("a"sv);'),
                             ("utility", "std::pair<A, B> a;"), ("coroutine", "")):
            self.assertEqual(breaches("runtime/a.cpp", f"#include <{header}>\n{text}"), [], text)
        self.assertEqual(breaches("cmake/precompiled.hpp", HEAD + "#include <map>\n"), [])


class Tree(unittest.TestCase):
    def check(self, files, rule=lint.check_tree):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            return list(rule(root, sorted(files)))

    def test_a_source_must_be_built(self):
        found = self.check({"client/README.md": "", "client/CMakeLists.txt": "a.cpp", "client/b.cpp": ""})
        self.assertEqual(len(found), 1)
        self.assertIn("client/b.cpp", found[0])

    def test_a_source_of_that_name_elsewhere_does_not_count(self):
        files = {"client/README.md": "", "client/CMakeLists.txt": "a.cpp", "client/a.cpp": "", "node/README.md": "",
                 "node/CMakeLists.txt": "b.cpp", "node/a.cpp": ""}
        self.assertEqual(self.check(files), ["node/a.cpp:1: no CMakeLists.txt of its folder or one above lists it"])
        files["node/CMakeLists.txt"] = "a.cpp"
        self.assertEqual(self.check(files), [])
        files["node/CMakeLists.txt"], files["client/CMakeLists.txt"] = "", "a.cpp ../node/a.cpp"
        self.assertEqual(self.check(files), [])

    def test_a_top_level_folder_has_a_readme(self):
        self.assertTrue(self.check({"client/CMakeLists.txt": ""}))
        self.assertEqual(self.check({"client/CMakeLists.txt": "", "client/README.md": ""}), [])

    def test_controllers_have_the_expected_structure(self):
        files = {"controllers/README.md": "", "controllers/x/README.md": "",
                 "controllers/CMakeLists.txt": "decide.cpp controller.cpp metrics.cpp"}
        for part in ("rules/decide", "controller", "metrics"):
            files[f"controllers/x/{part}.hpp"] = HEAD
            files[f"controllers/x/{part}.cpp"] = ""
        self.assertEqual(self.check(files), [])
        del files["controllers/x/metrics.hpp"]
        self.assertTrue(self.check(files))

    def test_a_metric_is_documented(self):
        files = {"client/README.md": "", "client/a.hpp": 'f("rest_client_requests_total");\n',
                 "docs/README.md": "", "docs/metrics.md": "nothing"}
        self.assertTrue(self.check(files))
        files["docs/metrics.md"] = "| `rest_client_requests_total` |"
        self.assertEqual(self.check(files), [])

    def test_pages_and_manifests_name_the_version_that_is_built(self):
        for line, is_right in {"dra-controller-manager_1.2.3_amd64.deb": True, "dra-controller-manager:1.2.2": False,
                               "dra-controller-manager/blob/v1.2.2": False, "{newTag: 1.2.2}": False,
                               "the dra-controller-manager of Kubernetes 1.37.2": True}.items():
            files = {"CMakeLists.txt": "project(x VERSION 1.2.3 LANGUAGES CXX)", "docs/a.md": line}
            self.assertEqual(self.check(files, lint.check_versions) == [], is_right, line)


class Markdown(unittest.TestCase):
    LONG = "word " * 30

    def test_finds_long_lines_in_prose(self):
        for text, found in {self.LONG: [1], f"# {self.LONG}": [], f"| {self.LONG} |": [], f"a\n\n- {self.LONG}": [3],
                            f"```sh\n{self.LONG}\n```\n": [], "x" * 200: []}.items():
            self.assertEqual(markdown.too_long(text), found, text)

    def test_wrapping_keeps_words_and_markup(self):
        text = f"# Title\n\n- {self.LONG}- {self.LONG}\n  and more\n- next\n\n```\n{self.LONG}\n```\n"
        new = markdown.wrap(text)
        self.assertEqual(markdown.too_long(new), [])
        self.assertEqual(new.split(), text.split())
        self.assertEqual([line[:2] for line in new.splitlines() if line.startswith("- ")], ["- ", "- "])
        self.assertEqual(markdown.wrap(new), new)


if __name__ == "__main__":
    unittest.main()
