/** Resolves a configuration's pack: a name or path to read, an inline pack, or none. */
import { entriesOfRules } from '#core/catalog/rule-sets.ts';
import type { PackFile, ToolPack } from '#core/contracts/tool-policy.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { parsePack, shippedPacks } from '#core/policy/rules/pack.ts';
import { readYaml, type YamlDocument } from './yaml.ts';

const leastOfPack = 'Write at least: { name: mine, default_decision: review, rules: [] }';

/**
 * Function that returns the text of a pack file by shipped name or path. Callers provide it, because this folder does
 * no I/O.
 */
export type PackReader = (name: string) => Promise<string> | string;

export interface ResolvedPack {
  readonly pack: ToolPack | null;
  /** Index of each pack rule's entry in the source. The entry may be a rule set. */
  readonly entries: readonly number[];
  /** The source text; empty for an inline pack. */
  readonly text: string;
  /** Line lookup in that text. Absent for an inline pack. */
  readonly lineOf?: YamlDocument['lineOf'];
  /** True for an unchanged shipped pack. Its own tests prove that every rule can match, a check that takes seconds. */
  readonly proven: boolean;
}

/**
 * Resolves and parses a pack.
 * @throws GatewayError `invalid_request` for an invalid pack, and any error thrown by the reader.
 */
export async function resolvePack(source: string | PackFile | null, packs: PackReader): Promise<ResolvedPack> {
  if (source === null) return { pack: null, entries: [], text: '', proven: true };
  if (typeof source !== 'string') {
    const pack = parsePack(source, 'tool_policies.pack');
    return { pack, entries: entriesOfRules(source.rules), text: '', proven: await isAsShipped(pack, packs) };
  }
  const text = await packs(source);
  return { ...readPack(source, text), text, proven: isShipped(source) };
}

/**
 * Checks whether an inline pack equals the shipped one, which it does if a stored configuration is stored again
 * unchanged.
 */
const isAsShipped = async (pack: ToolPack, packs: PackReader): Promise<boolean> =>
  isShipped(pack.name) && packDigest(readPack(pack.name, await packs(pack.name)).pack) === digestOf(pack);

const packDigest = remembered((pack: ToolPack) => digestOf(pack));

interface ParsedPack {
  readonly pack: ToolPack;
  readonly entries: readonly number[];
}

const lastParsed = new RecentMap<string, ParsedPack & { readonly text: string }>({ max: shippedPacks.length });

/**
 * Parses the pack, unless the text equals the last one with this name. Line numbers are not cached, because they take
 * far more memory.
 */
function readPack(name: string, text: string): ParsedPack & Pick<YamlDocument, 'lineOf'> {
  const where = `The pack ${name}`;
  const known = lastParsed.get(name);
  if (known?.text === text) {
    let document: YamlDocument | undefined;
    return {
      pack: known.pack,
      entries: known.entries,
      lineOf(path) {
        document ??= readYaml(text, where);
        return document.lineOf(path);
      },
    };
  }
  const { value, lineOf } = readYaml(text, where, leastOfPack);
  const pack = parsePack(value, where);
  const entries = entriesOfRules((value as PackFile).rules);
  lastParsed.set(name, { text, pack, entries });
  return { pack, entries, lineOf };
}

const isShipped = (name: string): boolean => (shippedPacks as readonly string[]).includes(name);
