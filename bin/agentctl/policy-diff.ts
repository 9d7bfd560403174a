/** `policy diff`, also called `diff-policy`: what differs between two versions, configurations or packs, and how a difference is shown. */
import { addCommand, type Cli, type Parent } from './command.ts';
import { decisionPart } from './decision.ts';
import { UsageError } from './failure.ts';
import { type Fields, fields, list } from './json-fields.ts';
import { type Output, painted, plain } from './output.ts';
import type { ReadConfiguration } from './policy-file.ts';

/**
 * Versions are numbers; everything else is a file.
 * @param words the whole name of the command.
 */
export function addPolicyDiff(parent: Parent, words: string): void {
  addCommand<Record<string, never>>(parent, {
    usage: `${words.split(' ').at(-1)} <from> <to>`,
    summary:
      'What two policies decide differently, and every key that differs: versions of a gateway, or configuration and pack files',
    examples: ['3 4', 'main.yaml branch.yaml', "3 4 --json | jq '.loosened | length'"].map(
      (rest) => `${words} ${rest}`,
    ),
    run: async (cli, _options, [from = '', to = '']) => {
      const answer = await differences(cli, from, to);
      if (cli.globals.json) cli.out.json(answer.text);
      else showWholeDiff(cli.out, fields(answer.json));
      return 'positive';
    },
  });
}

interface Given {
  readonly text: string;
  readonly json: unknown;
}
const given = (json: unknown): Given => ({ json, text: JSON.stringify(json) });

async function differences(cli: Cli, from: string, to: string): Promise<Given> {
  if (/^\d+$/.test(from) && /^\d+$/.test(to))
    return cli.api().call('policyDiff', { path: { version: version(from) }, query: { against: version(to) } });
  const [before, after] = [await source(cli, from), await source(cli, to)];
  return given({ from, to, ...(await comparison(before, after)) });
}

/** What `GET policy-versions/{version}/diff` answers. A pack alone has no other keys to compare. */
export async function comparison(before: ReadConfiguration, after: ReadConfiguration) {
  const { policyOf } = await import('./policy-file.ts');
  const { diffPolicies } = await import('#core/tool-policy/analysis/diff.ts');
  const { compareConfigurations, liftedGuards } = await import('#core/configuration/compare.ts');
  const { diffLevels } = await import('#core/configuration/level-diff.ts');
  const [from, to] = [before.configuration, after.configuration];
  const decided = { ...diffPolicies(policyOf(before), policyOf(after)), lifted_guards: liftedGuards(from, to) };
  if (before.packOnly || after.packOnly) return { ...decided, levels: [], changes: [], compared: 'tool_policies' };
  return {
    ...decided,
    levels: await diffLevels(from, to, diffPolicies),
    changes: compareConfigurations(from, to),
  };
}

/** A version of the gateway, or a file. */
async function source(cli: Cli, word: string): Promise<ReadConfiguration> {
  const { readPolicyFile, servedConfiguration } = await import('./policy-file.ts');
  if (!/^\d+$/.test(word)) return readPolicyFile(word);
  const answer = await cli.api().call('policyVersion', { path: { version: version(word) } });
  return { configuration: servedConfiguration(fields(answer.json).configuration), warnings: [] };
}

function version(word: string): string {
  if (/^[1-9]\d{0,15}$/.test(word)) return word;
  throw new UsageError(`a policy version is a whole number from 1, got ${JSON.stringify(word)}`);
}

/** Changed keys by section, lifted guards, the calls that the policy decides otherwise, and those of each level. */
export function showWholeDiff(out: Output, diff: Fields): void {
  if (diff.compared === 'tool_policies') out.note('compared: tool_policies alone, because one of the two is a pack');
  // A gateway of before compares no keys.
  else if (Array.isArray(diff.changes)) showChanges(out, list(diff.changes));
  for (const name of Array.isArray(diff.lifted_guards) ? diff.lifted_guards : [])
    out.line(painted('red', `lifted guard: ${plain(name)}: what it blocked is left to the rules`));
  showPolicyDiff(out, diff);
  for (const level of list(diff.levels)) {
    out.line(painted('bold', `level ${plain(level.path)}, by itself`));
    showPolicyDiff(out, level);
  }
}

function showChanges(out: Output, changes: readonly Fields[]): void {
  if (changes.length === 0) out.line('no key differs');
  let above: unknown;
  for (const { section, path, from, to } of changes) {
    if (section !== above) out.line(painted('bold', plain(section)));
    above = section;
    const at = plain(path);
    if (from === undefined) out.line(painted('green', `  + ${at}: ${plain(to)}`));
    else if (to === undefined) out.line(painted('red', `  - ${at}: ${plain(from)}`));
    else out.line(`  ~ ${at}: ${from === to ? `another value (${plain(to)})` : `${plain(from)} → ${plain(to)}`}`);
  }
}

function showPolicyDiff(out: Output, diff: Fields): void {
  for (const [name, style] of [
    ['tightened', 'green'],
    ['loosened', 'red'],
  ] as const) {
    const changes = list(diff[name]);
    out.line(painted(style, `${name}: ${changes.length}`));
    for (const { from, to, rule_before, rule_after, example, repeated } of changes) {
      const times = repeated === undefined ? '' : ` (${plain(repeated)} pairs of rules)`;
      out.line(
        '  ',
        decisionPart(from),
        ' → ',
        decisionPart(to),
        `  ${plain(rule_before)} → ${plain(rule_after)}${times}`,
      );
      out.field('    example', example);
    }
  }
  out.field('analysed', diff.analysed);
  for (const warning of Array.isArray(diff.warnings) ? diff.warnings : []) {
    out.line(painted('yellow', `warning: ${plain(warning)}`));
  }
}
