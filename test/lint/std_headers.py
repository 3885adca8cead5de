"""Finds standard headers without a use: a table of headers, and the names that justify each."""
import re

ALGORITHMS = (
    "adjacent_find all_of any_of binary_search clamp contains copy copy_backward copy_if copy_n count count_if ends_with equal "
    "equal_range fill fill_n find find_end find_first_of find_if find_if_not find_last find_last_if fold_left for_each for_each_n "
    "generate generate_n includes inplace_merge is_heap is_partitioned is_permutation is_sorted is_sorted_until iter_swap "
    "lexicographical_compare lexicographical_compare_three_way lower_bound make_heap max max_element merge min min_element minmax "
    "minmax_element mismatch move_backward next_permutation none_of nth_element partial_sort partition partition_copy "
    "partition_point pop_heap prev_permutation push_heap remove remove_copy remove_copy_if remove_if replace replace_copy "
    "replace_copy_if replace_if reverse reverse_copy rotate rotate_copy sample search search_n set_difference set_intersection "
    "set_symmetric_difference set_union shift_left shift_right shuffle sort sort_heap stable_partition stable_sort starts_with "
    "swap_ranges transform unique unique_copy upper_bound").split()


def std(*names):
    return r"(?:std|ranges|pmr)::(?:" + "|".join(names) + r")\b"


