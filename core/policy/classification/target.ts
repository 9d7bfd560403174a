/**
 * The target of a tool call, read from its arguments in the same way for all protocols [action.class].
 */
import { sizes } from '#core/contracts/call-sizes.ts';
import { wordsIn } from './tool-words.ts';

/**
 * Arguments that usually name the target, the most specific first, compared as words: `filePath` and `file-path` are
 * `file_path`.
 */
const usualTarget = (
  'target path file_path file_name absolute_path relative_path target_file notebook_path source_path file filepath filename ' +
  'uri url repository repo full_name project table table_name database bucket resource resource_id host hostname channel ' +
  'directory dir folder destination paths files file_paths uris'
).split(' ');
/**
 * Arguments for statements and commands, which are matched as parameters. They count as a target only if they fit its
 * limits.
 */
const texts = ['command', 'cmd', 'query', 'sql'];

/**
 * Returns the target of a call, or an empty string if no argument names one.
 * @param wanted arguments whose values, joined by "/", form the target, whatever their names are.
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
  const named = usualTarget.find((name) => byName.has(name));
  if (named !== undefined) return byName.get(named)!;
  const text = texts.find((name) => isValidTarget(byName.get(name)));
  return text === undefined ? '' : byName.get(text)!;
}

/**
 * Returns the argument that supplies the target of a tool's calls, based on the tool's argument names. `owner/repo`
 * means both.
 */
export function targetArgument(names: readonly string[]): string | undefined {
  if (names.includes('owner') && names.includes('repo')) return 'owner/repo';
  const written = new Set(names.map((name) => wordsIn(name).join('_')));
  return [...usualTarget, ...texts].find((name) => written.has(name));
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Returns a string, or the only string in a list. A list of several strings has no single target. */
const onlyText = (value: unknown): string | undefined => {
  const only = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return isText(only) ? only : undefined;
};

const controls = /\p{Cc}/u;
const isValidTarget = (text: string | undefined): boolean =>
  text !== undefined && Buffer.byteLength(text) <= sizes.targetBytes && !controls.test(text);
