/** Rule sets that packs use by name (`rule-sets.yaml`). */
import type { CatalogRuleSet, PackFile, ToolRule } from '#core/contracts/tool-policy.ts';
import { ruleSetsData } from './rule-sets-data.ts';

const setsByName: ReadonlyMap<string, readonly ToolRule[]> = new Map(
  ruleSetsData.map(({ name, rules }) => [name, rules.map((rule) => ({ name, ...rule }))]),
);

type RuleEntry = PackFile['rules'][number];

/** Returns the rules of an entry of a pack: of a set, or the one rule. */
export const rulesOfEntry = (entry: RuleEntry): readonly ToolRule[] =>
  typeof entry === 'string' ? setsByName.get(entry)! : [entry];

/** Returns, for each rule of a pack, the index of its entry in the file. */
export const entriesOfRules = (entries: readonly RuleEntry[]): readonly number[] =>
  entries.flatMap((entry, at) => rulesOfEntry(entry).map(() => at));

/** Checks whether a rule's name is that of a set, which all rules of the set have. */
export const isRuleSet = (name: string): name is CatalogRuleSet => setsByName.has(name);
