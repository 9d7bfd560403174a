/**
 * Parts of a command or query by kind, for display only. Joined together, the parts equal the original text, and
 * unknown syntax stays plain [console.highlight]. The effects of a line are described by its listed effects, not by the
 * colours.
 */
type PartKind = 'text' | 'comment' | 'operator' | 'variable' | 'option' | 'program' | 'keyword';

interface HighlightPart {
  readonly text: string;
  /** Undefined for plain text. */
  readonly kind: PartKind | undefined;
}

export type Language = 'shell' | 'sql';

const forms: Readonly<Record<Language, RegExp>> = {
  shell:
    /(?<text>'[^']*'|"(?:[^"\\]|\\[\s\S])*")|(?<comment>(?<![^\s])#[^\n]*)|(?<operator>[|&;<>()]+)|(?<variable>\$\{[^}]{0,200}\}|\$[A-Za-z_]\w*|\$[?!@*#$\d-])|(?<option>(?<![^\s])-{1,2}[A-Za-z][\w-]*)|(?<word>[^\s'"|&;<>()$]+)/g,
  sql: /(?<text>'(?:[^']|'')*')|(?<comment>--[^\n]*|\/\*[\s\S]*?\*\/)|(?<operator>[;(),=<>*]+)|(?<variable>\$\d+|:[A-Za-z_]\w*|\?)|(?<word>[^\s';(),=<>*]+)/g,
};

const keywords = new Set(
  `select insert update delete drop alter create truncate grant revoke from into where set values join left right inner outer on
  and or not null in is like between group order by limit offset having returning cascade table index view database schema union
  with as distinct begin commit rollback`.split(/\s+/),
);

/** Maximum length; longer text is shown plain. */
const maxCharacters = 8_000;

export function highlightParts(text: string, language: Language): HighlightPart[] {
  if (text.length > maxCharacters) return [{ text, kind: undefined }];
  const parts: HighlightPart[] = [];
  let at = 0;
  let begins = true;
  for (const { 0: found, index, groups = {} } of text.matchAll(forms[language])) {
    if (index > at) {
      const between = text.slice(at, index);
      if (between.includes('\n')) begins = true;
      parts.push({ text: between, kind: undefined });
    }
    at = index + found.length;
    const named = Object.keys(groups).find((name) => groups[name] !== undefined);
    parts.push({ text: found, kind: highlightKind(found, named, language, begins) });
    if (named === 'operator') begins = /[|&;(]$/.test(found);
    else if (named !== 'comment' && !(begins && /^[A-Za-z_]\w*=/.test(found))) begins = false;
  }
  if (at < text.length) parts.push({ text: text.slice(at), kind: undefined });
  return parts;
}

function highlightKind(
  found: string,
  named: string | undefined,
  language: Language,
  begins: boolean,
): PartKind | undefined {
  if (named !== 'word') return named as PartKind | undefined;
  if (language === 'sql') return keywords.has(found.toLowerCase()) ? 'keyword' : undefined;
  return begins && !/^[A-Za-z_]\w*=/.test(found) ? 'program' : undefined;
}
