/** How a server's tool runs its line: the program that runs it, and parameters that may change the executed command. */
import { carriers } from '#core/catalog/tool-names.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { wordSet } from '#core/kernel/word-set.ts';
import { wordsIn } from '#core/policy/classification/tool-words.ts';

const elsewhere = wordSet(carriers.elsewhere);
const otherLanguages = wordSet(carriers.other_languages);
const harmless = wordSet(carriers.other_parameters);
const ofQueries = wordSet(carriers.query_parameters);

/**
 * Returns the program that runs the text, if the tool's name shows that it does not use a local shell: `ssh` for
 * `ssh_run_command`, `powershell` for `run_powershell`.
 */
export function otherProgramOf(tool: string): string | undefined {
  const words = wordsIn(tool);
  // `PowerShell` is split into two words.
  const pairs = words.slice(1).flatMap((word, at) => [`${words[at]}${word}`, `${words[at]}_${word}`]);
  return [...words, ...pairs].find((name) => elsewhere.has(name) || otherLanguages.has(name));
}

/**
 * Returns the reason why more than the line may run, or undefined if the parameters do not change it.
 * @param read parameters that are part of the line or of its context.
 */
export function otherParameter({ parameters }: ToolCall, read: ReadonlySet<string>): string | undefined {
  const other = Object.keys(parameters).find(
    (key) => !read.has(key) && !harmless.has(wordsIn(key).join('_')) && !isUnset(parameters[key]),
  );
  return other && `the parameter ${JSON.stringify(other.slice(0, 64))} may change what runs, or where`;
}

/**
 * Returns the reason why a tool that runs SQL may do more than its text shows, such as the parameter of a file, a host
 * or a recipient.
 * @param read parameters that hold SQL.
 */
export function otherQueryParameter(call: ToolCall, read: readonly string[]): string | undefined {
  const known = Object.entries(call.parameters).filter(
    // The name of a database may also be an address with a host.
    ([key, value]) => ofQueries.has(wordsIn(key).join('_')) && !/:\/\/|@/.test(typeof value === 'string' ? value : ''),
  );
  return otherParameter(call, new Set([...read, ...known.map(([key]) => key)]));
}

const isUnset = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  value === 'false' ||
  (typeof value === 'object' && Object.keys(value).length === 0);