# Patterns are lenient: what looks like a use is one.
USES = {
    "algorithm": std(*ALGORITHMS) + r"|ranges::move\b|std::move\([^()]*,",
    "array": std("array", "to_array"),
    "bit": std(r"bit_\w+", "popcount", r"count[lr]_\w+", "has_single_bit", "endian", "rot[lr]", "byteswap"),
    "cctype": r"\b(?:is[a-z]+|to(?:lower|upper))\(",
    "cerrno": r"\berrno\b|\bE[A-Z0-9]{3,}\b",
    "charconv": std("from_chars", "to_chars", r"from_chars_\w+", "chars_format"),
    "chrono": r"\bchrono\b|chrono_literals|\d(?:h|min|s|ms|us|ns)\b",
    "cmath": r"\b(?:std::)?(?:is(?:nan|inf|finite)|signbit|f?abs|floor|ceil|l*round|trunc|pow|sqrt|cbrt|exp2?|log(?:2|10|1p)?|fmod|"
             r"modf|nan|nextafter|scalb\w*|ldexp|frexp|copysign|hypot|fmin|fmax|fma|rint|nearbyint|sin|cos|tan|atan2?|NAN|INFINITY)\b",
    "compare": r"<=>|\w+_ordering\b|\bis_n?(?:eq|lt|gt|lteq|gteq)\b|three_way|strong_order",
    "concepts": std(r"\w*same_as", "derived_from", "convertible_to", r"\w*constructible\w*", r"\w*integral", "floating_point",
                    r"\w*invocable", "predicate", "relation", "regular", "semiregular", "movable", "copyable", r"equality_comparable\w*",
                    r"totally_ordered\w*", "swappable", "destructible", r"assignable_from"),
    "csignal": r"\bSIG\w+|\bsig\w+|\bsignal\b|\braise\(|\bkill\(",
    "cstddef": r"\b(?:size_t|ptrdiff_t|nullptr_t|max_align_t|offsetof|NULL)\b|std::byte\b|to_integer",
    "cstdint": r"\bu?int(?:_fast|_least)?(?:\d+|ptr|max)_t\b|U?INT\d+_(?:MAX|MIN|C)",
    "cstdio": r"\b\w*printf\b|\bFILE\b|\bf(?:open|close|puts|flush|write|read|gets|seek|ileno|dopen|eof|error)\b|\bputs\b|\bputchar\b|"
              r"\bstd(?:out|err|in)\b|\bEOF\b|\b(?:remove|rename)\(|\bperror\b|\bsetv?buf\b|\bpopen\b|\bpclose\b|\btmpfile\b",
    "cstdlib": r"\b(?:secure_)?getenv\b|\b(?:un)?setenv\b|\b(?:quick_|_)?[Ee]xit\b|\babort\b|\b[mc]alloc\b|\bfree\b|\brealloc\b|"
               r"\bstrto\w+|\bato[ifl]l?\b|\bsystem\(|\bEXIT_\w+|\bmk[ds]\w*temp\b|\babs\b|\bl*div\b|\bs?rand\b|\batexit\b|\brealpath\b",
    "cstring": r"\bmem(?:cpy|set|move|cmp|chr|mem)\b|\bstr(?:n?len|n?cmp|r?chr|n?cpy|str|error|signal|tok|n?cat|dup|p?brk|c?spn)\w*\b",
    "deque": std("deque"),
    "exception": r"std::(?:exception|current_exception|rethrow|terminate|uncaught|make_exception|set_terminate|nested|throw_with)",
    "expected": r"\b(?:bad_expected|un)?expect(?:ed)?\b",
    "filesystem": r"\bfilesystem\b",
    "fstream": r"\b[io]?fstream\b|\bfilebuf\b",
    "functional": std("function", "move_only_function", "less", "greater", "less_equal", "greater_equal", "equal_to", "not_equal_to",
                      "hash", r"bind\w*", "c?ref", "reference_wrapper", r"invoke\w*", "identity", "mem_fn", "plus", "minus",
                      "multiplies", "divides", "modulus", "negate", "not_fn", r"logical_\w+", r"bit_\w+", r"\w*_searcher"),
    "initializer_list": r"\binitializer_list\b",
    "iostream": r"\b(?:cout|cerr|cin|clog)\b",
    "iterator": r"\w*inserter\b|" + std("next", "prev", "advance", "distance", "s?size", "c?r?begin", "c?r?end", "data", "empty")
                + r"|\w*_iterator(?:_\w+)?\b|\biter_\w+_t\b|\bsentinel\w*|\bindirect\w+|\bprojected\b|default_sentinel|iterator_traits",
    "limits": r"\bnumeric_limits\b",
    "list": std("list"),
    "map": std("(?:multi)?map"),
    "memory": r"\b(?:unique|shared|weak)_ptr\b|\bmake_(?:unique|shared)\w*|\w*shared_from_this\b|\baddressof\b|\w+_pointer_cast\b|"
              r"\ballocator\w*|\ballocate_\w+|default_delete|\b(?:construct|destroy)_(?:at|n)\b|\bto_address\b|\buninitialized_\w+|"
              r"pointer_traits|\b(?:in)?out_ptr\b|owner_less",
    "new": r"bad_alloc|nothrow|operator (?:new|delete)|launder|hardware_\w+_size|align_val_t|\bnew \(|new_handler",
    "numeric": std("accumulate", "iota", r"\w*reduce", "gcd", "lcm", "midpoint", "inner_product", "partial_sum", "adjacent_difference",
                   r"\w*clusive_scan", r"\w+_sat"),
    "optional": r"\b(?:optional|nullopt|make_optional|nullopt_t|bad_optional_access)\b",
    "ostream": r"\bostream\b|\bendl\b|\bflush\b",
    "queue": std("queue", "priority_queue"),
    "ranges": r"\bviews?::|ranges::(?:\w*range\w*|\w*view\w*|to|s?size|empty|data|c?r?begin|c?r?end|iterator_t|sentinel_t|borrowed\w*|elements_of)\b",
    "regex": r"\bregex\w*|\b[sc]match\b",
    "set": std("(?:multi)?set"),
    "source_location": r"\bsource_location\b",
    "span": r"\bspan\b|\bas_(?:writable_)?bytes\b|dynamic_extent",
    "sstream": r"\b[io]?stringstream\b|\bstringbuf\b",
    "stdexcept": std(r"(?:runtime|logic|domain|length|range|overflow|underflow)_error", "invalid_argument", "out_of_range"),
    "string": r"\b(?:u8|u16|u32|w)?string\b|\bto_string\b|std::sto\w+|\bgetline\b|char_traits|string_literals",
    "string_view": r"\bw?string_view\b|string_view_literals|\"sv\b",
    "system_error": r"\berror_(?:code|category|condition)\b|\bsystem_error\b|\berrc\b|\b(?:generic|system)_category\b|make_error_\w+",
    "thread": r"\bj?thread\b|\bthis_thread\b",
    "tuple": std("tuple", "tie", "make_tuple", "apply", "forward_as_tuple", "ignore", r"get", r"tuple_\w+"),
    "type_traits": std(r"is_\w+", r"remove_\w+", r"add_\w+", r"decay\w*", r"conditional\w*", r"enable_if\w*", r"common_\w+", r"underlying_\w+",
                       r"invoke_result\w*", r"\w+_constant", "true_type", "false_type", "void_t", r"type_identity\w*", r"make_(?:un)?signed\w*",
                       r"conjunction\w*", r"disjunction\w*", r"negation\w*", r"extent\w*", "rank", r"unwrap_\w+"),
    "unordered_map": std("unordered_(?:multi)?map"),
    "unordered_set": std("unordered_(?:multi)?set"),
    "utility": std("move", r"forward\w*", "pair", "make_pair", "exchange", "swap", "unreachable", "to_underlying", r"in_place\w*", "declval",
                   "as_const", r"cmp_\w+", "in_range", r"\w*(?:integer|index)_sequence\w*", "piecewise_construct", "get", "rel_ops"),
    "variant": r"\b(?:variant\w*|visit|get_if|holds_alternative|monostate|bad_variant_access)\b",
    "vector": std("vector"),
}
USES = {header: re.compile(pattern) for header, pattern in USES.items()}
INCLUDE = re.compile(r"\s*#include <([^>]+)>")


def without_use(lines):
    """(line number, header) of each include that nothing in the file needs."""
    code = "\n".join(line.split("//", 1)[0] for line in lines if not line.lstrip().startswith("#include"))
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if match and match.group(1) in USES and not USES[match.group(1)].search(code):
            yield number, match.group(1)
