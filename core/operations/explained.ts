/**
 * Explains how each guard and rule evaluated a call and its effects, for `why` and for simulations [policy.simulate].
 */

import { isLarge, policyText, sentOf } from '#core/actions/call-work.ts';
import { ownEntriesOf } from '#core/catalog/networks.ts';
import type { FindPlace } from '#core/configuration/store/places.ts';
import type { effectSchema } from '#core/contracts/answers/policies.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { Shape } from '#core/contracts/shape.ts';
import type { ToolPolicyDocument } from '#core/contracts/tool-policy.ts';
import type { CompiledPolicy } from '#core/policy/rules/compile.ts';
import { decide } from '#core/policy/rules/decide.ts';
import { explain, type RuleTrace } from '#core/policy/rules/explain.ts';
import { forEachText } from '#core/policy/rules/normalise.ts';
import { secretPathTest } from '#core/text/secrets/secret-paths.ts';
import type { Call } from './operation.ts';

export type EffectView = Shape<typeof effectSchema>;
/** A trace with the rule's location as `file:line` [policy-version.numbered]. */
export type PlacedTrace = NonNullable<EffectView['trace']>[number];

/** Maximum number of effects that are explained. */
const maxEffects = 50;

/**
 * Returns the guards and rules up to the one that matches the call as written.
 * @throws GatewayError if large calls are left to a worker.
 */
export const traceOf =
  ({ calls }: Pick<Call['ports'], 'calls'>, policy: CompiledPolicy, document: ToolPolicyDocument) =>
  async (asked: ToolCall): Promise<readonly RuleTrace[]> =>
    calls && isLarge(sentOf(asked))
      ? calls.explain({ call: asked, policy: policyText(document) })
      : explain(policy, asked);

/** Returns the call's effects, and the policy decision on each of them. */
export async function effectsOf(
  ports: Pick<Call['ports'], 'effects'>,
  policy: CompiledPolicy,
  call: ToolCall,
  { place, catalog }: { readonly place: FindPlace; readonly catalog: Configuration['catalog'] },
) {
  const { parts, unclear } = await ports.effects(call, catalog.programs);
  const effects = parts.slice(0, maxEffects).map((part): EffectView => {
    const placed = { ...(call.upstream !== undefined && { upstream: call.upstream }), ...part };
    const { protocol, tool, target, capability } = part;
    const { decision, matched_rule, reason, rule_index: index } = decide(policy, placed);
    const at = place({ index, rule: matched_rule });
    return {
      protocol,
      tool,
      target,
      capability,
      decision,
      matched_rule,
      ...(at !== undefined && { place: at }),
      ...(reason !== undefined && { reason }),
      ...(decision !== 'allow' && { trace: withPlaces(explain(policy, placed), place) }),
    };
  });
  const own = ownFactsIn(catalog, call, parts);
  return {
    effects,
    ...(parts.length > maxEffects && { more_effects: parts.length - maxEffects }),
    ...(unclear !== undefined && { unclear }),
    ...(own.length > 0 && { catalog: own }),
  };
}

export function withPlaces(trace: readonly RuleTrace[], place: FindPlace): PlacedTrace[] {
  return trace.map((step) => {
    const at = place(step);
    return at === undefined ? step : { ...step, place: at };
  });
}

interface OwnFact {
  /** The `catalog` key and the entry: `secret_files: **.sealed`. */
  readonly entry: string;
  /** Place where it was found: in a word of the call, or in a program's command. */
  readonly found: string;
}

const limits = { words: 500, characters: 512, facts: 20 } as const;

/** @param parts the effects of the call. */
export function ownFactsIn(catalog: Configuration['catalog'], call: ToolCall, parts: readonly ToolCall[]): OwnFact[] {
  const words = callWords(call);
  const facts = [
    ...Object.keys(catalog.programs).flatMap((program) =>
      parts
        .filter(({ tool }) => tool === `shell.${program}`)
        .map(({ target }) => ({ entry: `programs: ${program}`, found: `${program} ${target}`.trim() })),
    ),
    ...words.filter(secretPathTest(catalog.secret_files, false)).flatMap((found) => {
      const globs = catalog.secret_files.filter((glob) => secretPathTest([glob], false)(found));
      return globs.map((glob) => ({ entry: `secret_files: ${glob}`, found }));
    }),
    ...words.flatMap((found) =>
      ownEntriesOf(hostOf(found), catalog.networks).map((entry) => ({ entry: `networks.${entry}`, found })),
    ),
  ];
  const known = new Map(facts.map((fact) => [`${fact.entry}\n${fact.found}`, fact]));
  return [...known.values()].slice(0, limits.facts);
}

/** Returns the words in a call's strings, except long ones. */
function callWords({ target, parameters, sent_with = {} }: ToolCall): string[] {
  const words = new Set<string>();
  forEachText([target, parameters, sent_with], (text) => {
    for (const word of text.slice(0, 16 * limits.characters).split(/[\s,;'"=]+/))
      if (word !== '' && word.length <= limits.characters && words.size < limits.words) words.add(word);
  });
  return [...words];
}

/** Returns the host of an address, or of a string such as `api.corp.example:8080/x`. */
const hostOf = (text: string): string =>
  URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`)?.hostname ?? '';
