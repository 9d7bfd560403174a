/**
 * Splits SQL into code, quoted text and comments, as PostgreSQL's lexer does. This suffices to count statements, read
 * the first word and find placeholders. Interpreting statements is left to the policy's reader.
 */

interface Scan {
  /** Number of statements; a final semicolon does not start another. */
  readonly statements: number;
  /** First word in lower case; `(` if the statement begins with a parenthesis. */
  readonly firstWord: string;
  /** Positions of placeholders such as `$1` outside of strings and comments. */
  readonly placeholders: readonly { readonly at: number; readonly length: number; readonly number: number }[];
}

/** Sticky patterns, in the order in which they are tried. Each takes linear time. */
const skipped: readonly RegExp[] = [
  /\s+/y,
  /--[^\n\r]*/y,
  /[eE]'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)/y,
  /(?:[uU]&|[bBxXnN])?'(?:[^']|'')*(?:'|$)/y,
  /(?:[uU]&)?"(?:[^"]|"")*(?:"|$)/y,
];
const comment = /\/\*/y;
const dollar = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy;
const placeholder = /\$(\d{1,5})/y;
const word = /[\p{L}_][\p{L}\p{N}_$]*/uy;
const numeral = /\d[\w.]*/y;

export function scanSql(text: string): Scan {
  const placeholders: { at: number; length: number; number: number }[] = [];
  let firstWord = '';
  let statements = 0;
  let open = false;
  const eat = (pattern: RegExp, at: number): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  const begin = (lead: string) => {
    if (!open) statements++;
    open = true;
    firstWord ||= lead;
  };
  for (let at = 0; at < text.length; ) {
    const blank = eat(skipped[0]!, at) ?? eat(skipped[1]!, at);
    if (blank) at += blank[0].length;
    else if (eat(comment, at)) at = commentEnd(text, at);
    else if (text[at] === ';') {
      open = false;
      at++;
    } else {
      const found = codeAt(text, at, eat);
      if (found.number !== undefined) placeholders.push({ at, length: found.length, number: found.number });
      begin(found.lead);
      at += found.length;
    }
  }
  return { statements, firstWord, placeholders };
}

interface Code {
  readonly length: number;
  readonly lead: string;
  readonly number?: number;
}

function codeAt(text: string, at: number, eat: (pattern: RegExp, at: number) => RegExpExecArray | null): Code {
  for (const pattern of skipped.slice(2)) {
    const quoted = eat(pattern, at);
    if (quoted) return { length: quoted[0].length, lead: "'" };
  }
  const tag = eat(dollar, at)?.[0];
  if (tag !== undefined) {
    const end = text.indexOf(tag, at + tag.length);
    return { length: (end < 0 ? text.length : end + tag.length) - at, lead: "'" };
  }
  const mark = eat(placeholder, at);
  if (mark) return { length: mark[0].length, lead: '$', number: Number(mark[1]) };
  const plain = eat(word, at) ?? eat(numeral, at);
  if (plain) return { length: plain[0].length, lead: plain[0].toLowerCase() };
  return { length: 1, lead: text[at]! };
}

/** Returns the end of a comment. PostgreSQL comments can be nested. */
function commentEnd(text: string, start: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return text.length;
}

/** Replaces `$1` with `:p1`, the form used by the RDS Data API. */
export function namedPlaceholders(text: string): string {
  let out = '';
  let from = 0;
  for (const { at, length, number } of scanSql(text).placeholders) {
    out += `${text.slice(from, at)}:p${number}`;
    from = at + length;
  }
  return out + text.slice(from);
}
