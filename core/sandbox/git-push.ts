/** What a `git push` in a shell would do, as parts of a Git host's protocol, so that one set of limits covers both ways. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import { branchName } from '#core/effects/git/branches.ts';

const withValue = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path', '--config-env']);
const pushValue = new Set(['-o', '--push-option', '--repo', '--receive-pack', '--exec']);

/** One part per branch pushed; none where the command is no push. */
export function pushesOf(part: ToolCall): ToolCall[] {
  const words = wordsOf(part);
  const at = subcommandAt(words);
  if (words[at] !== 'push') return [];
  const { options, operands } = split(words.slice(at + 1));
  const has = (pattern: RegExp): boolean => options.some((option) => pattern.test(option));
  const removes = has(/^(?:--delete|-[a-zA-Z]*d[a-zA-Z]*)$/);
  const everything = has(/^--(?:all|branches|mirror|prune)$/);
  const specs = operands.slice(1);
  const forced =
    has(/^(?:--force(?:$|-|=)|--mirror$|-[a-zA-Z]*f[a-zA-Z]*$)/) || specs.some((spec) => spec.startsWith('+'));
  const push = (branch: string | undefined, deleted: boolean): ToolCall => ({
    protocol: 'git',
    tool: 'scm.push',
    target: operands[0] ?? '',
    capability: deleted ? 'delete' : 'write',
    parameters: { ...(forced && { force: true }), ...(branch ? { branch } : { default_branch: true }) },
  });
  // Without a refspec the current branch goes, whichever that is.
  if (specs.length === 0 || everything) return [push(undefined, removes)];
  return specs.map((spec) => {
    const branch = branchName(spec.includes(':') ? spec.slice(spec.indexOf(':') + 1) : spec);
    return push(branch === 'HEAD' || branch === '@' ? undefined : branch, removes || /^\+?:/.test(spec));
  });
}

function wordsOf({ parameters, target }: ToolCall): string[] {
  const argv = parameters.argv ?? parameters.args;
  const words = Array.isArray(argv) ? argv.filter((word) => typeof word === 'string') : target.split(/\s+/);
  return /(?:^|\/)git$/.test(words[0] ?? '') ? words.slice(1) : words;
}

function subcommandAt(words: readonly string[]): number {
  let at = 0;
  while (words[at]?.startsWith('-')) at += withValue.has(words[at]!) ? 2 : 1;
  return at;
}

function split(words: readonly string[]): { options: string[]; operands: string[] } {
  const options: string[] = [];
  const operands: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (!word.startsWith('-')) operands.push(word);
    else {
      options.push(word);
      if (pushValue.has(word)) at++;
    }
  }
  return { options, operands };
}
