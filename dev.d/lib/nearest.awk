# The first line is a word, the others are choices: prints the choice that a typing mistake or two away was meant.
function least(a, b) { return a < b ? a : b }
function distance(a, b,    i, j, row, above, kept) {
  for (j = 0; j <= length(b); j++) row[j] = j
  for (i = 1; i <= length(a); i++) {
    above = row[0]; row[0] = i
    for (j = 1; j <= length(b); j++) {
      kept = row[j]
      row[j] = least(least(row[j], row[j - 1]) + 1, above + (substr(a, i, 1) != substr(b, j, 1)))
      above = kept
    }
  }
  return row[length(b)]
}
NR == 1 { word = $0; best = (length(word) > 11 ? length(word) / 4 : 2) + 1; next }
{ apart = distance(word, $0); if (apart < best && apart < length($0)) { best = apart; found = $0 } }
END { if (found != "") print found }
