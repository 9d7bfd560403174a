/** Describes what a definition adds to the accepted one, for its human reviewer [guard.changes]. */
import type { JsonObject } from '#core/kernel/json.ts';
import { changesBetween, newlySaid, surfaceOf } from './changes.ts';
import { type Parameter, parametersOf } from './definition-texts.ts';
import { checkDefinition } from './definitions.ts';

interface IntroducedMember {
  /** A kind from `changesBetween`, or the kind of a `checkDefinition` finding. */
  readonly kind: string;
  /** Path of the member. Absent for a finding about the whole definition. */
  readonly where?: string;
  /** A sentence written by the gateway. Only parameter names come from the server. */
  readonly description: string;
}

const ofClass: Readonly<Record<string, string>> = {
  send: 'It now speaks of sending, sharing or publishing.',
  delete: 'It now speaks of deleting or overwriting.',
  write: 'It now speaks of writing or changing.',
  execute: 'It now speaks of running, installing or deploying.',
  network: 'It now speaks of addresses, downloads or external parties.',
  pay: 'It now speaks of paying or transferring.',
  secrets: 'It now speaks of passwords, keys or tokens.',
  people: 'It now speaks of contacts, messages or other personal data.',
  orders: 'It now gives the model orders, or more orders than before: must, always, before, instead.',
  at: 'It now names an address that it did not name before.',
  unread: 'It now has words in another language or script, which the gateway does not judge.',
  rest: 'Its text after the part that the gateway reads has changed.',
};

/**
 * Returns the additions in a definition that a server offers.
 * @param accepted undefined for a new tool, or if the accepted text is not stored.
 * @param secretFiles files that the configuration adds to the catalog.
 */
export function introducedBy(
  accepted: JsonObject | undefined,
  offered: JsonObject,
  secretFiles?: readonly string[],
): IntroducedMember[] {
  const known = accepted ? checkDefinition(accepted, secretFiles) : [];
  const findings = checkDefinition(offered, secretFiles)
    .filter(({ kind, where }) => !known.some((each) => each.kind === kind && each.where === where))
    .map(({ kind, where, description }) => ({ kind, where, description }));
  return accepted ? [...findings, ...changes(accepted, offered)] : findings;
}

function changes(accepted: JsonObject, offered: JsonObject): IntroducedMember[] {
  const [before, after] = [surfaceOf(accepted), surfaceOf(offered)];
  const said = [...new Map(newlySaid(before, after).map((each) => [each.said, each])).values()]
    .filter(({ said }) => Object.hasOwn(ofClass, said))
    .map(({ said, kind }) => ({ kind, description: ofClass[said]! }));
  const kinds = changesBetween(before, after);
  const taken = parameterChanges(parametersOf(accepted), parametersOf(offered));
  const explained = said.some(({ kind }) => kind === 'new_reach') || taken.some(({ kind }) => kind !== 'new_parameter');
  const elsewhere =
    kinds.includes('new_reach') && !explained
      ? [
          {
            kind: 'new_reach',
            where: 'inputSchema',
            description: 'Its schema accepts or presets different values than before.',
          },
        ]
      : [];
  const hints = kinds.includes('looser_annotation')
    ? [
        {
          kind: 'looser_annotation',
          where: 'annotations',
          description: 'Its annotations claim less risk than the accepted ones did.',
        },
      ]
    : [];
  return [...said, ...taken, ...elsewhere, ...hints];
}

function parameterChanges(before: readonly Parameter[], after: readonly Parameter[]): IntroducedMember[] {
  const known = new Map(before.map((each) => [each.name, each]));
  return after.flatMap(({ name, type, required }): IntroducedMember[] => {
    const was = known.get(name);
    const where = `inputSchema.properties.${name}`;
    const needed = required ? 'required' : 'optional';
    if (!was) return [{ kind: 'new_parameter', where, description: `A new ${needed} parameter ${name} (${type}).` }];
    if (was.type !== type)
      return [
        {
          kind: 'new_type',
          where,
          description: `The parameter ${name} now takes ${type}; before, it took ${was.type}.`,
        },
      ];
    if (required && !was.required)
      return [{ kind: 'now_required', where, description: `The parameter ${name} is required now.` }];
    return [];
  });
}
