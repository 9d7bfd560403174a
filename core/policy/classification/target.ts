/** What a tool call acts on, read from its arguments: the same for every way a call can come in [action.same-class-everywhere]. */
import { sizes } from '#core/contracts/call-sizes.ts';
import { wordsIn } from './tool-words.ts';

/** Arguments that usually name what a call acts on, most telling first, in words: `filePath` and `file-path` are `file_path`. */
const usual = (
  'target path file_path file_name absolute_path relative_path target_file notebook_path source_path file filepath filename ' +
  'uri url repository repo full_name project table table_name database bucket resource resource_id host hostname channel ' +
  'directory dir folder destination paths files file_paths uris'
).split(' ');
/** Texts of their own: they are matched as parameters, and as a target only where a target can hold them. */
const texts = ['command', 'cmd', 'query', 'sql'];

/**
 * The target of a call; empty where no argument names one.
 * @param wanted arguments whose values, joined by "/", are the target whatever they are called.
 */
export function targetFromArguments(args: Readonly<Record<string, unknown>>, wanted?: readonly string[]): string {
  if (wanted) return wanted.map((name) => (typeof args[name] === 'string' ? args[name] : '')).join('/');
  const { owner, repo } = args;
  if (isText(owner) && isText(repo)) return `${owner}/${repo}`;
  const byName = new Map<string, string>();
  for (const [key, value] of Object.entries(args)) {
    const name = wordsIn(key).join('_');
    const text = onlyText(value);
    if (text !== undefined && (key === name || !byName.has(name))) byName.set(name, text);
  }
  const named = usual.find((name) => byName.has(name));
  if (named !== undefined) return byName.get(named)!;
  const text = texts.find((name) => fits(byName.get(name)));
  return text === undefined ? '' : byName.get(text)!;
}

/** The argument of a tool from which its calls take their target, by the names of its arguments; `owner/repo` for two. */
export function targetArgument(names: readonly string[]): string | undefined {
  if (names.includes('owner') && names.includes('repo')) return 'owner/repo';
  const written = new Set(names.map((name) => wordsIn(name).join('_')));
  return [...usual, ...texts].find((name) => written.has(name));
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** A text, or the one text of a list: of several no single one is the target. */
const onlyText = (value: unknown): string | undefined => {
  const only = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return isText(only) ? only : undefined;
};

const controls = /\p{Cc}/u;
const fits = (text: string | undefined): boolean =>
  text !== undefined && Buffer.byteLength(text) <= sizes.targetBytes && !controls.test(text);
