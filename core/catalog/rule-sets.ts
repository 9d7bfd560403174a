/** Rule sets that packs use by name (`rule-sets.yaml`). */
import type { CatalogRuleSet, PackFile, ToolRule } from '#core/contracts/tool-policy.ts';
import { ruleSetsData } from './rule-sets-data.ts';

const setsByName: ReadonlyMap<string, readonly ToolRule[]> = new Map(
  ruleSetsData.map(({ name, rules }) => [name, rules.map((rule) => ({ name, ...rule }))]),
);

type RuleEntry = PackFile['rules'][number];

/** Returns the rules for an entry of a pack: the rules of a set, or the single rule. */
export const rulesOfEntry = (entry: RuleEntry): readonly ToolRule[] =>
  typeof entry === 'string' ? setsByName.get(entry)! : [entry];

/** Returns, for each rule of a pack, the index in the file of the entry that it comes from. */
export const entriesOfRules = (entries: readonly RuleEntry[]): readonly number[] =>
  entries.flatMap((entry, at) => rulesOfEntry(entry).map(() => at));

/** Checks whether a rule's name is the name of a set, which all rules of the set share. */
export const isRuleSet = (name: string): name is CatalogRuleSet => setsByName.has(name);
