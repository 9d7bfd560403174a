/** Index of rules by protocol and tool, so that ten thousand rules cost about as much as a few. */
import { RecentMap } from '#core/kernel/recent-map.ts';
import type { CompiledRule } from './compiled-rule.ts';

/** Maximum number of cached lookups. It is needed because callers choose tool names. */
const maxCached = 4096;

export class RuleIndex {
  /** Rules by the literal prefix of `<protocol>:<tool>`, or of the tool name alone if any protocol matches. */
  readonly #byPrefix = new Map<string, CompiledRule[]>();
  readonly #exact = new Map<string, CompiledRule[]>();
  readonly #prefixLengths: readonly number[];
  readonly #cache = new RecentMap<string, readonly CompiledRule[]>({ max: maxCached });

  constructor(rules: readonly CompiledRule[]) {
    for (const rule of rules) this.#add(rule);
    this.#prefixLengths = [...new Set([...this.#byPrefix.keys()].map(toolLength))];
  }

  /** Returns the matching rules in policy order. Names must be normalised. */
  candidates(protocol: string, tool: string): readonly CompiledRule[] {
    return this.#cache.getOrInsertComputed(`${protocol}:${tool}`, () => this.#find(protocol, tool));
  }

  #add(rule: CompiledRule): void {
    const protocol = rule.protocol ? (rule.protocol.literal ?? anyProtocol) : anyProtocol;
    const literal = rule.tool?.literal;
    const [map, key] =
      literal === undefined
        ? [this.#byPrefix, toolKey(protocol, rule.tool?.prefix ?? '')]
        : [this.#exact, toolKey(protocol, literal)];
    const rules = map.get(key);
    if (rules) rules.push(rule);
    else map.set(key, [rule]);
  }

  #find(protocol: string, tool: string): CompiledRule[] {
    const found: CompiledRule[] = [];
    for (const name of [protocol, anyProtocol]) {
      found.push(...(this.#exact.get(toolKey(name, tool)) ?? []));
      for (const length of this.#prefixLengths) {
        if (length <= tool.length) found.push(...(this.#byPrefix.get(toolKey(name, tool.slice(0, length))) ?? []));
      }
    }
    return found
      .filter((rule) => (rule.protocol?.matches(protocol) ?? true) && (rule.tool?.matches(tool) ?? true))
      .sort((a, b) => a.index - b.index);
  }
}

/** A key that never conflicts, because normalised names do not contain line breaks. */
const anyProtocol = '\n';
const toolKey = (protocol: string, tool: string): string => `${protocol}\u0000${tool}`;
const toolLength = (key: string): number => key.length - key.indexOf('\u0000') - 1;
