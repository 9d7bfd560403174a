/**
 * Reads any call. The reader is chosen by protocol or, for MCP and unknown protocols, by the shape of the tool name and
 * parameters. Text in another language (a shell command inside COPY … PROGRAM) is parsed in that language.
 */
import type { OwnPrograms } from '#core/contracts/config/catalog.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { capabilityFromName } from '#core/policy/classification/classify-tool.ts';
import { toolWords } from '#core/policy/classification/tool-words.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { argumentListEffects } from './argument-lists.ts';
import { fileNamedTwice } from './file-named-twice.ts';
import { urlKeys } from './http/parameters.ts';
import type { EffectReader, Effects } from './ports.ts';

type ReaderName = 'shell' | 'sql' | 'http' | 'git';
type EffectReaders = Readonly<Record<ReaderName, EffectReader>>;

/** Returns a reader for any call. It never throws: an error in a reader makes the call unclear. */
export const readEffects =
  (given: EffectReaders): EffectReader =>
  (call, programs) => {
    const all = withOwn(given, programs);
    try {
      return withNames(call, withPrograms(all, withSent(all, call, effectsOf(all, call))));
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      return { parts: [], carrier: false, unclear: `the call could not be read: ${why}` };
    }
  };

/** Returns the readers, extended with the programs described in the configuration. */
const withOwn = (readers: EffectReaders, programs: OwnPrograms | undefined): EffectReaders =>
  programs === undefined ? readers : { ...readers, shell: (call) => readers.shell(call, programs) };

function withNames(call: ToolCall, effects: Effects): Effects {
  const { parameters, sent_with } = call;
  const unclear = alikeNames(parameters) ?? alikeNames(sent_with) ?? fileNamedTwice(call);
  return unclear === undefined ? effects : combine([effects, { parts: [], carrier: false, unclear }], effects.carrier);
}

function effectsOf(readers: EffectReaders, call: ToolCall): Effects {
  const protocol = foldCase(call.protocol).trim();
  const named = Object.hasOwn(readers, protocol);
  const names = named ? [protocol as ReaderName] : looks.filter((name) => looksLike[name](call));
  const lists = protocol === 'shell' || protocol === 'sql' ? [] : [argumentListEffects(call)];
  const all = [...names.map((name) => readers[name](call)), ...lists].filter(
    ({ parts, unclear }) => parts.length > 0 || unclear !== undefined,
  );
  return all.length === 1 ? all[0]! : combine(all, all.length > 0 && all.every(({ carrier }) => carrier));
}

/**
 * Checks whether a call without a protocol may be meant for a reader. A false positive only makes the decision
 * stricter.
 */
const looksLike: Readonly<Record<ReaderName, (call: ToolCall) => boolean>> = {
  // These two readers perform this check themselves.
  shell: () => true,
  sql: () => true,
  http: (call) =>
    Object.keys(call.parameters).some((key) => urlKeys.includes(key.toLowerCase())) &&
    Object.values(call.parameters).some((value) => typeof value === 'string' && /^\s*https?:/i.test(value)) &&
    namesOneOf(call.tool, httpWords),
  git: (call) =>
    namesOneOf(call.tool, gitWords) &&
    (has(call, ['repo', 'repository', 'full_name', 'project_id']) ||
      (has(call, ['owner']) && has(call, ['branch', 'path'])) ||
      writesBranch(call)),
};

const looks = Object.keys(looksLike) as ReaderName[];

const has = (call: ToolCall, keys: readonly string[]): boolean =>
  keys.some((key) => Object.hasOwn(call.parameters, key) && call.parameters[key] !== null);
const httpWords = new Set(
  'http https fetch request requests curl wget url download browse navigate web webfetch webhook webpage website scrape crawl'.split(
    ' ',
  ),
);
const gitWords = new Set(
  'scm git github gitlab gitea bitbucket forgejo repo repository branch commit push file files pull merge'.split(' '),
);
const namesOneOf = (tool: string, words: ReadonlySet<string>): boolean => {
  const { family, words: own } = toolWords(tool);
  return [...family, ...own].some((word) => words.has(word));
};

/** Checks for a write to a branch. Tools for a local repository (`git_push`) do not name a repository on a host. */
const writesBranch = (call: ToolCall): boolean => {
  if (capabilityFromName(call.tool) === 'read') return false;
  const isPush = ['git', 'push'].every((word) => namesOneOf(call.tool, new Set([word])));
  return isPush || has(call, branchKeys);
};
const branchKeys = ['branch', 'branch_name', 'branchName', 'target_branch', 'targetBranch', 'refspec', 'refspecs'];

const combine = (all: readonly Effects[], carrier: boolean): Effects => {
  const unclear = all.flatMap((effects) => effects.unclear ?? []);
  const unreadLines = all.flatMap((effects) => effects.unreadLines ?? []);
  return {
    parts: all.flatMap(({ parts }) => parts),
    carrier,
    ...(unclear.length > 0 && { unclear: unclear.join('; ') }),
    ...(unreadLines.length > 0 && { unreadLines }),
  };
};

/**
 * Adds values sent alongside the parameters. The server may use them as parameters, so each object is read as
 * parameters [policy.sent-with].
 */
function withSent(readers: EffectReaders, { sent_with, ...call }: ToolCall, effects: Effects): Effects {
  if (sent_with === undefined) return effects;
  const others = [...objectsIn(sent_with)].map((parameters) => effectsOf(readers, { ...call, target: '', parameters }));
  return combine([effects, ...others], effects.carrier);
}

function* objectsIn(value: unknown): Iterable<Readonly<Record<string, unknown>>> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Readonly<Record<string, unknown>>;
  for (const item of Object.values(value)) yield* objectsIn(item);
}

/** Adds the effects of programs that a statement makes the database server run. They are read as shell text. */
function withPrograms(readers: EffectReaders, effects: Effects): Effects {
  const programs = effects.parts.filter(
    ({ protocol, parameters }) => protocol === 'sql' && parameters.source === 'program',
  );
  if (programs.length === 0) return effects;
  const lines = programs.map(({ target }) =>
    readers.shell({
      protocol: 'shell',
      tool: 'shell.run',
      target: '',
      capability: 'execute',
      parameters: { command: target },
    }),
  );
  return combine([effects, ...lines], effects.carrier);
}

/** Objects that contain environment variables: `http_proxy` and `HTTP_PROXY` are distinct, and both are common. */
const maps: ReadonlySet<string> = new Set(['env', 'environment']);

/**
 * Returns the reason why the parameters are unclear, or undefined if no two names in an object differ only in case.
 * Servers that ignore case (Go, .NET) use the last one, while a rule checks the name it lists [effects.alike-names].
 */
function alikeNames(value: unknown, isMap = false): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value) && !isMap) {
    const seen = new Map<string, string>();
    for (const name of Object.keys(value)) {
      const folded = name.toUpperCase().toLowerCase();
      const other = seen.get(folded);
      if (other !== undefined) return `the parameters ${quoteName(other)} and ${quoteName(name)} differ only in case`;
      seen.set(folded, name);
    }
  }
  for (const [name, inner] of Object.entries(value)) {
    const found = alikeNames(inner, maps.has(name));
    if (found !== undefined) return found;
  }
  return undefined;
}

const quoteName = (name: string): string => JSON.stringify(name.slice(0, 64));
