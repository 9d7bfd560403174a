/**
 * Finds tools that shadow another server's tools, by their name or by references in their descriptions
 * [guard.definitions].
 */
import { asText } from '#core/kernel/as-text.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { foldCase, isAscii } from '#core/text/matching/fold-unicode.ts';
import { foldForJudging } from './check-text.ts';
import { definitionTexts } from './definition-texts.ts';

/** The tools that one server offers to a caller. */
interface ServerTools {
  readonly server: string;
  /** Prefix that the gateway adds to the server's tools on name collisions, such as `mail__`. */
  readonly parted: string;
  /** Names of the server's tools, including earlier ones that are no longer listed. */
  readonly names: readonly string[];
  readonly tools: readonly ShadowingDefinition[];
}

interface ShadowingDefinition {
  readonly definition: JsonObject;
  /** Tools of other servers, as `<server>: <tool>`, that the definition shadows. */
  shadows: readonly string[];
}

const maxShadows = 8;
const turnTools = 64;

/**
 * Compares every definition with the tools of the other servers, and records on each definition which tools it shadows.
 * Identical names are accepted, because the gateway shows each with its server.
 * @param pause lets other work run.
 * @returns the servers with a definition that has a new finding.
 */
export async function noteShadows(offers: readonly ServerTools[], pause: () => Promise<unknown>): Promise<string[]> {
  const servers = offers.map(readServer);
  const fresh = new Set<string>();
  let read = 0;
  for (const [at, { tools, server }] of offers.entries())
    for (const tool of tools) {
      const before = tool.shadows;
      tool.shadows = shadowsIn(tool.definition, servers[at]!, servers);
      if (tool.shadows.some((each) => !before.includes(each))) fresh.add(server);
      if (++read % turnTools === 0) await pause();
    }
  return [...fresh];
}

interface Server {
  readonly server: string;
  readonly folded: string;
  readonly parted: string;
  /** Original names, keyed by folded name. */
  readonly names: ReadonlyMap<string, string>;
}

export const readServer = ({ server, parted, names }: Omit<ServerTools, 'tools'>): Server => ({
  server,
  folded: foldCase(server),
  parted: foldCase(parted),
  names: new Map(names.map((name) => [foldCase(name).trim(), name])),
});

/** Returns the tools of the other servers that a definition of `own` shadows. */
export function shadowsIn(definition: JsonObject, own: Server, servers: readonly Server[]): readonly string[] {
  const others = servers.filter((each) => each !== own);
  const shadows = new Set<string>();
  for (const other of others) {
    const taken = nameTaken(asText(definition.name), own, other);
    if (taken !== undefined) shadows.add(`${other.server}: ${taken}`);
  }
  for (const { word, ordered, called } of definitionWords(definition)) {
    if (own.names.has(word)) continue;
    for (const other of others) {
      const full = qualifiedTool(word, other);
      const name = full ?? (ordered && !isShortName(word, own) ? other.names.get(word) : undefined);
      if (name !== undefined && (full !== undefined || called || distinctive.test(name)))
        shadows.add(`${other.server}: ${name}`);
    }
  }
  return [...shadows].sort().slice(0, maxShadows);
}

/** Checks whether a word is the end of one of the server's own tool names: `fetch` for `notion-fetch`. */
const isShortName = (word: string, { names }: Server): boolean =>
  [...names.keys()].some((name) => name.endsWith(word) && /[-_.]/.test(name.charAt(name.length - word.length - 1)));

/** Returns the tool of the other server for which a name could be mistaken. */
function nameTaken(written: string, own: Server, other: Server): string | undefined {
  const name = foldCase(written).trim();
  if (!isAscii(written) && other.names.has(name)) return other.names.get(name);
  if (other.names.has(name)) return undefined;
  if (other.parted !== own.parted && name.startsWith(other.parted)) return name.slice(other.parted.length, 200);
  return qualifiedTool(name, other);
}

/** Returns the tool named in `<server>__<tool>`, `<server>.<tool>` and similar forms. */
function qualifiedTool(word: string, { folded: server, parted, names }: Server): string | undefined {
  if (word.startsWith(parted)) return names.get(word.slice(parted.length));
  if (!word.startsWith(server) || !/[._:/-]/.test(word.charAt(server.length))) return undefined;
  return names.get(word.slice(server.length + 1).replace(/^[_:]/, ''));
}

/** Names that cannot be ordinary words. */
const distinctive = /[\p{L}\p{N}][_.-][\p{L}\p{N}]|\p{Ll}\p{Lu}/u;

interface Word {
  readonly word: string;
  /** True if the word is in a sentence that gives an instruction about it. */
  readonly ordered: boolean;
  /** True if such a sentence refers to the word as a tool. */
  readonly called: boolean;
}

const orders =
  /\b(?:before|after|instead|rather than|over|replaces?|replacement|supersedes?|deprecated|broken|insecure|always|must|never|do not|don't|first|prefer|whenever|every|each|any|bcc|cc|redirect(?:ed|s)?|overrides?|when (?:using|calling|invoking|you))\b/;
const tokens = /[\p{L}\p{N}_][\p{L}\p{N}_.:/-]{0,127}/gu;
const sentence = /[.!?](?:\s|$)|\n/g;
const maxText = 16_384;

/** Returns the words in all text of a definition. Cached. */
const definitionWords = remembered((definition: JsonObject): readonly Word[] => {
  const words = new Map<string, Word>();
  let left = maxText * 4;
  for (const { text } of definitionTexts(definition)) {
    if (left <= 0) break;
    const part = text.slice(0, Math.min(maxText, left));
    left -= part.length;
    for (const each of sentencesOf(foldForJudging(part))) readSentence(each, words);
  }
  return [...words.values()];
});

const sentencesOf = (text: string): string[] => text.split(sentence);

function readSentence(text: string, words: Map<string, Word>): void {
  const ordered = orders.test(text);
  for (const { 0: token, index } of text.matchAll(tokens)) {
    const word = token.replace(/[.:/-]+$/, '');
    const after = text.slice(index + word.length, index + word.length + 8);
    const ahead = text.slice(Math.max(0, index - 8), index);
    const called = /^["'`]?\s{1,2}tools?\b/.test(after) || /\btools?\s{1,2}["'`]?$/.test(ahead);
    const before = words.get(word);
    // One mention that is both ordered and called a tool is enough.
    words.set(word, {
      word,
      ordered: ordered || before?.ordered === true,
      called: (called && ordered) || before?.called === true,
    });
  }
}
