/** What a definition adds to the accepted one, in sentences for the human who is to accept it [mcp.definition-diff]. */
import type { JsonObject } from '#core/kernel/json.ts';
import { changesBetween, surfaceOf } from './changes.ts';
import { type Parameter, parametersOf } from './definition-texts.ts';
import { checkDefinition } from './definitions.ts';

interface Introduced {
  /** A kind of `changesBetween`, or of a finding of `checkDefinition`. */
  readonly kind: string;
  /** Path of the member; absent for what the definition says as a whole. */
  readonly where?: string;
  /** A sentence of the gateway's own; names of parameters come from the server. */
  readonly description: string;
}

const ofClass: Readonly<Record<string, string>> = {
  send: 'It now speaks of sending, sharing or publishing.',
  delete: 'It now speaks of deleting or overwriting.',
  write: 'It now speaks of writing or changing.',
  execute: 'It now speaks of running, installing or deploying.',
  network: 'It now speaks of addresses, downloads or others outside.',
  pay: 'It now speaks of paying or transferring.',
  secrets: 'It now speaks of passwords, keys or tokens.',
  people: 'It now speaks of contacts, messages or other personal data.',
  orders: 'It now gives orders to the model: must, always, before, instead.',
};

/** @param accepted undefined for a new tool, or where its text is not kept. */
export function introducedBy(accepted: JsonObject | undefined, offered: JsonObject): Introduced[] {
  const known = accepted ? checkDefinition(accepted) : [];
  const findings = checkDefinition(offered)
    .filter(({ kind, where }) => !known.some((each) => each.kind === kind && each.where === where))
    .map(({ kind, where, description }) => ({ kind, where, description }));
  return accepted ? [...findings, ...changes(accepted, offered)] : findings;
}

function changes(accepted: JsonObject, offered: JsonObject): Introduced[] {
  const [before, after] = [surfaceOf(accepted), surfaceOf(offered)];
  const said = after.says
    .filter((each) => !before.says.includes(each) && Object.hasOwn(ofClass, each))
    .map((each) => ({ kind: kindOf(each), description: ofClass[each]! }));
  const hints = changesBetween(before, after).includes('looser_annotation')
    ? [
        {
          ...{ kind: 'looser_annotation', where: 'annotations' },
          description: 'Its annotations claim less risk than the accepted ones did.',
        },
      ]
    : [];
  return [...said, ...parameterChanges(parametersOf(accepted), parametersOf(offered)), ...hints];
}

const kindOf = (said: string): string =>
  said === 'orders' ? 'new_instruction' : said === 'secrets' ? 'new_secret' : 'new_reach';

function parameterChanges(before: readonly Parameter[], after: readonly Parameter[]): Introduced[] {
  const known = new Map(before.map((each) => [each.name, each]));
  return after.flatMap(({ name, type, required }): Introduced[] => {
    const was = known.get(name);
    const where = `inputSchema.properties.${name}`;
    const needed = required ? 'required' : 'optional';
    if (!was) return [{ kind: 'new_parameter', where, description: `A new ${needed} parameter ${name} (${type}).` }];
    if (was.type !== type)
      return [{ kind: 'new_type', where, description: `The parameter ${name} takes ${type}; it took ${was.type}.` }];
    if (required && !was.required)
      return [{ kind: 'now_required', where, description: `The parameter ${name} is required now.` }];
    return [];
  });
}
