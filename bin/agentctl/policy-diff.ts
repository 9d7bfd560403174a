/** `policy diff`, alias `diff-policy`: compares two versions, configurations or packs. */

import { type Fields, fields, list } from '#core/kernel/json-fields.ts';
import type { RuleLifts } from '#core/policy/rules/analysis/lifts.ts';
import { shorten } from '#core/text/secrets/visible-text.ts';
import { type ClientAnswer, localAnswer } from './client.ts';
import { addCommand, type Cli, type Parent } from './command.ts';
import { decisionPart } from './decision.ts';
import { UsageError } from './failure.ts';
import { type Output, oneLineText, paint } from './output.ts';
import type { ReadConfiguration } from './policy-file.ts';

/**
 * Adds the command. A numeric argument is a version; any other argument is a file.
 * @param words the full name of the command.
 */
export function addPolicyDiff(parent: Parent, words: string): void {
  addCommand(parent, {
    usage: `${words.split(' ').at(-1)} <from> <to>`,
    summary:
      'Compare two policies, as versions of a gateway or files: decisions that differ, and every key that differs',
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

async function differences(cli: Cli, from: string, to: string): Promise<ClientAnswer> {
  if (/^\d+$/.test(from) && /^\d+$/.test(to))
    return cli.api().call('policyDiff', { path: { version: version(from) }, query: { against: version(to) } });
  const [before, after] = [await source(cli, from), await source(cli, to)];
  return localAnswer({ from, to, ...(await comparison(before, after)) });
}

/** Compares like `GET policy-versions/{version}/diff`. A pack on its own has no other keys to compare. */
export async function comparison(before: ReadConfiguration, after: ReadConfiguration) {
  const { policyOf } = await import('./policy-file.ts');
  const { diffOf, diffPolicies, regionsOf } = await import('#core/policy/rules/analysis/diff.ts');
  const { liftsOf } = await import('#core/policy/rules/analysis/lifts.ts');
  const { compareConfigurations, liftedGuards } = await import('#core/configuration/compare.ts');
  const { diffLevels } = await import('#core/configuration/level-diff.ts');
  const [from, to] = [before.configuration, after.configuration];
  const found = regionsOf(policyOf(before), policyOf(after));
  const own = { before: from.tool_policies.rules.length, after: to.tool_policies.rules.length };
  const lifted_by = liftsOf(found.regions, own).map((lifting) => liftWithPlaces(lifting, before, after));
  const decided = { ...diffOf(found), lifted_guards: liftedGuards(from, to), lifted_by };
  if (before.packOnly || after.packOnly) return { ...decided, levels: [], changes: [], compared: 'tool_policies' };
  return {
    ...decided,
    levels: await diffLevels(from, to, diffPolicies),
    changes: compareConfigurations(from, to),
  };
}

/** Returns a custom rule and the pack guards it lifts, with their lines in the files, if known. */
function liftWithPlaces({ rule, index, lifts }: RuleLifts, before: ReadConfiguration, after: ReadConfiguration) {
  const { places } = after;
  return {
    rule,
    path: `tool_policies.rules[${index}]`,
    ...(places && { place: places.rules[index] }),
    lifts: lifts.map(({ index: at, ...lifted }) => {
      const guard = lifted.rule.startsWith('guard:') ? lifted.rule.slice('guard:'.length) : undefined;
      const place = guard === undefined ? at !== undefined && before.places?.rules[at] : before.places?.guards[guard];
      return { ...lifted, ...(place && { place }) };
    }),
  };
}

/** Reads a version from the gateway, or a file. */
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

/** Shows changed keys by section, lifted guards, calls with a different decision, and each level's changes. */
export function showWholeDiff(out: Output, diff: Fields): void {
  if (diff.compared === 'tool_policies') out.note('compared only tool_policies, because one of the two is a pack');
  else showChanges(out, list(diff.changes));
  for (const name of Array.isArray(diff.lifted_guards) ? diff.lifted_guards : [])
    out.line(
      paint(
        'red',
        `lifted guard: ${oneLineText(name)}, by tool_policies.disable_guards: rules now decide on the calls that it blocked`,
      ),
    );
  showLiftings(out, list(diff.lifted_by));
  showPolicyDiff(out, diff);
  for (const level of list(diff.levels)) {
    out.line(paint('bold', `level ${oneLineText(level.path)}, by itself`));
    showPolicyDiff(out, level);
  }
}

function showChanges(out: Output, changes: readonly Fields[]): void {
  if (changes.length === 0) out.line('no key differs');
  let above: unknown;
  for (const { section, path, from, to } of changes) {
    if (section !== above) out.line(paint('bold', oneLineText(section)));
    above = section;
    const at = oneLineText(path);
    if (from === undefined) out.line(paint('green', `  + ${at}: ${oneLineText(to)}`));
    else if (to === undefined) out.line(paint('red', `  - ${at}: ${oneLineText(from)}`));
    else
      out.line(
        `  ~ ${at}: ${from === to ? `another value (${oneLineText(to)})` : `${oneLineText(from)} → ${oneLineText(to)}`}`,
      );
  }
}

/**
 * Maximum length of a rule name that is shown. Pack rules have long names; if the place is shown, the beginning is
 * enough.
 */
const longestName = 80;

const ruleTitle = ({ rule, place, path }: Fields): string => {
  const name = oneLineText(rule);
  const at = [path, place].filter((each) => each !== undefined).map(oneLineText);
  return at.length === 0 ? name : `${shorten(name, longestName)} (${at.join(', ')})`;
};

/** Shows each custom rule and the pack guards it lifts [policy.diff]. */
function showLiftings(out: Output, liftings: readonly Fields[]): void {
  for (const lifting of liftings) {
    out.line(paint('bold', `your rule ${ruleTitle(lifting)} decides on calls that were held back by`));
    for (const lifted of list(lifting.lifts)) {
      out.line('  ', decisionPart(lifted.from), ' → ', decisionPart(lifted.to), `  ${ruleTitle(lifted)}`);
      out.field('    example', lifted.example);
    }
  }
}

/** Returns the changes that are not already shown with the custom rules. */
function notShown(changes: readonly Fields[], { lifted_by }: Fields): Fields[] {
  const keyOf = (...parts: readonly unknown[]) => JSON.stringify(parts);
  const shown = new Set(
    list(lifted_by).flatMap(({ rule, lifts }) =>
      list(lifts).map((lifted) => keyOf(lifted.from, lifted.to, lifted.rule, rule)),
    ),
  );
  return changes.filter(
    ({ from, to, rule_before, rule_after }) => !shown.has(keyOf(from, to, rule_before, rule_after)),
  );
}

/**
 * Groups the changes caused by each lifted guard, because they repeat for all rules of the pack that apply to its
 * calls.
 */
function byGuard(changes: readonly Fields[], { lifted_guards }: Fields): Fields[] {
  const lifted = new Set(
    (Array.isArray(lifted_guards) ? lifted_guards : []).map((name) => `guard:${oneLineText(name)}`),
  );
  const lines = new Map<unknown, Fields>();
  for (const change of changes) {
    const { from, to, rule_before } = change;
    const key = lifted.has(oneLineText(rule_before)) ? JSON.stringify([from, to, rule_before]) : change;
    const first = lines.get(key);
    lines.set(key, first ? { ...first, rules: Number(first.rules ?? 0) + 1 } : change);
  }
  return [...lines.values()];
}

function showPolicyDiff(out: Output, diff: Fields): void {
  for (const [name, style] of [
    ['tightened', 'green'],
    ['loosened', 'red'],
  ] as const) {
    const changes = list(diff[name]);
    const left = name === 'loosened' ? notShown(changes, diff) : changes;
    const above = changes.length - left.length;
    out.line(
      paint(style, `${name}: ${changes.length}${above > 0 ? `, of them ${above} by your rules, as above` : ''}`),
    );
    for (const { from, to, rule_before, rule_after, approval, example, repeated, rules } of byGuard(left, diff)) {
      const pairs = repeated === undefined ? '' : ` (${oneLineText(repeated)} pairs of rules)`;
      const times = rules === undefined ? pairs : ` and ${oneLineText(rules)} more rules`;
      out.line(
        '  ',
        decisionPart(from),
        ' → ',
        decisionPart(to),
        `  ${oneLineText(rule_before)} → ${oneLineText(rule_after)}${times}`,
      );
      if (approval)
        out.field(
          '    approval',
          `${oneLineText((approval as Fields).before)} → ${oneLineText((approval as Fields).after)}`,
        );
      out.field('    example', example);
    }
  }
  out.field('analysed', diff.analysed);
  for (const warning of Array.isArray(diff.warnings) ? diff.warnings : [])
    out.line(paint('yellow', `warning: ${oneLineText(warning)}`));
}
