/** Where a configuration's pack comes from: a name or path that is read, an inline pack, or none. */
import type { ToolPack } from '#core/contracts/tool-policy.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { parsePack, shippedPacks } from '#core/policy/rules/pack.ts';
import { readYaml, type YamlDocument } from './yaml.ts';

const leastOfPack = 'Write at least: { name: mine, default_decision: review, rules: [] }';

/** Text of a pack file, by shipped name or path. Reading files is the caller's: this folder does no I/O. */
export type PackReader = (name: string) => Promise<string> | string;

export interface ResolvedPack {
  readonly pack: ToolPack | null;
  /** The text it was read from; empty for an inline pack. */
  readonly text: string;
  /** Lines of that text; absent for an inline pack. */
  readonly lineOf?: YamlDocument['lineOf'];
  /** A shipped pack as it ships: its own tests prove that every rule can match, which takes seconds to find out. */
  readonly proven: boolean;
}

/** @throws GatewayError `invalid_request` for a bad pack; whatever the reader throws for one it cannot read. */
export async function resolvePack(source: string | ToolPack | null, packs: PackReader): Promise<ResolvedPack> {
  if (source === null) return { pack: null, text: '', proven: true };
  if (typeof source !== 'string') {
    const pack = parsePack(source, 'tool_policies.pack');
    return { pack, text: '', proven: await isAsShipped(pack, packs) };
  }
  const text = await packs(source);
  return { ...readPack(source, text), text, proven: isShipped(source) };
}

/** A stored configuration carries its pack inline; stored again unchanged, the pack is still the shipped one. */
const isAsShipped = async (pack: ToolPack, packs: PackReader): Promise<boolean> =>
  isShipped(pack.name) && digest(readPack(pack.name, await packs(pack.name)).pack) === digestOf(pack);

const digest = remembered((pack: ToolPack) => digestOf(pack));

const lastParsed = new RecentMap<string, { readonly text: string; readonly pack: ToolPack }>({
  max: shippedPacks.length,
});

/** Parses the pack again only if the text is another than the last of this name. Its lines, which take far more memory, are not kept. */
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
