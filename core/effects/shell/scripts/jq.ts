/** Detects jq filters that read only their input, using a closed list of functions. */

const words = new Set(
  `and or not if then elif else end as def reduce foreach try catch label break empty error null true false
  add all any arrays ascii ascii_downcase ascii_upcase booleans bsearch capture ceil combinations contains del delpaths
  dateadd datesub date endswith explode fabs finites first flatten floor from_entries fromdate fromdateiso8601 fromjson
  fromstream getpath gmtime group_by gsub has implode in index indices infinite inside isempty isfinite isinfinite isnan
  isnormal isvalid iterables join keys keys_unsorted last leaf_paths length limit localtime log log10 log2 ltrimstr map
  map_values match max max_by min min_by mktime nan normals now nth nulls numbers objects path paths pick pow range
  recurse recurse_down repeat reverse rindex round rtrimstr scalars scan select setpath sort sort_by split splits sqrt
  startswith strftime strings strptime sub test todate to_entries tojson tonumber tostream tostring transpose trim ltrim
  rtrim truncate_stream type unique unique_by until utf8bytelength values walk while with_entries abs toarray
  input inputs input_line_number halt halt_error debug`.split(/\s+/),
);

const token =
  /\.\.|\.[A-Za-z_]\w*|\$[A-Za-z_]\w*|@[a-z0-9]+|[A-Za-z_]\w*(?:::\w+)*|\d[\d.eE]*|[[\]{}()|,:;.?/=<>!+*%#-]|\s+/y;

/** Checks that a filter reads no files other than its operands, and uses neither the environment nor modules. */
export function isHarmlessJq(filter: string): boolean {
  if (filter.length > 4000) return false;
  return scan(filter, 0, new Set(), 0) === filter.length;
}

/**
 * Scans a filter to its end, or to the closing parenthesis of an interpolation. Returns the index, or -1 if it is not
 * known to be harmless.
 */
function scan(filter: string, start: number, defined: Set<string>, depth: number): number {
  const open: string[] = [];
  let before = '';
  for (let at = start; at < filter.length; ) {
    if (filter[at] === '"') {
      at = endOfText(filter, at + 1, defined, depth);
      if (at < 0) return -1;
      before = '"';
      continue;
    }
    token.lastIndex = at;
    const [text] = token.exec(filter) ?? [];
    if (text === undefined || text === '#' || text === '$ENV') return -1;
    at += text.length;
    if (text.trim() === '') continue;
    if (text === ')' && open.length === 0 && depth > 0) return at;
    if ('([{'.includes(text)) open.push(text);
    else if (')]}'.includes(text)) open.pop();
    else if (/^[A-Za-z_]/.test(text)) {
      const isKey = open.at(-1) === '{' && /^[{,]$/.test(before) && /^\s*(?:[,}]|:(?!:))/.test(filter.slice(at));
      if (before === 'def') defined.add(text);
      else if (!isKey && !words.has(text) && !defined.has(text)) return -1;
    }
    before = text;
  }
  return depth === 0 ? filter.length : -1;
}

/**
 * Returns the index after a string, or -1 if it is not known to be harmless. Each `\(…)` in it is a separate filter.
 */
function endOfText(filter: string, start: number, defined: Set<string>, depth: number): number {
  for (let at = start; at < filter.length; at++) {
    if (filter[at] === '"') return at + 1;
    if (filter[at] !== '\\') continue;
    at++;
    if (filter[at] !== '(') continue;
    const end = depth < 8 ? scan(filter, at + 1, defined, depth + 1) : -1;
    if (end < 0) return -1;
    at = end - 1;
  }
  return -1;
}
