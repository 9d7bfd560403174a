/** Resolves a configuration's pack: a name or path to read, an inline pack, or none. */
import type { ToolPack } from '#core/contracts/tool-policy.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { parsePack, shippedPacks } from '#core/policy/rules/pack.ts';
import { readYaml, type YamlDocument } from './yaml.ts';

const leastOfPack = 'Write at least: { name: mine, default_decision: review, rules: [] }';

/** Returns the text of a pack file by shipped name or path. Callers provide it, because this folder does no I/O. */
export type PackReader = (name: string) => Promise<string> | string;

export interface ResolvedPack {
  readonly pack: ToolPack | null;
  /** The source text; empty for an inline pack. */
  readonly text: string;
  /** Line lookup in that text; absent for an inline pack. */
  readonly lineOf?: YamlDocument['lineOf'];
  /**
   * True for an unchanged shipped pack: its own tests prove that every rule can match, which takes seconds to check.
   */
  readonly proven: boolean;
}

/**
 * Resolves and parses a pack.
 * @throws GatewayError `invalid_request` for an invalid pack, and any error of the reader.
 */
export async function resolvePack(source: string | ToolPack | null, packs: PackReader): Promise<ResolvedPack> {
  if (source === null) return { pack: null, text: '', proven: true };
  if (typeof source !== 'string') {
    const pack = parsePack(source, 'tool_policies.pack');
    return { pack, text: '', proven: await isAsShipped(pack, packs) };
  }
  const text = await packs(source);
  return { ...readPack(source, text), text, proven: isShipped(source) };
}

/**
 * Checks whether an inline pack equals the shipped one, as in a stored configuration that is stored again unchanged.
 */
const isAsShipped = async (pack: ToolPack, packs: PackReader): Promise<boolean> =>
  isShipped(pack.name) && digest(readPack(pack.name, await packs(pack.name)).pack) === digestOf(pack);

const digest = remembered((pack: ToolPack) => digestOf(pack));

const lastParsed = new RecentMap<string, { readonly text: string; readonly pack: ToolPack }>({
  max: shippedPacks.length,
});

/**
 * Parses the pack, unless the text equals the last one of this name. Its lines are not cached, because they take far
 * more memory.
 */
function readPack(name: string, text: string): { readonly pack: ToolPack } & Pick<YamlDocument, 'lineOf'> {
  const where = `The pack ${name}`;
  const known = lastParsed.get(name);
  if (known?.text === text) {
    let document: YamlDocument | undefined;
    return {
      pack: known.pack,
      lineOf(path) {
        document ??= readYaml(text, where);
        return document.lineOf(path);
      },
    };
  }
  const { value, lineOf } = readYaml(text, where, leastOfPack);
  const pack = parsePack(value, where);
  lastParsed.set(name, { text, pack });
  return { pack, lineOf };
}

const isShipped = (name: string): boolean => (shippedPacks as readonly string[]).includes(name);
